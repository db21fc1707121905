"""``belvedere search``."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, QuestionType, Retrieval, Shared, retrieval_options
from belvedere.cli.printing import say, say_json, shown_chain, shown_place, shown_times, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.cli.snippet import snippet
from belvedere.json_form import search_json

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase
    from query.outcome import RankedResult, SearchOutcome

_SHOWN_CHARACTERS = 240
_HEADINGS = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")

Headings = Mapping[str, tuple[str, ...]]


@click.command()
@click.argument("question", type=QuestionType())
@retrieval_options
@click.option("--explain", is_flag=True, help="Print what spoke for each result, too.")
@EVERYBODY
def search(shared: Shared, question: str, retrieval: Retrieval, explain: bool) -> None:
    """Find passages, community reports or summaries, without answering."""
    with shared.open() as kb, ProgressBar(f"loading the model {kb.model_name}"):
        outcome = kb.search(
            question,
            route=retrieval.route,
            k=retrieval.k,
            filters=retrieval.filters,
            versions=retrieval.versions,
        )
        if not outcome.results:
            refuse_if_nothing_readable(shared, kb)
        headings = {} if shared.as_json else _headings(kb, outcome)
    if shared.as_json:
        say_json(search_json(outcome))
    else:
        _show(outcome, headings, explain=explain)


def _headings(kb: "KnowledgeBase", outcome: "SearchOutcome") -> Headings:
    passages = [result.id for result in outcome.results if result.kind == "chunk"]
    return {chunk.id: chunk.heading_path for chunk in kb.store.chunks(kb.access, passages)}


def _show(outcome: "SearchOutcome", headings: Headings, *, explain: bool) -> None:
    for result in outcome.results:
        _show_result(result, headings.get(result.id, ()), outcome.question)
        if explain:
            signals = ", ".join(f"{name} {value:.3g}" for name, value in result.signals.items())
            say(wrapped(f"{result.id}: {signals or 'no signals'}", indent="    "))
            for line in shown_chain(result.chain):
                say(wrapped(line, indent="    "))
    if not outcome.results:
        say("Nothing found.")
    say()
    say(wrapped(f"route: {outcome.route}. {outcome.route_reason}"))
    say(f"time: {shown_times(outcome.timings_ms)}")


def _show_result(result: "RankedResult", heading_path: tuple[str, ...], question: str) -> None:
    place = shown_place(result.title or result.document_id, heading_path)
    of = f" ({result.document_id})" if result.document_id else ""
    kind = "" if result.kind == "chunk" else f" [{result.kind.replace('_', ' ')}]"
    say(f"{result.rank}. {place}{of}{kind}, score {result.score:.3g}", bold=True)
    if result.duplicates:
        say(wrapped(f"nearly the same stands in: {', '.join(result.duplicates)}", indent="    "))
    say(wrapped(snippet(_without_heading(result.text), question, length=_SHOWN_CHARACTERS), indent="    "))


def _without_heading(text: str) -> str:
    """Return the text below the Markdown headings that it begins with: they are shown already."""
    return _HEADINGS.sub("", text, count=1) or text
