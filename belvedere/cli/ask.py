"""``belvedere ask``."""

from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, LLM, QuestionType, Retrieval, Shared, retrieval_options
from belvedere.cli.printing import say, say_json, shown_place, shown_times, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import answer_json

if TYPE_CHECKING:
    from query.outcome import Answer, Citation


@click.command()
@click.argument("question", type=QuestionType())
@retrieval_options
@click.option(
    "--show-context", is_flag=True, help="Print the words of each source and the passages that were weighed, too."
)
@LLM
@EVERYBODY
def ask(shared: Shared, question: str, retrieval: Retrieval, show_context: bool, llm: tuple[str, ...] | None) -> None:
    """Answer a question from the documents, with the source of every sentence.

    Where the documents do not tell, the answer says so.
    """
    with shared.open(llm=llm) as kb, ProgressBar(f"loading the model {kb.model_name}"):
        answer = kb.ask(
            question,
            route=retrieval.route,
            k=retrieval.k,
            filters=retrieval.filters,
            versions=retrieval.versions,
        )
        if not answer.evidence and not answer.citations:
            refuse_if_nothing_readable(shared, kb)
    if shared.as_json:
        say_json(answer_json(answer))
    else:
        show_answer(answer, show_context=show_context)


def show_answer(answer: "Answer", *, show_context: bool = False) -> None:
    """Print an answer for people: text, sources, route with its reason, times."""
    say(wrapped(answer.answer))
    if answer.citations:
        say()
    for citation in answer.citations:
        _show_source(citation, with_quote=show_context or not _is_told(citation, answer))
    say()
    say(wrapped(f"route: {answer.route}. {answer.route_reason}"))
    say(f"time: {shown_times(answer.timings_ms)}")
    if show_context:
        _show_context(answer)


def _show_source(citation: "Citation", *, with_quote: bool) -> None:
    """Print where a sentence stands; its words only where the answer does not have them already."""
    place = shown_place(citation.title or citation.document_id, citation.heading_path)
    page = "" if citation.page is None else f"page {citation.page}, "
    say(f"[{citation.number}] {place}, {page}characters {citation.char_start}-{citation.char_end}")
    say(f"    {citation.source_uri}")
    if with_quote:
        say(wrapped(f"“{' '.join(citation.quote.split())}”", indent="    "))


def _is_told(citation: "Citation", answer: "Answer") -> bool:
    return " ".join(citation.quote.split()) in " ".join(answer.answer.split())


def _show_context(answer: "Answer") -> None:
    say()
    say("Passages that were weighed:" if answer.evidence else "No passages were weighed on this route.", bold=True)
    for piece in answer.evidence:
        say()
        weak = ", too weak to answer" if piece.weak else ""
        say(f"{piece.title or piece.document_id} ({piece.document_id}, cosine {piece.cosine:.2f}{weak})")
        say(wrapped(piece.text, indent="    "))
