"""The sentences that a short answer may be taken from, each with what speaks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from graph_store.ids import name_key
from query.abstention import SupportEvidence
from query.local import LocalRanking
from query.passages import CandidateSentence
from query.question import Question
from query.sentence_selection import ScoredSentence
from query.short_answers.words import Word, words_of

_PASSAGES = 3
_SENTENCES = 12
_ODDS = 6.0
# A question's word counts less, the further it stands from the word that asks: what is asked of the last hop is near.
_OUTWARDS = 0.7
# Standard score from which a sentence covers a word of the question.
_COVERED = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWords:
    """The content stems of a question: their shares of rarity, and the same with a word weighed by its distance from
    the word that asks.
    """

    shares: Mapping[str, float]
    outer: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSentence:
    """A sentence with its words, the places of the question's words in it, and its features by name."""

    candidate: CandidateSentence
    words: tuple[Word, ...]
    asked: tuple[tuple[int, str], ...]
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """What the features of every sentence are told from."""

    evidence: SupportEvidence
    asked: AskedWords
    told: frozenset[str]
    odds: Mapping[str, float]
    ends: frozenset[str]
    inner: frozenset[str]
    near: Mapping[tuple[str, int], Mapping[str, float]]
    asked_key: str
    told_keys: tuple[tuple[str, str], ...]


def asked_words(question: Question, shares: Mapping[str, float], asking: int) -> AskedWords:
    """Weigh the words of a question by how near they stand to the word that asks, at character ``asking``."""
    places = {word.stem: word.start for word in reversed(words_of(question.searched)) if word.stem in shares}
    before = sorted((stem for stem, start in places.items() if start < asking), key=lambda stem: -places[stem])
    after = sorted((stem for stem, start in places.items() if start >= asking), key=lambda stem: places[stem])
    weights = {stem: shares[stem] * _OUTWARDS**rank for side in (after, before) for rank, stem in enumerate(side)}
    total = sum(weights.values())
    return AskedWords(
        shares=shares, outer={stem: weight / total for stem, weight in weights.items()} if total > 0.0 else {}
    )


def source_sentences(evidence: SupportEvidence, asked: AskedWords) -> tuple[SourceSentence, ...]:
    """Return the told sentences and the best of the first passages, best first."""
    told = frozenset(candidate.passage.chunk.id for candidate in evidence.told)
    chosen = _may_answer(evidence, told)
    ends, inner = chain_places(evidence.ranking, [candidate.passage.chunk.id for candidate in evidence.told])
    standing = _Standing(
        evidence=evidence,
        asked=asked,
        told=told,
        odds=evidence.ranking.chain_odds(),
        ends=ends,
        inner=inner,
        near=_nearness(evidence.ranking),
        asked_key=_padded_key(evidence.question.searched),
        told_keys=tuple((other.passage.document.id, _padded_key(other.text)) for other in evidence.told),
    )
    return tuple(_source(entry, place, standing) for place, entry in enumerate(chosen))


def chain_places(ranking: LocalRanking, told: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the told passages that chains end in, and all passages that lead to a told one."""
    chains = {chunk_id: ranking.chain(chunk_id) for chunk_id in told}
    inner = frozenset(step.chunk_id for chain in chains.values() for step in chain[:-1])
    return frozenset(chunk_id for chunk_id, chain in chains.items() if chain and chunk_id not in inner), inner


def bridge_keys(evidence: SupportEvidence) -> frozenset[str]:
    """Return the name keys of what leads from one told passage to another: bridges of chains, and told titles."""
    told = [candidate.passage for candidate in evidence.told]
    bridges = {step.bridge for passage in told for step in evidence.ranking.chain(passage.chunk.id)[1:]}
    titles = {name_key(passage.document.title) for passage in told}
    return frozenset(bridges | titles) - {""}


def _may_answer(evidence: SupportEvidence, told: frozenset[str]) -> list[ScoredSentence]:
    """Return the best sentences of the first passages; the told ones are always among them."""
    sentences = {id(candidate) for candidate in evidence.told}
    near = [
        entry
        for entry in evidence.scored
        if entry.candidate.passage.rank <= _PASSAGES or entry.candidate.passage.chunk.id in told
    ]
    first = near[:_SENTENCES]
    return first + [entry for entry in near[_SENTENCES:] if id(entry.candidate) in sentences]


def _nearness(ranking: LocalRanking) -> dict[tuple[str, int], dict[str, float]]:
    """Return (chunk, position of the sentence) -> how well it covers each stem of the question, 0 to 1, by meaning."""
    if ranking.chains is None:
        return {}
    known = ranking.chains.evidence
    rows = (known.sentence_coverage / _COVERED).clip(0.0, 1.0).tolist()
    stems = known.words.stems
    return {
        (sentence.chunk_id, sentence.position): dict(zip(stems, row, strict=True))
        for sentence, row in zip(known.sentences, rows, strict=True)
    }


def _source(entry: ScoredSentence, place: int, standing: _Standing) -> SourceSentence:
    words = words_of(entry.candidate.text)
    shares = standing.asked.shares
    return SourceSentence(
        candidate=entry.candidate,
        words=words,
        asked=tuple((at, word.stem) for at, word in enumerate(words) if word.stem in shares),
        features={
            **_rank_features(entry, place, standing),
            **_chain_features(entry.candidate, standing),
            **_coverage_features(entry, standing),
        },
    )


def _rank_features(entry: ScoredSentence, place: int, standing: _Standing) -> dict[str, float]:
    candidate = entry.candidate
    return {
        "sentence_rank": log(1.0 + place) / 3.0,
        "sentence_lag": standing.evidence.scored[0].score - entry.score,
        "sentence_cosine": candidate.cosine,
        "passage_rank": log(candidate.passage.rank) / 2.0,
        "told": float(any(candidate is other for other in standing.evidence.told)),
        "told_passage": float(candidate.passage.chunk.id in standing.told),
        "first_sentence": float(candidate.sentence.position == 0),
    }


def _chain_features(candidate: CandidateSentence, standing: _Standing) -> dict[str, float]:
    chunk_id = candidate.passage.chunk.id
    odds = max(-_ODDS, min(_ODDS, standing.odds.get(chunk_id, -_ODDS)))
    return {
        "chain_odds": odds / _ODDS if standing.odds else 0.0,
        "chain_end": float(chunk_id in standing.ends),
        "chain_inner": float(chunk_id in standing.inner),
        "bridged": float(_is_bridged(candidate, standing)),
    }


def _is_bridged(candidate: CandidateSentence, standing: _Standing) -> bool:
    """Tell whether a told sentence of another document names the candidate's, and the question does not."""
    document = candidate.passage.document
    title = _padded_key(document.title)
    if len(title) < 6 or title in standing.asked_key:
        return False
    return any(title in key for document_id, key in standing.told_keys if document_id != document.id)


def _padded_key(text: str) -> str:
    return f" {name_key(text)} "


def _coverage_features(entry: ScoredSentence, standing: _Standing) -> dict[str, float]:
    candidate = entry.candidate
    shares, outer = standing.asked.shares, standing.asked.outer
    near = standing.near.get((candidate.passage.chunk.id, candidate.sentence.position), {})
    soft_outer = sum(
        weight * max(near.get(stem, 0.0), float(stem in candidate.stems)) for stem, weight in outer.items()
    )
    return {
        "covers": sum(share for stem, share in shares.items() if stem in candidate.stems),
        "covers_with_title": entry.coverage,
        "covers_by_meaning": sum(
            share * max(near.get(stem, 0.0), float(stem in candidate.stems)) for stem, share in shares.items()
        ),
        "covers_outer": sum(weight for stem, weight in outer.items() if stem in candidate.stems),
        "covers_outer_by_meaning": soft_outer,
        "hop_covers_outer": soft_outer if standing.odds else 0.0,
    }
