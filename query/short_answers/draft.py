"""The short answer of a question: what the evidence decides, or the span that most likely answers; or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from query.abstention import SupportEvidence
from query.citations import DraftSentence, Quote, shown
from query.outcome import ShortAnswerKind
from query.passages import CandidateSentence
from query.question import Question
from query.short_answers.asked import is_plain, wanted
from query.short_answers.candidates import find_candidates
from query.short_answers.comparison import NEGATION, Verdict, decide, is_comparison
from query.short_answers.model import choose, shipped_model
from raptor.text_words import content_stems

# Of comparisons in training questions that the rules decided, this share was right.
_DECIDED = 0.9
_DECIDED_KINDS: frozenset[ShortAnswerKind] = frozenset({"choice", "yes_no"})
_ASKS_FOR_MORE = frozenset({"why", "how", "yes_no"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortDraft:
    """A short answer with its first line, and the sentences that it stands in or is decided by."""

    text: str
    kind: ShortAnswerKind
    confidence: float
    lead: DraftSentence
    sources: tuple[CandidateSentence, ...]


def draft_short_answer(evidence: SupportEvidence, *, may_guess: bool = True) -> ShortDraft | None:
    """Return the short answer that the evidence gives, None where it gives none that is likely enough.

    Without ``may_guess`` only what rules decide is an answer.
    """
    verdict = decide(evidence.question, [entry.candidate for entry in evidence.scored])
    if verdict is not None:
        return _decided(verdict)
    if not may_guess or evidence.question.kind in _ASKS_FOR_MORE or is_comparison(evidence.question):
        return None
    return _likely_span(evidence)


def undecided(question: Question, *, is_doubtful: bool = False) -> str:
    """Return the line that stands above the evidence of a yes/no question or a comparison that it does not decide, or
    of a question that the documents may well not answer (``is_doubtful``).
    """
    if is_comparison(question):
        return "No rule decides this; compare for yourself:"
    if question.kind == "yes_no":
        return "Neither yes nor no is told outright; the nearest evidence:"
    return "The documents may not answer this; the nearest evidence:" if is_doubtful else ""


def with_sources(
    told: Sequence[CandidateSentence], short: ShortDraft | None, *, most: int
) -> tuple[CandidateSentence, ...]:
    """Return the told sentences with those that the short answer stands in, at most ``most`` unless it needs more.

    A sentence that comes in stands after the others; where there is no room, the last one that is not needed goes out.
    Where two values decide, nothing but their sentences bears on the answer, and only they are told.
    """
    if short is None:
        return tuple(told)
    if short.kind in _DECIDED_KINDS:
        return short.sources
    missing = [source for source in short.sources if all(source is not other for other in told)]
    kept = list(told)
    while missing and len(kept) + len(missing) > most:
        spare = [place for place, own in enumerate(kept) if all(own is not source for source in short.sources)]
        if not spare:
            break
        del kept[spare[-1]]
    return (*kept, *missing)


def quote_of(candidate: CandidateSentence) -> Quote:
    """Return the quotation of a whole sentence."""
    return Quote(
        chunk_id=candidate.passage.chunk.id,
        char_start=candidate.sentence.char_start,
        char_end=candidate.sentence.char_end,
        text=candidate.text,
    )


def _likely_span(evidence: SupportEvidence) -> ShortDraft | None:
    """Return the likeliest span where it is likely enough.

    Where the question describes what it asks about, none is claimed, and the steps are told instead: most such claims
    were wrong on questions held out, since what leads on to the next passage looks like an answer too.
    """
    if not is_plain(evidence.question) or _is_negated(evidence.question):
        return None
    model = shipped_model()
    if all(entry.coverage < model.covered for entry in evidence.scored):
        return None
    choice = choose(model, find_candidates(evidence))
    if choice is None or not model.claims(choice):
        return None
    sentence = choice.candidate.source.candidate
    if _lacks_name(sentence, evidence.question):
        return None
    text = shown(choice.candidate.text)
    return ShortDraft(
        text=text,
        kind=wanted(evidence.question).kind,
        confidence=choice.confidence,
        lead=DraftSentence(text=text, quotes=(quote_of(sentence),)),
        sources=(sentence,),
    )


def _is_negated(question: Question) -> bool:
    return NEGATION.search(question.searched) is not None


def _lacks_name(sentence: CandidateSentence, question: Question) -> bool:
    """Tell whether the question has a name that the passage of a sentence lacks: it may speak of something else."""
    told = sentence.known_stems.union(content_stems(sentence.passage.chunk.text))
    return any(not told.issuperset(content_stems(name)) for name in question.names)


def _decided(verdict: Verdict) -> ShortDraft:
    sources = tuple({id(value.sentence): value.sentence for value in verdict.values}.values())
    first = verdict.text[0].upper() + verdict.text[1:]
    return ShortDraft(
        text=verdict.text,
        kind=verdict.kind,
        confidence=_DECIDED,
        lead=DraftSentence(text=f"{first}: {verdict.rule}", quotes=tuple(quote_of(source) for source in sources)),
        sources=sources,
    )
