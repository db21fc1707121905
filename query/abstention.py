"""Whether the documents answer a question at all: a trained score on how well the best passages support it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np

from graph_store.bundles import PassageGraph
from graph_store.ids import name_key
from graph_store.records import Hit
from query.answer_types import has_expected_type
from query.fusion import ranks
from query.local import LocalRanking
from query.logistic import LogisticModel, read_weights
from query.passages import CandidateSentence
from query.question import Question
from query.rarity import WordRarity
from query.sentence_selection import ScoredSentence, coverage
from query.text_words import content_stems

_TOP_PASSAGES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The probability that the documents answer the question, what it was told from, and the trained threshold."""

    probability: float
    needed: float
    features: Mapping[str, float]

    @property
    def is_enough(self) -> bool:
        """Whether the question can be answered."""
        return self.probability >= self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportEvidence:
    """What the support of a question is told from. ``scored`` are sentences of the best passages, best first."""

    question: Question
    ranking: LocalRanking
    scored: Sequence[ScoredSentence]
    rarity: WordRarity
    graph: PassageGraph


def judge_support(evidence: SupportEvidence, *, margin: float) -> Support:
    """Tell how probable it is that the documents answer; no words or no sentences give 0."""
    model = _model()
    needed = min(1.0, max(0.0, model.threshold + margin))
    if not evidence.question.words or not evidence.scored:
        return Support(probability=0.0, needed=max(needed, 1e-9), features={})
    features = support_features(evidence)
    return Support(probability=model.probability(features), needed=needed, features=features)


def support_features(evidence: SupportEvidence) -> dict[str, float]:
    """Return the features of support by name.

    All are cosines, shares or standardised within one list of hits, so that they mean the same in collections of any
    size and with passages of any length.
    """
    sentences = [scored.candidate for scored in evidence.scored]
    shares = evidence.rarity.shares(evidence.question.stems)
    return {
        **_nearness_features(evidence.ranking, sentences),
        **_coverage_features(sentences, shares),
        **_name_features(evidence),
        **_agreement_features(evidence.ranking),
        "expected_type": float(has_expected_type(sentences[0].text, evidence.question)),
        "question_stems": min(12, len(evidence.question.stems)) / 12,
    }


def _nearness_features(ranking: LocalRanking, sentences: Sequence[CandidateSentence]) -> dict[str, float]:
    cosines = sorted((sentence.cosine for sentence in sentences), reverse=True)
    dense = [hit.score for hit in ranking.first_stage.dense]
    return {
        "chunk_cosine": dense[0] if dense else 0.0,
        "sentence_cosine": cosines[0],
        "third_sentence_cosine": cosines[min(2, len(cosines) - 1)],
        "dense_lead": _lead(dense),
        "bm25_lead": _lead([hit.score for hit in ranking.first_stage.bm25]),
    }


def _lead(scores: Sequence[float]) -> float:
    """Return how many standard deviations the first score stands above its twenty followers, at most 10."""
    rest = np.asarray(scores[1:21], dtype=np.float64)
    if rest.size < 2:
        return 0.0
    spread = max(float(rest.std()), 0.02 * abs(float(scores[0])), 1e-9)
    return min(10.0, (scores[0] - float(rest.mean())) / spread)


def _coverage_features(sentences: Sequence[CandidateSentence], shares: Mapping[str, float]) -> dict[str, float]:
    own = [coverage(sentence.known_stems, shares) for sentence in sentences]
    by_passage: dict[int, set[str]] = {}
    for sentence in sentences:
        by_passage.setdefault(sentence.passage.rank, set()).update(sentence.known_stems)
    passages = [coverage(frozenset(by_passage[rank]), shares) for rank in sorted(by_passage)][:_TOP_PASSAGES]
    union = frozenset().union(*(by_passage[rank] for rank in sorted(by_passage)[:_TOP_PASSAGES]))
    return {
        "sentence_coverage": max(own),
        "passage_coverage": max(passages),
        "union_coverage": coverage(union, shares),
        "covered_and_near": max(
            held * max(0.0, sentence.cosine) for held, sentence in zip(own, sentences, strict=True)
        ),
    }


def _name_features(evidence: SupportEvidence) -> dict[str, float]:
    question = evidence.question
    near = {
        word_stem
        for scored in evidence.scored
        if scored.candidate.passage.rank <= _TOP_PASSAGES
        for word_stem in scored.candidate.known_stems
    }
    names = [frozenset(content_stems(name)) for name in question.names]
    held = [len(stems & near) / len(stems) for stems in names if stems]
    unseen = [word_stem for word_stem in question.stems if word_stem not in evidence.rarity.frequencies]
    return {
        "names_near": sum(held) / len(held) if held else 1.0,
        "names_unknown": _unknown_names(question, evidence.graph),
        "words_unseen": len(unseen) / max(1, len(question.stems)),
        "names_found": min(3, len(evidence.ranking.names)) / 3,
    }


def _unknown_names(question: Question, graph: PassageGraph) -> float:
    keys = [name_key(name) for name in question.names]
    unknown = [key for key in keys if key not in graph.mentions and key not in graph.homes]
    return len(unknown) / len(keys) if keys else 0.0


def _agreement_features(ranking: LocalRanking) -> dict[str, float]:
    bm25, dense = ranking.first_stage.bm25, ranking.first_stage.dense
    return {
        "bm25_first_in_dense": _place_of_first(bm25, dense),
        "dense_first_in_bm25": _place_of_first(dense, bm25),
    }


def _place_of_first(one: Sequence[Hit], other: Sequence[Hit]) -> float:
    if not one or not other:
        return 0.0
    rank = ranks(other).get(one[0].id)
    return 1.0 / rank if rank is not None else 0.0


@cache
def _model() -> LogisticModel:
    loaded = read_weights("abstention_weights.json")
    features = cast("Mapping[str, Mapping[str, float]]", loaded["features"])
    return LogisticModel(
        features=tuple(features),
        means=tuple(entry["mean"] for entry in features.values()),
        scales=tuple(entry["scale"] for entry in features.values()),
        weights=tuple(entry["weight"] for entry in features.values()),
        bias=cast("float", loaded["bias"]),
        threshold=cast("float", loaded["threshold"]),
    )
