"""Trained weights of chain ranking: linear models by feature name, read from a data file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from query.chain_ranking.arrays import Vector
from query.logistic import LogisticModel, read_weights

WEIGHTS_FILE = "chain_ranking/chain_weights.json"
VERSION = "1"
"""Raised with every change of the features, so that old weights are refused."""

CLIPPED = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearScorer:
    """Log odds from named columns: bias + sum of weight * clip((x - mean) / scale, -5, 5)."""

    features: tuple[str, ...]
    means: Vector
    scales: Vector
    weights: Vector
    bias: float

    def scores(self, columns: Mapping[str, Vector], rows: int) -> Vector:
        """Return (rows,) log odds; every feature must be among ``columns``."""
        if rows == 0:
            return np.zeros(0)
        odds: Vector = self.contributions(columns).sum(axis=1) + self.bias
        return odds

    def contributions(self, columns: Mapping[str, Vector]) -> Vector:
        """Return (rows, features): what each feature adds to the log odds of each row."""
        table = np.column_stack([columns[name] for name in self.features])
        added: Vector = np.clip((table - self.means) / self.scales, -CLIPPED, CLIPPED) * self.weights
        return added


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundWeights:
    """The two models of one round: links as evidence, then passages with what their links say."""

    link: LinearScorer
    passage: LinearScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainWeights:
    """All that was trained: the rounds in order, and the gate between the chains and the first searches."""

    version: str
    rounds: tuple[RoundWeights, ...]
    gate: LogisticModel


class WeightsUnusable(ValueError):
    """A weights file that cannot be used; one sentence with the path and what to do."""


@lru_cache(maxsize=4)
def chain_weights(path: str) -> ChainWeights:
    """Return the weights in the file ``path``, those packaged with the product where it is empty.

    Raises ``WeightsUnusable``.
    """
    if not path:
        return weights_of(read_weights(WEIGHTS_FILE))
    try:
        return weights_of(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsUnusable(
            f"query.local.chains.weights: {path!r} is no file of chain weights ({error!r}); make one with"
            " `belvedere ranker train`, or leave the setting empty"
        ) from None


def weights_of(content: Mapping[str, Any]) -> ChainWeights:
    """Read weights from the content of a weights file."""
    if content["version"] != VERSION:
        raise ValueError(f"version {content['version']!r}, not {VERSION!r}")
    return ChainWeights(
        version=str(content["version"]),
        rounds=tuple(
            RoundWeights(link=_scorer(entry["link"]), passage=_scorer(entry["passage"])) for entry in content["rounds"]
        ),
        gate=_gate(content["gate"]),
    )


def _scorer(entry: Mapping[str, Any]) -> LinearScorer:
    features: Mapping[str, list[float]] = entry["features"]
    table = np.array(list(features.values()), dtype=np.float64).reshape(-1, 3)
    return LinearScorer(
        features=tuple(features), means=table[:, 0], scales=table[:, 1], weights=table[:, 2], bias=float(entry["bias"])
    )


def _gate(entry: Mapping[str, Any]) -> LogisticModel:
    features: Mapping[str, list[float]] = entry["features"]
    return LogisticModel(
        features=tuple(features),
        means=tuple(mean for mean, _, _ in features.values()),
        scales=tuple(scale for _, scale, _ in features.values()),
        weights=tuple(weight for _, _, weight in features.values()),
        bias=float(entry["bias"]),
        threshold=0.5,
    )
