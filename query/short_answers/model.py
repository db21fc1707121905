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
class SpanModel:
    """The score of a span is the sum of weight times feature; that of "none of them" is ``none``.

    Below the probability ``threshold`` no span is claimed.
    """

    weights: Mapping[str, float]
    none: float
    threshold: float

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
    )
