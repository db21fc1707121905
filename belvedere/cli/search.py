"""``belvedere search``."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from belvedere.cli.feature_words import SIGNALS, legend
from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, KEPT_REPORTS, QuestionType, Retrieval, Shared, retrieval_options
from belvedere.cli.printing import say, say_json, shown_chain, shown_place, shown_times, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.cli.snippet import snippet
from belvedere.json_form import search_json

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase
    from query.outcome import RankedResult, SearchOutcome

_SHOWN_CHARACTERS = 240
_HEADINGS = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")

Places = Mapping[str, str]
"""Where passages stand, by their ids: title, headings and document."""


@click.command()
@click.argument("question", type=QuestionType())
@retrieval_options
@click.option("--explain", is_flag=True, help="Print what spoke for each result, too.")
@KEPT_REPORTS
@EVERYBODY
def search(shared: Shared, question: str, retrieval: Retrieval, explain: bool, llm: tuple[str, ...] | None) -> None:
    """Find passages, community reports or summaries, without answering."""
    with shared.open(llm=llm) as kb, ProgressBar(f"loading the model {kb.model_name}"):
        outcome = kb.search(
            question,
            route=retrieval.route,
            k=retrieval.k,
            filters=retrieval.filters,
            versions=retrieval.versions,
        )
        if not outcome.results:
            refuse_if_nothing_readable(shared, kb)
        places = {} if shared.as_json else _places(kb, outcome)
    if shared.as_json:
        say_json(search_json(outcome))
    else:
        _show(outcome, places, explain=explain)


def _places(kb: "KnowledgeBase", outcome: "SearchOutcome") -> Places:
    passages = [result.id for result in outcome.results if result.kind == "chunk"]
    twins = [twin for result in outcome.results for twin in result.duplicates]
    chunks = kb.store.chunks(kb.access, list(dict.fromkeys([*passages, *twins])))
    documents = list(dict.fromkeys(chunk.document_id for chunk in chunks))
    titles = {document.id: document.title for document in kb.store.documents(kb.access, documents)}
    return {
        chunk.id: f"{shown_place(titles.get(chunk.document_id) or chunk.document_id, chunk.heading_path)}"
        f" ({chunk.document_id})"
        for chunk in chunks
    }


def _show(outcome: "SearchOutcome", places: Places, *, explain: bool) -> None:
    for result in outcome.results:
        _show_result(result, places, outcome.question)
        if explain:
            signals = ", ".join(f"{name} {value:.3g}" for name, value in result.signals.items())
            say(wrapped(f"{result.id}: {signals or 'no signals'}", indent="    "))
            for line in shown_chain(result.chain):
                say(wrapped(line, indent="    "))
    if not outcome.results:
        say("Nothing found.")
    elif explain:
        say()
        for line in legend((name for result in outcome.results for name in result.signals), SIGNALS):
            say(wrapped(line, indent="    "))
    say()
    say(wrapped(f"route: {outcome.route}. {outcome.route_reason}"))
    say(f"time: {shown_times(outcome.timings_ms)}")


def _show_result(result: "RankedResult", places: Places, question: str) -> None:
    of = f" ({result.document_id})" if result.document_id else ""
    by = f" by {result.made_by.removeprefix('llm:')}" if result.made_by.startswith("llm:") else ""
    kind = "" if result.kind == "chunk" else f" [{result.kind.replace('_', ' ')}{by}]"
    place = places.get(result.id, f"{result.title or result.document_id}{of}")
    say(f"{result.rank}. {place}{kind}, score {result.score:.3g}", bold=True)
    # What was deleted in the meantime has no place any more.
    twins = [places[twin] for twin in result.duplicates if twin in places]
    if twins:
        say(wrapped(f"nearly the same stands in: {'; '.join(dict.fromkeys(twins))}", indent="    "))
    say(wrapped(snippet(_without_heading(result.text), question, length=_SHOWN_CHARACTERS), indent="    "))


def _without_heading(text: str) -> str:
    """Return the text below the Markdown headings that it begins with: they are shown already."""
    return _HEADINGS.sub("", text, count=1) or text
