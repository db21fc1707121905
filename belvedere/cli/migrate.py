"""``belvedere migrate``."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from belvedere.cli.options import CONFIG, JSON, STORE, NameType, settings_file
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import migration_json
from belvedere.store_location import StoreLocation, read_location

if TYPE_CHECKING:
    from belvedere.embedding_migration import MigrationReport
    from indexing.space_migration import FillReport

Kind: TypeAlias = Literal["projected", "full", "none"]


@click.group()
def migrate() -> None:
    """Change a store while it goes on answering."""


@migrate.command(short_help="Change the embedding model or the token vectors.")
@click.option(
    "--model",
    type=NameType(),
    metavar="MODEL",
    help="Fill a second vector space with this model, named as embedder.model in the settings.",
)
@click.option(
    "--token-vectors",
    type=click.Choice(["projected", "full", "none"]),
    metavar="KIND",
    help="The kind of token vectors in it: projected, full or none.  [default: as configured]",
)
@click.option("--switch", is_flag=True, help="Make the second vector space the live one, once it is whole.")
@click.option("--drop-old", is_flag=True, help="Remove the vectors from before the switch, and free their room.")
@click.option("--abandon", is_flag=True, help="Remove a second vector space that was never live.")
@STORE
@CONFIG
@JSON
def embeddings(
    *,
    store: StoreLocation | None,
    config: Path | None,
    as_json: bool,
    model: str | None,
    token_vectors: Kind | None,
    **steps: bool,
) -> None:
    """Change the embedding model, or the token vectors, of a whole store without downtime.

    Builds a second vector space beside the first, which answers meanwhile; what was stopped goes on when asked again.
    --switch puts it in the place of the first in one step; programs that are asking go over with their next question.
    Steps may stand together, or follow in runs of their own; without any, tells how things stand. The model in the
    settings may stay as it is until after the switch. `belvedere eval --compare-model` compares both before it.
    """
    from belvedere.embedder_choice import choose_embedder, names_live_model, other_embedder  # noqa: PLC0415  # heavy import, only when used
    from belvedere.embedding_migration import MigrationSteps, look_at_spaces, migrate_embeddings  # noqa: PLC0415  # as above
    from belvedere.settings import load_settings  # noqa: PLC0415  # as above

    settings = load_settings(settings_file(config))
    location = read_location(settings.store.location if store is None else store)
    embedder = None
    if model is not None or token_vectors is not None:
        used = choose_embedder(location, settings).settings
        base = settings.embedder if model == settings.embedder.model else used
        embedder = other_embedder(base, model=model, token_vectors=token_vectors)
    wanted = MigrationSteps(embedder=embedder, **steps)
    if wanted == MigrationSteps():
        report = look_at_spaces(location, settings)
    else:
        with ProgressBar("getting ready") as bar:
            report = migrate_embeddings(location, settings, wanted, progress=bar)
    if as_json:
        say_json(migration_json(report))
    else:
        _show(report, asked=wanted != MigrationSteps())
        if report.switched and not names_live_model(settings, report.live):
            say(wrapped("Write that into the settings (embedder) when you can; until then the store itself tells it."))


def _show(report: "MigrationReport", *, asked: bool) -> None:
    if report.filled.total:
        say(wrapped(_filled(report.filled)))
    live, spare = report.live.space, report.spare
    say(f"questions are answered with {live.embedding_model} ({live.dimension} dimensions, tokens {live.token_space})")
    if report.dropped:
        say("the other vectors are gone, and their room is free")
    if spare is None:
        if not asked:
            say("there is no second vector space; --model MODEL builds one")
        return
    say(
        wrapped(
            f"beside it: {spare.space.embedding_model} ({spare.space.dimension} dimensions, tokens"
            f" {spare.space.token_space}), {_state(report)}"
        )
    )


def _filled(filled: "FillReport") -> str:
    told = (
        f"filled in vectors of {filled.chunks:,} chunks, {filled.communities:,} communities and"
        f" {filled.tree_nodes:,} tree nodes"
    )
    if filled.in_pieces:
        told += f"; {filled.in_pieces:,} chunks are longer than the model reads and were embedded in pieces"
    return told


def _state(report: "MigrationReport") -> str:
    assert report.spare is not None
    if report.spare.former:
        return "the one from before the switch; --drop-old frees its room"
    if report.lacking:
        return f"which lacks {report.lacking:,} records; name its model with --model to fill it"
    return "which is whole; --switch makes it the live one"
