"""Fits the gate: on which questions chains rank better than the plain searches."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log2, sqrt
from typing import Any

import numpy as np

from query.chain_ranking.arrays import Matrix, Vector
from query.chain_ranking.gate import gate_features
from query.chain_ranking.passage_features import plain_search
from query.chain_ranking.rounds import RoundResult
from query.chain_ranking.training_pools import TrainingPool

_STRENGTH = 0.1
# The odds are squared: a half-hearted mixture loses what either ranking is good at.
_SHARPNESS = 2.0
_CLIPPED = 4.0
_DECIMALS = 5
_TIED = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExample:
    """What the gate sees of a question, and how much better chains rank its gold than the searches do (-1 to 1)."""

    pot: str
    features: dict[str, float]
    gained: float


def gate_example(pool: TrainingPool, result: RoundResult) -> GateExample:
    """Judge the last round of a pool, by models that did not see its question."""
    searched = plain_search(pool.evidence)
    gained = ranking_quality(pool, result.scores) - ranking_quality(pool, searched)
    return GateExample(pot=pool.pot, features=gate_features(pool.evidence, result, searched), gained=gained)


def ranking_quality(pool: TrainingPool, scores: Vector) -> float:
    """Return the mean of R@5 and nDCG@10 of the pool's ranking, by groups of gold."""
    order = np.argsort(-scores, kind="stable").tolist()
    ranking = list(dict.fromkeys(pool.keys[index] for index in order))
    recall = sum(bool(group & set(ranking[:5])) for group in pool.gold) / len(pool.gold)
    return 0.5 * recall + 0.5 * _discounted_gain(ranking[:10], pool.gold)


def _discounted_gain(ranking: Sequence[str], gold: Iterable[frozenset[str]]) -> float:
    groups = list(gold)
    best = sum(1.0 / log2(place + 2) for place in range(min(10, len(groups))))
    found = 0.0
    for place, key in enumerate(ranking):
        met = [group for group in groups if key in group]
        if met:
            groups = [group for group in groups if key not in group]
            found += 1.0 / log2(place + 2)
    return found / best


def fit_gate(examples: Sequence[GateExample], *, losses_weigh: float) -> dict[str, Any]:
    """Fit logistic regression on whether chains rank better, each question weighted by how much.

    Pots count by the square root of their size; losses count ``losses_weigh`` times, since users notice what a clever
    ranking lost more than what it won. Where chains never lose, or never win, no feature tells anything, and trust is
    the same for every question. Returns the content of the weights file.
    """
    names = tuple(examples[0].features)
    everything = np.array([[example.features[name] for name in names] for example in examples])
    means = everything.mean(axis=0).round(_DECIMALS)
    scales = np.maximum(everything.std(axis=0), 1e-6).round(_DECIMALS + 1)
    telling = [index for index, example in enumerate(examples) if abs(example.gained) > _TIED]
    wins = [examples[index].gained > 0 for index in telling]
    if len(set(wins)) < 2:
        bias, coefficients = log((1 + sum(wins)) / (1 + len(wins) - sum(wins))), np.zeros(len(names))
    else:
        inputs = np.clip((everything[telling] - means) / scales, -_CLIPPED, _CLIPPED)
        weights = _question_weights(examples, losses_weigh)[telling]
        bias, coefficients = _fitted(inputs, wins, weights / weights.mean())
    return {
        "bias": round(bias, _DECIMALS),
        "features": {
            name: [float(mean), float(scale), float(weight)]
            for name, mean, scale, weight in zip(names, means, scales, coefficients.round(_DECIMALS), strict=True)
        },
    }


def _question_weights(examples: Sequence[GateExample], losses_weigh: float) -> Vector:
    sizes = Counter(example.pot for example in examples)
    return np.array(
        [
            abs(example.gained) / sqrt(sizes[example.pot]) * (losses_weigh if example.gained < 0 else 1.0)
            for example in examples
        ]
    )


def _fitted(inputs: Matrix, wins: Sequence[bool], weights: Vector) -> tuple[float, Vector]:
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # noqa: PLC0415

    fitted = LogisticRegression(C=_STRENGTH, max_iter=2_000, tol=1e-8).fit(inputs, wins, sample_weight=weights)
    return _SHARPNESS * float(fitted.intercept_[0]), _SHARPNESS * fitted.coef_[0]
