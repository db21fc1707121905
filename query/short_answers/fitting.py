"""Fits the choice of spans: a softmax over the spans of each question and "none of them", with an L2 penalty."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from query.short_answers.candidates import Candidate
from query.short_answers.model import Choice, SpanModel, choose

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Inverse of the penalty, by cross-validation; features of fewer questions teach nothing general.
STRENGTH = 1.0
_LEAST_QUESTIONS = 5
_FOLDS = 8
_ITERATIONS = 120
_DECIMALS = 4
# A span that has most of a reference's words is nearly right: it counts as right by this part at most.
_NEAR_F1 = 0.6
_NEAR_PART = 0.3
_TINY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The candidates of a question, and the token F1 of each with the reference that suits it best."""

    candidates: tuple[Candidate, ...]
    f1: tuple[float, ...]

    def targets(self) -> Vector:
        """Return (n,) how far each candidate is right, 0 to 1."""
        f1 = np.asarray(self.f1, dtype=np.float64)
        return np.where(f1 >= 1.0, 1.0, np.where(f1 >= _NEAR_F1, _NEAR_PART * f1**3, 0.0))


def fit(examples: Sequence[Example], *, strength: float = STRENGTH) -> SpanModel:
    """Fit weights so that right spans are likely, and "none of them" where there is none; rounded, threshold still 0.

    Rounding makes the file the same wherever the last bits of the solver differ.
    """
    filled = [example for example in examples if example.candidates]
    names = _names(filled)
    return _solve(_task(filled, names), names, strength)


def _solve(task: "_Task", names: Sequence[str], strength: float) -> SpanModel:
    from scipy.optimize import minimize  # noqa: PLC0415  # heavy import, only when used

    def loss(point: Vector) -> tuple[float, Vector]:
        return _loss(point, task, strength)

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS})
    rounded = [round(float(value), _DECIMALS) + 0.0 for value in found.x]
    return SpanModel(weights=dict(zip(names, rounded[:-1], strict=True)), none=rounded[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """The spans of all questions, one after the other, each question's followed by "none of them".

    ``table`` (n, features) is sparse, ``is_none`` and ``targets`` are (n,), the rows of question i begin at
    ``begins[i]``, ``owner`` (n,) tells the question of each row.
    """

    table: "csr_array"
    is_none: Vector
    targets: Vector
    begins: Indices
    owner: Indices

    def part(self, kept: NDArray[np.bool_]) -> "_Task":
        """Return the questions that ``kept``, (questions,), tells to keep."""
        rows = kept[self.owner]
        sizes = np.bincount(self.owner)[kept]
        return _Task(
            table=self.table[np.flatnonzero(rows)],
            is_none=self.is_none[rows],
            targets=self.targets[rows],
            begins=np.cumsum(sizes) - sizes,
            owner=np.repeat(np.arange(len(sizes)), sizes),
        )


def _loss(point: Vector, task: _Task, strength: float) -> tuple[float, Vector]:
    """Return minus the log of the probability of what is right, with the penalty, and its gradient."""
    weights, none = point[:-1], point[-1]
    scores = task.table @ weights + none * task.is_none
    odds = np.exp(scores - np.maximum.reduceat(scores, task.begins)[task.owner])
    chances = odds / np.add.reduceat(odds, task.begins)[task.owner]
    wanted = task.targets * chances
    right = np.add.reduceat(wanted, task.begins) + _TINY
    drift = chances - wanted / right[task.owner]
    value = 0.5 * float(weights @ weights) / strength - float(np.log(right).sum())
    return value, np.append(weights / strength + task.table.T @ drift, drift @ task.is_none)


def _task(examples: Sequence[Example], names: Sequence[str]) -> _Task:
    from scipy.sparse import csr_array  # noqa: PLC0415  # heavy import, only when used

    column = {name: place for place, name in enumerate(names)}
    values: list[float] = []
    columns: list[int] = []
    ends = [0]
    targets: list[float] = []
    for example in examples:
        for candidate in example.candidates:
            features = {**candidate.source.features, **candidate.features}
            known = [name for name in features if name in column]
            values.extend(features[name] for name in known)
            columns.extend(column[name] for name in known)
            ends.append(len(values))
        ends.append(len(values))
        own = example.targets()
        targets.extend([*own.tolist(), 0.0 if own.any() else 1.0])
    sizes = np.array([len(example.candidates) + 1 for example in examples])
    last = np.cumsum(sizes) - 1
    is_none = np.zeros(len(targets))
    is_none[last] = 1.0
    return _Task(
        table=csr_array((values, columns, ends), shape=(len(targets), len(names))),
        is_none=is_none,
        targets=np.array(targets),
        begins=last - sizes + 1,
        owner=np.repeat(np.arange(len(examples)), sizes),
    )


def _names(examples: Sequence[Example]) -> list[str]:
    counts: Counter[str] = Counter()
    for example in examples:
        seen: set[str] = set()
        for candidate in example.candidates:
            seen.update(candidate.features)
            seen.update(candidate.source.features)
        counts.update(seen)
    return sorted(name for name, count in counts.items() if count >= _LEAST_QUESTIONS)


def out_of_fold(
    examples: Sequence[Example], folds: Sequence[int] | None = None, *, strength: float = STRENGTH
) -> list[Choice | None]:
    """Return the choice for each example by a model that saw no example of its fold; folds are eighths by default.

    The table of all examples is made once; features are counted over all of them.
    """
    own_folds = list(folds) if folds is not None else [place % _FOLDS for place in range(len(examples))]
    filled = [place for place, example in enumerate(examples) if example.candidates]
    names = _names([examples[place] for place in filled])
    task = _task([examples[place] for place in filled], names)
    fold_of = np.array([own_folds[place] for place in filled])
    choices: list[Choice | None] = [None] * len(examples)
    for fold in sorted(set(own_folds)):
        if (fold_of != fold).any():
            model = _solve(task.part(fold_of != fold), names, strength)
            for place in [place for place in filled if own_folds[place] == fold]:
                choices[place] = choose(model, examples[place].candidates)
    return choices
