"""``belvedere status``."""

from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import nothing_readable
from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json, shown_bytes, wrapped
from belvedere.json_form import status_json

if TYPE_CHECKING:
    from belvedere.status import StoreStatus
    from graph_store.spaces import SpareSpace


@click.command()
@EVERYBODY
def status(shared: Shared) -> None:
    """Tell what the store holds, and whether communities and trees are up to date with it."""
    with shared.open() as kb:
        found = kb.status()
    if shared.as_json:
        say_json(status_json(found))
    else:
        _show(found, shared)


def _show(found: "StoreStatus", shared: Shared) -> None:
    counts = found.counts
    size = "" if found.store_bytes is None else f" ({shown_bytes(found.store_bytes)})"
    say(f"{found.store}{size}, tenant {found.tenant}")
    say(f"embedding model {found.embedding_model}, {found.dimension} dimensions")
    for name in ("documents", "chunks", "entities", "relations", "communities", "tree_nodes"):
        say(f"  {name.replace('_', ' '):<12}{getattr(counts, name):>10,}")
    if not counts.documents:
        sentence = nothing_readable(shared)
        say(wrapped(f"{sentence[0].upper()}{sentence[1:]}."))
    if not found.up_to_date:
        say("Communities and trees are older than the documents: run `belvedere index` to make them anew.")
    elif counts.documents:
        sentence = "Communities and trees are up to date with the documents in the store"
        say(wrapped(f"{sentence}; `belvedere reconcile` compares these with the sources."))
    if found.second_space is not None:
        say(wrapped(_second_space(found.second_space, whole=found.second_space_whole)))
    if found.tasks or found.kept_replies:
        tasks = ", ".join(f"{task} by {model}" for task, model in found.tasks.items()) or "none is on"
        say(wrapped(f"Tasks of language models: {tasks}; {found.kept_replies:,} replies are kept."))
    if found.settings_changed:
        say("The last run of `belvedere index` had other settings than these; index again to use them:")
        for name, (then, now) in found.settings_changed.items():
            say(f"  {name}: {then} then, {now} now")


def _second_space(spare: "SpareSpace", *, whole: bool) -> str:
    if spare.former:
        return (
            f"The vectors of {spare.space.embedding_model}, from before the switch, are kept; `belvedere migrate"
            " embeddings --drop-old` frees their room."
        )
    state = "is whole" if whole else "is not whole yet"
    return (
        f"A second vector space, of {spare.space.embedding_model}, {state}: see `belvedere migrate embeddings`, which"
        " fills it and switches to it."
    )
