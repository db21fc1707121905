"""The sentences of an answer held against the chains: likely hops are told, passages that are ruled out are not."""

from collections.abc import Mapping, Sequence

from query.local import LocalRanking
from query.passages import CandidateSentence
from query.sentence_selection import ScoredSentence

# Log odds, chosen on training questions: a passage above the first is part of the answer, one below the second is not.
_LIKELY = -1.0
_RULED_OUT = -4.0
# Likely passages are looked for among this many best.
_FIRST_PASSAGES = 5


def follow_chains(
    chosen: Sequence[CandidateSentence], scored: Sequence[ScoredSentence], ranking: LocalRanking, *, most: int
) -> tuple[CandidateSentence, ...]:
    """Return the chosen sentences, without those that chains rule out, and with the hops that they lack.

    A hop that lacks is a likely passage of a document that no sentence is of; its best sentence is put before those
    that its passage leads to. Nothing changes where chains are not trusted; ``scored`` are best first, and the answer
    is at most ``most`` sentences long.
    """
    odds = ranking.chain_odds()
    if not odds:
        return tuple(chosen)
    told = [candidate for candidate in chosen if _odds(candidate, odds) > _RULED_OUT] or list(chosen)
    for candidate in _likely_sentences(scored, odds):
        if len(told) < most and _is_another_document(candidate, told):
            told.insert(_place(candidate, told, ranking), candidate)
    return tuple(told)


def _odds(candidate: CandidateSentence, odds: Mapping[str, float]) -> float:
    return odds.get(candidate.passage.chunk.id, _RULED_OUT)


def _likely_sentences(scored: Sequence[ScoredSentence], odds: Mapping[str, float]) -> list[CandidateSentence]:
    """Return the best sentence of each likely passage, by rank of the passage."""
    best: dict[str, CandidateSentence] = {}
    for entry in scored:
        passage = entry.candidate.passage
        if passage.rank <= _FIRST_PASSAGES and _odds(entry.candidate, odds) > _LIKELY:
            best.setdefault(passage.chunk.id, entry.candidate)
    return sorted(best.values(), key=lambda candidate: candidate.passage.rank)


def _is_another_document(candidate: CandidateSentence, told: Sequence[CandidateSentence]) -> bool:
    return all(
        candidate.passage.document.id != other.passage.document.id and candidate.text != other.text for other in told
    )


def _place(candidate: CandidateSentence, told: Sequence[CandidateSentence], ranking: LocalRanking) -> int:
    """Return the place before the first sentence whose passage the candidate's leads to; the end where none is."""
    own = candidate.passage.chunk.id
    for place, other in enumerate(told):
        if any(step.chunk_id == own for step in ranking.chain(other.passage.chunk.id)[:-1]):
            return place
    return len(told)
