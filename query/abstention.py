"""Whether the documents answer a question at all: a trained score on how well the best passages support it.

The shipped weights come from questions of MuSiQue (CC BY 4.0), HotpotQA and XQuAD (CC BY-SA 4.0), and from questions
made of sentences of QMSum (MIT) and SQuALITY (CC BY 4.0); see :mod:`query.abstention_training`.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np

from graph_store.ids import name_key
from query.answer_types import has_number
from query.chain_ranking.names import KnownNames, is_known
from query.local import LocalRanking
from query.logistic import LogisticModel, read_weights
from query.passages import CandidateSentence, Passage
from query.question import Question
from query.rarity import WordRarity
from query.sentence_selection import ScoredSentence
from raptor.text_words import content_stems

_TOP_PASSAGES = 5
# About the mean of the lead over training questions.
_ORDINARY_LEAD = 5.0
_STATED_SHARE = 0.7
_LEAST_WEIGHT = 1e-6
_LIKELY = 0.5
# Of answers to training questions that had the reference, at most a tenth of each set lies below; from _LIKELY down a
# quarter of one set would.
_DOUBTFUL = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The probability that the documents answer the question, what it was told from, and the trained threshold.

    ``is_stated`` is False for a sum over records that no sentence states: passages cannot be added up.
    """

    probability: float
    needed: float
    features: Mapping[str, float]
    is_stated: bool = True

    @property
    def is_likely(self) -> bool:
        """Whether the documents more likely answer than not; below that no span is claimed as the answer."""
        return self.probability >= _LIKELY

    @property
    def is_doubtful(self) -> bool:
        """Whether what is told had better be headed as evidence than as an answer."""
        return self.probability < _DOUBTFUL

    @property
    def is_enough(self) -> bool:
        """Whether the question can be answered."""
        return self.is_stated and self.probability >= self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportEvidence:
    """What the support of a question is told from. ``scored`` are sentences of the best passages, best first;
    ``chosen`` those of them that cover the question, ``told`` those that would answer, after the chains were followed.
    """

    question: Question
    ranking: LocalRanking
    passages: Sequence[Passage]
    scored: Sequence[ScoredSentence]
    chosen: Sequence[CandidateSentence]
    told: Sequence[CandidateSentence]
    rarity: WordRarity
    names: KnownNames


def judge_support(evidence: SupportEvidence, *, margin: float) -> Support:
    """Tell how probable it is that the documents answer; no words or no sentences give 0."""
    model = _model()
    needed = min(1.0, max(0.0, model.threshold + margin))
    if not evidence.question.words or not evidence.scored:
        return Support(probability=0.0, needed=max(needed, 1e-9), features={})
    features = support_features(evidence)
    return Support(
        probability=model.probability(features),
        needed=needed,
        features=features,
        is_stated=not evidence.question.is_aggregate or _states_amount(evidence),
    )


def _states_amount(evidence: SupportEvidence) -> bool:
    """Tell whether a sentence has a number and most of the question's words, so that it states what is asked."""
    return any(entry.coverage >= _STATED_SHARE and has_number(entry.candidate.text) for entry in evidence.scored)


def support_features(evidence: SupportEvidence) -> dict[str, float]:
    """Return the features of support by name.

    All are shares, cosines, or standardised within one list of hits, so that they mean the same for questions of any
    length in collections of any kind and size. What chains tell is not among them: they are trusted in collections with
    names that lead on, and would make every question of another collection look unanswered.
    """
    dense = evidence.ranking.first_stage.dense
    return {
        "passage_cosine": dense[0].score if dense else 0.0,
        "sentence_cosine": max(entry.candidate.cosine for entry in evidence.scored),
        "sentence_support": max(_sentence_support(entry) for entry in evidence.scored),
        "keyword_lead": _lead([hit.score for hit in evidence.ranking.first_stage.bm25]),
        "names_near": _names_near(evidence),
        "names_unknown": _unknown_names(evidence.question, evidence.names),
        **_missing_words(evidence),
    }


def _lead(scores: Sequence[float]) -> float:
    """Return how many standard deviations the first score stands above its twenty followers, at most 10.

    With fewer than two followers there is nothing to compare with, and the lead counts as an ordinary one.
    """
    rest = np.asarray(scores[1:21], dtype=np.float64)
    if rest.size < 2:
        return _ORDINARY_LEAD if len(scores) else 0.0
    spread = max(float(rest.std()), 0.02 * abs(float(scores[0])), 1e-9)
    return min(10.0, (scores[0] - float(rest.mean())) / spread)


def _missing_words(evidence: SupportEvidence) -> dict[str, float]:
    """Return the share of the question's words, by rarity, that the best document, the choice and all passages lack."""
    weights = {word_stem: evidence.rarity.weight(word_stem) for word_stem in evidence.question.stems}
    by_document: dict[str, set[str]] = {}
    for entry in evidence.scored:
        by_document.setdefault(entry.candidate.passage.document.id, set()).update(entry.candidate.known_stems)

    total = max(sum(weights.values()), _LEAST_WEIGHT)

    def missing(held: AnySet[str]) -> float:
        return sum(weight for word_stem, weight in weights.items() if word_stem not in held) / total

    return {
        "missing_in_document": min(missing(held) for held in by_document.values()),
        "missing_in_choice": missing(frozenset().union(*(candidate.known_stems for candidate in evidence.chosen))),
        "missing_in_all": missing(frozenset().union(*by_document.values())),
    }


def _sentence_support(entry: ScoredSentence) -> float:
    """Return cosine times coverage: one sentence must be near to the question and have its words, too."""
    return max(0.0, entry.candidate.cosine) * entry.coverage


def _names_near(evidence: SupportEvidence) -> float:
    """Return the mean share of each of the question's names that the best passages have; 1 where it has none."""
    near = frozenset().union(
        *(entry.candidate.known_stems for entry in evidence.scored if entry.candidate.passage.rank <= _TOP_PASSAGES)
    )
    names = [frozenset(content_stems(name)) for name in evidence.question.names]
    held = [len(stems & near) / len(stems) for stems in names if stems]
    return sum(held) / len(held) if held else 1.0


def _unknown_names(question: Question, names: KnownNames) -> float:
    keys = [name_key(name) for name in question.names]
    unknown = [key for key in keys if not is_known(names, key)]
    return len(unknown) / len(keys) if keys else 0.0


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
