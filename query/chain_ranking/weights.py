"""Trained weights of chain ranking: linear models by feature name, read from a data file.

The packaged weights come from questions of MuSiQue (CC BY 4.0), HotpotQA and XQuAD (CC BY-SA 4.0) and from questions
made of sentences of these and other texts; the file names each data set with the number of questions. It holds no text
of them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from query.chain_ranking.arrays import Matrix, Vector
from query.logistic import LogisticModel, read_weights

WEIGHTS_FILE = "chain_ranking/chain_weights.json"
VERSION = "1"
"""Raised with every change of the features, so that old weights are refused."""

CLIPPED = 5.0
_LARGEST = 1e9


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


def chain_weights(path: str) -> ChainWeights:
    """Return the weights in the file ``path``, those packaged with the product where it is empty.

    A file is read again once it has changed. Raises ``WeightsUnusable``.
    """
    return _weights_in(path, _state(path))


def _state(path: str) -> tuple[int, int]:
    """Return when a file was changed and its size; zeros where it cannot be told, as reading will say."""
    try:
        found = Path(path).stat() if path else None
    except (OSError, ValueError):
        found = None
    return (found.st_mtime_ns, found.st_size) if found is not None else (0, 0)


@lru_cache(maxsize=4)
def _weights_in(path: str, state: tuple[int, int]) -> ChainWeights:  # noqa: ARG001  # part of the cache's key
    if not path:
        return weights_of(read_weights(WEIGHTS_FILE))
    try:
        weights = weights_of(json.loads(Path(path).read_text(encoding="utf-8")))
        _refuse_unknown(weights, chain_weights(""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise WeightsUnusable(
            f"query.local.chains.weights: {path!r} is no file of chain weights ({_reason(error)}); make one with"
            " `belvedere ranker train`, or leave the setting empty"
        ) from None
    return weights


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, TypeError | AttributeError):
        return "it has another form"
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def _refuse_unknown(weights: ChainWeights, known: ChainWeights) -> None:
    """Refuse features that are not made: those of the packaged weights are all that are, from the second round on."""
    for number, model in enumerate(weights.rounds):
        made = known.rounds[min(number, len(known.rounds) - 1)]
        _refuse_beyond(model.link.features, made.link.features)
        _refuse_beyond(model.passage.features, made.passage.features)
    _refuse_beyond(weights.gate.features, known.gate.features)


def _refuse_beyond(features: Sequence[str], made: Sequence[str]) -> None:
    unknown = sorted(set(features) - set(made))
    if unknown:
        raise ValueError(f"the feature {unknown[0]!r} is unknown")


def weights_of(content: Mapping[str, Any]) -> ChainWeights:
    """Read weights from the content of a weights file.

    Raises ``ValueError``, ``KeyError``, ``TypeError`` or ``AttributeError`` where it has another form.
    """
    if content["version"] != VERSION:
        raise ValueError(f"version {content['version']!r}, not {VERSION!r}")
    if not content["rounds"]:
        raise ValueError("it has no rounds")
    return ChainWeights(
        version=str(content["version"]),
        rounds=tuple(
            RoundWeights(link=_scorer(entry["link"]), passage=_scorer(entry["passage"])) for entry in content["rounds"]
        ),
        gate=_gate(content["gate"]),
    )


def _scorer(entry: Mapping[str, Any]) -> LinearScorer:
    features, table = _table(entry)
    return LinearScorer(
        features=features, means=table[:, 0], scales=table[:, 1], weights=table[:, 2], bias=float(entry["bias"])
    )


def _gate(entry: Mapping[str, Any]) -> LogisticModel:
    features, table = _table(entry)
    means, scales, weights = table.T.tolist()
    return LogisticModel(
        features=features,
        means=tuple(means),
        scales=tuple(scales),
        weights=tuple(weights),
        bias=float(entry["bias"]),
        threshold=0.5,
    )


def _table(entry: Mapping[str, Any]) -> tuple[tuple[str, ...], Matrix]:
    """Return the names of features, and (features, 3): mean, scale above 0 and weight of each."""
    features: Mapping[str, list[float]] = entry["features"]
    table = np.array(list(features.values()), dtype=np.float64)
    if not features or table.shape != (len(features), 3):
        raise ValueError("every feature needs its mean, its scale and its weight")
    # NaN fails every comparison, so it is refused as well.
    if not (np.abs([*table.ravel(), float(entry["bias"])]) <= _LARGEST).all() or (table[:, 1] < 1.0 / _LARGEST).any():
        raise ValueError(f"its numbers must lie within {_LARGEST:g}, its scales above {1.0 / _LARGEST:g}")
    return tuple(features), table
