"""An answer for people."""

from typing import TYPE_CHECKING

from belvedere.cli.printing import say, shown_place, shown_times, wrapped

if TYPE_CHECKING:
    from query.outcome import Answer, Citation


def show_answer(answer: "Answer", *, show_context: bool = False, is_told: bool = False) -> None:
    """Print an answer for people: text (unless it ``is_told`` already), sources, route with its reason, times."""
    if answer.asked_as:
        say(wrapped(f"understood as: {answer.asked_as}"))
    if not is_told:
        say(wrapped(answer.answer))
    if answer.llm is not None and answer.llm.unsupported:
        say()
        say(wrapped("\n".join(["Not supported by the documents:", *(f"- {text}" for text in answer.llm.unsupported)])))
    if answer.citations:
        say()
    for citation in answer.citations:
        _show_source(citation, with_quote=show_context or not _is_told(citation, answer))
    say()
    say(wrapped(f"route: {answer.route}. {answer.route_reason}"))
    say(f"time: {shown_times(answer.timings_ms)}")
    _show_models(answer)
    if show_context:
        _show_context(answer)


def _show_models(answer: "Answer") -> None:
    """Print what language models did, where they did anything."""
    use = answer.llm
    if use is None:
        return
    if use.fell_back:
        say(wrapped(f"language model: {use.model} gave no answer that holds, so the sources speak: {use.fell_back}"))
    elif use.model:
        dropped = sum(use.dropped.values()) - len(use.unsupported)
        reasons = "" if use.unsupported else f" ({', '.join(use.dropped)})"
        left_out = f"; {dropped} unsupported left out{reasons}" if dropped else ""
        say(wrapped(f"language model: {use.model}{left_out}"))
    for search in use.searches:
        say(wrapped(f"also searched ({search.transformation})" + (f": {search.text}" if search.text else "")))
    for sentence in use.trouble:
        say(wrapped(f"note: {sentence}"))


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
