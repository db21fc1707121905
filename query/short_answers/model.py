"""Which span answers, and how sure that is: a trained softmax over the spans of the evidence, and "none of them".

The shipped weights come from questions of MuSiQue (CC BY 4.0), HotpotQA and XQuAD (CC BY-SA 4.0); see
:mod:`query.short_answers.fitting`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from query.logistic import read_weights, softmax
from query.short_answers.candidates import Candidate

WEIGHTS_NAME = "short_answers/weights.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRule:
    """Below the probability ``threshold`` no span is claimed, nor where its sentence and title have less than
    ``covered`` of the question's words, by rarity: it may answer another question, or one hop of several.
    """

    threshold: float = 0.0
    covered: float = 0.0

    def claims(self, choice: "Choice") -> bool:
        """Tell whether a choice is sure enough to be shown as the answer, and passes the hard checks."""
        return choice.candidate.claimable and choice.confidence >= self.threshold and choice.covered >= self.covered


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanModel(ClaimRule):
    """The score of a span is the sum of weight times feature; that of "none of them" is ``none``."""

    weights: Mapping[str, float]
    none: float

    def scores(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return the score of each candidate; features without a weight count nothing."""
        of_sentence: dict[int, float] = {}
        scores: list[float] = []
        for candidate in candidates:
            key = id(candidate.source)
            if key not in of_sentence:
                of_sentence[key] = self._sum(candidate.source.features)
            scores.append(of_sentence[key] + self._sum(candidate.features))
        return scores

    def _sum(self, features: Mapping[str, float]) -> float:
        return sum(self.weights.get(name, 0.0) * value for name, value in features.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The best span with the probability, 0 to 1, that its words are the answer."""

    candidate: Candidate
    confidence: float

    @property
    def covered(self) -> float:
        """How much of the question the sentence and its title have, by rarity, 0 to 1."""
        return self.candidate.source.features["covers_with_title"]


def choose(model: SpanModel, candidates: Sequence[Candidate]) -> Choice | None:
    """Return the best answer, wherever it stands in the evidence, by its best span; None without candidates.

    Spans with the same words speak for the same answer: their probabilities are added.
    """
    if not candidates:
        return None
    scores = model.scores(candidates)
    together: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for candidate, probability in zip(candidates, softmax([*scores, model.none]), strict=False):
        together[candidate.key] += probability
    best = max(together, key=lambda key: together[key])
    place = max(
        (place for place, candidate in enumerate(candidates) if candidate.key == best), key=lambda own: scores[own]
    )
    return Choice(candidate=candidates[place], confidence=together[best])


@cache
def shipped_model() -> SpanModel:
    """Return the model with the shipped weights."""
    loaded = read_weights(WEIGHTS_NAME)
    return SpanModel(
        weights=cast("Mapping[str, float]", loaded["weights"]),
        none=cast("float", loaded["none"]),
        threshold=cast("float", loaded["threshold"]),
        covered=cast("float", loaded["covered"]),
    )
