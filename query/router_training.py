"""Trains the router: ``python -m query.router_training`` writes router_weights.json, the same bytes each time."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import yaml
from numpy.typing import NDArray

from query.question import analyse
from query.router_features import router_features

_HERE = Path(__file__).parent
_QUESTIONS = _HERE / "router_questions.yaml"
_WEIGHTS = _HERE / "router_weights.json"

ROUTES = ("local", "community", "tree")
# A feature of one question alone teaches nothing general; L2 strength chosen by cross-validation.
_LEAST_QUESTIONS = 2
_STRENGTH = 0.3
_FOLDS = 10
_DECIMALS = 4

Matrix: TypeAlias = NDArray[np.float64]
Example: TypeAlias = tuple[str, str]


def read_examples() -> list[Example]:
    """Return (question, route) of the training questions, in the order of the file."""
    loaded: Mapping[str, Sequence[str]] = yaml.safe_load(_QUESTIONS.read_text(encoding="utf-8"))
    return [(question, route) for route in ROUTES for question in loaded[route]]


def vocabulary(rows: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the features that at least two questions have, sorted."""
    counts = Counter(feature for row in rows for feature in row)
    return sorted(feature for feature, count in counts.items() if count >= _LEAST_QUESTIONS)


def fit(rows: Sequence[Mapping[str, float]], routes: Sequence[str]) -> tuple[list[str], Matrix, Matrix]:
    """Fit a multinomial logistic regression; returns features, weights (routes, features) and biases (routes,)."""
    # heavy imports, only when used
    from scipy.sparse import csr_array  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # noqa: PLC0415  # ships no types

    features = vocabulary(rows)
    model = LogisticRegression(C=_STRENGTH, max_iter=5_000, tol=1e-6, class_weight="balanced")
    model.fit(csr_array(_matrix(rows, features)), [ROUTES.index(route) for route in routes])
    return features, np.asarray(model.coef_), np.asarray(model.intercept_)


def cross_validate(examples: Sequence[Example]) -> dict[str, float]:
    """Return the accuracy of the route, and of local against global, over ten folds of every tenth question."""
    rows = [router_features(analyse(question)) for question, _ in examples]
    routes = [route for _, route in examples]
    right = family = 0
    for fold in range(_FOLDS):
        held_out = [place for place in range(len(rows)) if place % _FOLDS == fold]
        kept = [place for place in range(len(rows)) if place % _FOLDS != fold]
        features, weights, bias = fit([rows[place] for place in kept], [routes[place] for place in kept])
        scores = _matrix([rows[place] for place in held_out], features) @ weights.T + bias
        told = [ROUTES[best] for best in scores.argmax(axis=1)]
        right += sum(route == routes[place] for route, place in zip(told, held_out, strict=True))
        family += sum(
            (route == "local") == (routes[place] == "local") for route, place in zip(told, held_out, strict=True)
        )
    return {"route": round(right / len(rows), 4), "family": round(family / len(rows), 4)}


def trained_weights(examples: Sequence[Example]) -> str:
    """Return the weights file as text."""
    rows = [router_features(analyse(question)) for question, _ in examples]
    features, weights, bias = fit(rows, [route for _, route in examples])
    content = {
        "trained_on": {"questions": len(examples), "file": _QUESTIONS.name},
        "cross_validated_accuracy": cross_validate(examples),
        "routes": list(ROUTES),
        "bias": dict(zip(ROUTES, _rounded(bias), strict=True)),
        "weights": {
            feature: dict(zip(ROUTES, _rounded(weights[:, column]), strict=True))
            for column, feature in enumerate(features)
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=0) + "\n"


def _matrix(rows: Sequence[Mapping[str, float]], features: Sequence[str]) -> Matrix:
    column = {feature: place for place, feature in enumerate(features)}
    matrix = np.zeros((len(rows), len(features)), dtype=np.float64)
    for place, row in enumerate(rows):
        for feature, value in row.items():
            if feature in column:
                matrix[place, column[feature]] = value
    return matrix


def _rounded(values: Matrix) -> list[float]:
    # Rounding hides the last digits, in which machines differ; adding 0 turns -0.0 into 0.0.
    return [round(float(value), _DECIMALS) + 0.0 for value in values]


def main() -> None:
    """Write the weights beside this module."""
    _WEIGHTS.write_text(trained_weights(read_examples()), encoding="utf-8")


if __name__ == "__main__":
    main()
