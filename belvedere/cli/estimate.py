"""``belvedere estimate``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import CONFIG, JSON, LLM, GivenPath, settings_file
from belvedere.cli.printing import complain, say, say_json, shown_bytes, wrapped
from belvedere.cli.progress import ProgressBar

if TYPE_CHECKING:
    from belvedere.estimate.cheapest import Offer
    from belvedere.estimate.estimate import Estimate
    from belvedere.estimate.task_estimate import Between, TaskEstimate


@click.command()
@click.argument("paths", nargs=-1, required=True, type=GivenPath())
@click.option(
    "--cheapest", is_flag=True, help="Also tell what each task costs with each priced model, and what it buys."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed by which the sample is drawn."
)
@LLM
@CONFIG
@JSON
def estimate(
    paths: tuple[Path, ...],
    *,
    cheapest: bool,
    seed: int,
    llm: tuple[str, ...] | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Tell what indexing PATHS would take, before anything is paid: documents, chunks, room, and language models.

    Everything is loaded and cut into chunks; a sample is indexed for real into a store that is thrown away, with rules
    in the place of language models, which counts calls and tokens by the very prompts; so are those of one question
    (rewriting, answer, judging). No endpoint is asked. Costs are at llm.prices in the settings.
    """
    from belvedere.estimate.cheapest import offers_of  # noqa: PLC0415  # heavy import, only when used
    from belvedere.estimate.estimate import Estimator  # noqa: PLC0415  # as above
    from belvedere.estimate.estimate_json import estimate_json  # noqa: PLC0415  # as above
    from belvedere.settings import load_settings, with_llm_tasks  # noqa: PLC0415  # as above
    from indexing.options import IndexOptions  # noqa: PLC0415  # as above

    settings = load_settings(settings_file(config))
    if llm is not None:
        settings = with_llm_tasks(settings, llm)
    with ProgressBar("getting ready") as bar:
        found = Estimator(settings, seed=seed, tell=bar).estimate(paths, IndexOptions())
    offers = offers_of(found, settings.llm.prices) if cheapest else None
    if as_json:
        say_json(estimate_json(found, offers))
    else:
        _show(found)
        _show_offers(offers or ())


def _show(found: "Estimate") -> None:
    say(f"{found.documents:,} documents, {found.chunks:,} chunks; judged by a sample of {found.sampled:,} chunks")
    storage = found.storage
    vectors = storage.chunk_vectors + storage.sentence_vectors + storage.token_vectors + storage.derived_vectors
    graph = f", neighbour graph {shown_bytes(round(storage.hnsw))}" if storage.hnsw else ""
    say(
        f"room: about {shown_bytes(round(storage.total))} (vectors {shown_bytes(round(vectors))}{graph}, "
        f"text {shown_bytes(round(storage.text))}, all else {shown_bytes(round(storage.rest))})"
    )
    for task in found.tasks.values():
        _show_task(task, task.task)
    if found.embedding is not None:
        say(f"embedding by the endpoint: {_number(found.embedding)} tokens")
    say(f"tasks that are on cost {_amount(found.cost)} together")
    for task in found.per_question.values():
        _show_task(task, f"{task.task} of one question")
    _show_task(found.lazy_reports, "llm.lazy, reports of one question in the place of all tasks of indexing")
    say(wrapped(f"a question that meets untold reports takes {found.lazy_share:.1%} of the tokens of these tasks"))
    for failure in found.failed:
        complain(f"would be left out: {failure.uri}: {failure.error}")


def _show_task(task: "TaskEstimate", name: str) -> None:
    state = f"on, by {task.model}" if task.on else "off"
    cost = "no price is configured" if task.cost is None else f"cost {_amount(task.cost)}"
    say(wrapped(f"{name} ({state}): {_number(task.calls)} calls, {_number(task.tokens)} tokens, {cost}"))


def _number(between: "Between") -> str:
    return f"{between.likely:,.0f} ({between.low:,.0f} to {between.high:,.0f})"


def _amount(between: "Between") -> str:
    return f"{between.likely:.4g} ({between.low:.4g} to {between.high:.4g})"


def _show_offers(offers: Sequence["Offer"]) -> None:
    for offer in offers:
        price = f"{offer.tokens:,.0f} tokens" if offer.cost is None else f"{offer.cost:.4g} with {offer.model}"
        each = " a question" if offer.per == "question" else ""
        say(wrapped(f"{offer.task}, {price}{each}: {offer.buys}"))
