"""``belvedere context``."""

from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, KEPT_REPORTS, QuestionType, Retrieval, Shared, retrieval_options
from belvedere.cli.printing import say, say_json, shown_times, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.context_json import context_json

if TYPE_CHECKING:
    from query.packing.packed_context import PackedContext, PackedSource


@click.command()
@click.argument("question", type=QuestionType())
@click.option(
    "--budget",
    type=click.IntRange(min=1, max=1_000_000),
    metavar="TOKENS",
    help="Tokens that the reader has room for.  [default: as configured]",
)
@retrieval_options
@KEPT_REPORTS
@EVERYBODY
def context(
    shared: Shared, question: str, budget: int | None, retrieval: Retrieval, llm: tuple[str, ...] | None
) -> None:
    """Pack what was found for a question into a text for a reader, such as a language model.

    The text holds the sentences of most worth that the budget has room for, under numbered sources, with [...] where
    something of a source is left out. The strongest source stands first, the second strongest last.
    """
    with shared.open(llm=llm) as kb, ProgressBar(f"loading the model {kb.model_name}"):
        packed = kb.context(
            question,
            budget=budget,
            route=retrieval.route,
            k=retrieval.k,
            filters=retrieval.filters,
            versions=retrieval.versions,
        )
        if not packed.blocks:
            refuse_if_nothing_readable(shared, kb)
    if shared.as_json:
        say_json(context_json(packed))
    else:
        _show(packed)


def _show(packed: "PackedContext") -> None:
    say(wrapped(packed.text) if packed.text else _nothing(packed))
    say()
    for source in packed.sources:
        say(f"[{source.number}] {_place(source)}")
        say(f"    {source.source_uri}")
    left_out = f", {packed.left_out} sentences left out" if packed.left_out else ""
    say(f"tokens: {packed.tokens} of {packed.budget}, counted as {packed.counted_by} does{left_out}")
    say(wrapped(f"route: {packed.route}. {packed.route_reason}"))
    say(f"time: {shown_times(packed.timings_ms)}")


def _nothing(packed: "PackedContext") -> str:
    return "Nothing that was found fits in the budget." if packed.left_out else "Nothing found."


def _place(source: "PackedSource") -> str:
    page = "" if source.page is None else f"page {source.page}, "
    spans = ", ".join(f"{sentence.char_start}-{sentence.char_end}" for sentence in source.sentences)
    return f"{source.document_id}, {page}characters {spans}"
