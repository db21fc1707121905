"""Which sentences answer a question: greedy choice by nearness, coverage of the question's words, and bridges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.ids import name_key
from query.answer_types import has_expected_type
from query.passages import CandidateSentence
from query.question import Question
from query.settings import AnswerSettings

# Weights of the parts of a sentence's score, chosen on training questions: all parts lie in 0 to 1.
_COSINE = 1.0
_COVERAGE = 0.6
_RANK = 0.3
_TYPE = 0.1
_BRIDGE = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSentence:
    """A sentence with its score and the share of the question's words (by rarity) that it and its title hold."""

    candidate: CandidateSentence
    score: float
    coverage: float


def score_sentences(
    candidates: Sequence[CandidateSentence], question: Question, shares: Mapping[str, float]
) -> tuple[ScoredSentence, ...]:
    """Score every candidate as an answer on its own, best first; ties by rank of the passage and position.

    ``shares`` maps each content stem of the question to its share of the rarity (:meth:`WordRarity.shares`).
    """
    scored = [_scored(candidate, question, shares) for candidate in candidates]
    return tuple(sorted(scored, key=_best_first))


def choose_sentences(
    scored: Sequence[ScoredSentence], shares: Mapping[str, float], settings: AnswerSettings
) -> tuple[CandidateSentence, ...]:
    """Choose the best sentence and those that cover what it leaves open, in the order of the join.

    A further sentence must add ``least_gain`` of coverage by its own words or its title's; one whose document is named
    by a chosen sentence (or names a chosen one's) is preferred: the two are joined by that name.
    """
    if not scored:
        return ()
    chosen = [scored[0].candidate]
    covered = _covered(scored[0].candidate, shares)
    while len(chosen) < settings.most_sentences:
        best = _next_sentence(scored, chosen, covered, shares, settings.least_gain)
        if best is None:
            break
        chosen.append(best)
        covered |= _covered(best, shares)
    return _in_hop_order(chosen)


def coverage(stems: frozenset[str], shares: Mapping[str, float]) -> float:
    """Return the share of the question's rarity that ``stems`` hold, 0 to 1."""
    return sum(share for word_stem, share in shares.items() if word_stem in stems)


def _best_first(scored: ScoredSentence) -> tuple[float, int, int]:
    candidate = scored.candidate
    return (-scored.score, candidate.passage.rank, candidate.sentence.position)


def _scored(candidate: CandidateSentence, question: Question, shares: Mapping[str, float]) -> ScoredSentence:
    held = coverage(candidate.known_stems, shares)
    score = (
        _COSINE * candidate.cosine
        + _COVERAGE * held
        + _RANK / candidate.passage.rank
        + _TYPE * has_expected_type(candidate.text, question)
    )
    return ScoredSentence(candidate=candidate, score=score, coverage=held)


def _covered(candidate: CandidateSentence, shares: Mapping[str, float]) -> set[str]:
    return {word_stem for word_stem in shares if word_stem in candidate.known_stems}


def _next_sentence(
    scored: Sequence[ScoredSentence],
    chosen: Sequence[CandidateSentence],
    covered: set[str],
    shares: Mapping[str, float],
    least_gain: float,
) -> CandidateSentence | None:
    best: tuple[float, CandidateSentence] | None = None
    for entry in scored:
        candidate = entry.candidate
        if any(candidate is other or candidate.text == other.text for other in chosen):
            continue
        gain = sum(shares[word_stem] for word_stem in _covered(candidate, shares) - covered)
        if gain < least_gain:
            continue
        value = gain + entry.score + _BRIDGE * any(_linked(candidate, other) for other in chosen)
        if best is None or value > best[0]:
            best = (value, candidate)
    return best[1] if best is not None else None


def _linked(one: CandidateSentence, other: CandidateSentence) -> bool:
    return _names_document(one, other) or _names_document(other, one)


def _names_document(one: CandidateSentence, other: CandidateSentence) -> bool:
    title = name_key(other.passage.document.title)
    if len(title) < 4 or one.passage.document.id == other.passage.document.id:
        return False
    return f" {title} " in f" {name_key(one.text)} "


def _in_hop_order(chosen: Sequence[CandidateSentence]) -> tuple[CandidateSentence, ...]:
    """Put a sentence that names another's document before it; sentences of one document in reading order."""
    ordered: list[CandidateSentence] = []
    for candidate in chosen:
        place = len(ordered)
        for index, other in enumerate(ordered):
            if _comes_before(candidate, other):
                place = index
                break
        ordered.insert(place, candidate)
    return tuple(ordered)


def _comes_before(one: CandidateSentence, other: CandidateSentence) -> bool:
    if one.passage.document.id == other.passage.document.id:
        return _place(one) < _place(other)
    return _names_document(one, other) and not _names_document(other, one)


def _place(candidate: CandidateSentence) -> int:
    return candidate.passage.chunk.char_start + candidate.sentence.char_start
