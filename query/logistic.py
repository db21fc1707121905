"""Logistic models whose weights are kept as JSON; inference needs nothing but arithmetic."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import exp


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticModel:
    """A probability from standardised features: sigmoid(bias + sum of weight * clip((x - mean) / scale, -4, 4)).

    Clipping keeps one odd feature, far from all training questions, from deciding alone.
    """

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability, 0 to 1, for ``values`` by feature name; every feature must be there."""
        return sigmoid(self.log_odds(values))

    def log_odds(self, values: Mapping[str, float]) -> float:
        """Return the logarithm of p / (1 - p) of the probability p."""
        return self.bias + sum(self.contributions(values).values())

    def contributions(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return what each feature adds to the log odds."""
        fitted = zip(self.features, self.means, self.scales, self.weights, strict=True)
        return {
            name: weight * max(-4.0, min(4.0, (values[name] - mean) / scale)) for name, mean, scale, weight in fitted
        }


def sigmoid(value: float) -> float:
    """Return 1 / (1 + exp(-value)), without overflow."""
    if value >= 0.0:
        return 1.0 / (1.0 + exp(-value))
    return exp(value) / (1.0 + exp(value))


def softmax(values: Sequence[float]) -> list[float]:
    """Return the exponentials of ``values`` scaled to sum 1."""
    largest = max(values)
    powers = [exp(value - largest) for value in values]
    total = sum(powers)
    return [power / total for power in powers]


def read_weights(name: str) -> Mapping[str, object]:
    """Read a weights file that is packaged beside this module."""
    loaded: Mapping[str, object] = json.loads(files("query").joinpath(name).read_text(encoding="utf-8"))
    return loaded
