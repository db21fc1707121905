"""Whether two systems differ on the same questions, or might have differed so by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from belvedere.evaluation.intervals import Estimate, complete_parts, estimate_means
from belvedere.evaluation.systems import SECOND

PERMUTATIONS = 9_999
_AT_ONCE = 1_000  # sign vectors drawn together: bounds the memory, (1000, n) signs


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The mean difference of one measure with its interval, and how often chance alone makes one as large.

    ``p`` is two-sided; ``p_holm`` is corrected for the number of measures compared. Both are None where there was no
    question.
    """

    estimate: Estimate
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """``system`` minus ``against``, measure by measure, over the questions that both were scored on."""

    system: str
    against: str
    measures: Mapping[str, Difference]


def baseline(systems: Sequence[str]) -> str:
    """Return the system that the others are compared with: ``local`` where it is among them, else the first."""
    return "local" if "local" in systems else systems[0]


def compare_systems(
    scored: Mapping[str, Sequence[Mapping[str, float]]], measures: Sequence[str], *, seed: int
) -> tuple[Comparison, ...]:
    """Compare every system with the ``baseline``, and one with a second model's vectors with the same of the first.

    Each has one row of measures per question, in the same order. A measure is compared over the questions whose rows
    have it.
    """
    pairs = [(system, _counterpart(system, tuple(scored))) for system in scored]
    return tuple(
        Comparison(
            system=system, against=against, measures=compare_rows(scored[system], scored[against], measures, seed=seed)
        )
        for system, against in pairs
        if system != against
    )


def _counterpart(system: str, systems: Sequence[str]) -> str:
    first = system.removesuffix(SECOND)
    return first if first != system else baseline(systems)


def compare_rows(
    rows: Sequence[Mapping[str, float]],
    against: Sequence[Mapping[str, float]],
    measures: Sequence[str],
    *,
    seed: int,
) -> dict[str, Difference]:
    """Compare rows of measures with those of the same questions in the same order; see ``compare_paired``."""
    ours, theirs = (
        np.array([[row.get(name, np.nan) for name in measures] for row in table], dtype=np.float64)
        for table in (rows, against)
    )
    return dict(zip(measures, compare_paired(ours - theirs, columns=len(measures), seed=seed), strict=True))


def compare_paired(differences: NDArray[np.float64], *, columns: int, seed: int) -> list[Difference]:
    """Return one difference per column of ``differences`` ((questions, columns); (0,) where there is no question).

    A column is compared over the rows in which it is a number.

    The interval is that of the paired bootstrap: whole questions are drawn again. ``p`` is the share of sign changes
    that leave a mean difference as large (see ``randomisation_p``), corrected over the columns by Holm.
    """
    table = differences.reshape(len(differences), columns)
    estimates = estimate_means(table, seed=seed)
    values = {
        column: p
        for places, complete in complete_parts(table)
        for column, p in zip(places, randomisation_p(complete, seed=seed), strict=True)
    }
    corrected = dict(zip(values, holm(list(values.values())), strict=True))
    return [
        Difference(estimate=estimate, p=values.get(column), p_holm=corrected.get(column))
        for column, estimate in enumerate(estimates)
    ]


def randomisation_p(differences: NDArray[np.float64], *, seed: int) -> list[float]:
    """Return the two-sided p of each column's mean by Fisher's randomisation test for pairs.

    If the systems were alike, the sign of each question's difference would be a toss of a coin: ``PERMUTATIONS`` seeded
    tosses for all questions, the same for all columns, as one product of matrices each, O(PERMUTATIONS x questions x
    columns); scipy's ``permutation_test`` takes thirty times as long for the same values. The outcome itself is counted
    among the tosses, so p is never 0 (Phipson and Smyth, 2010). Differences that rounding alone makes count as equal.
    """
    random = np.random.default_rng(seed)
    observed = np.abs(differences.sum(axis=0))
    nearly = observed - 1e-9 * np.maximum(observed, 1.0)
    reached = np.zeros(differences.shape[1], dtype=np.int64)
    for start in range(0, PERMUTATIONS, _AT_ONCE):
        tosses = min(_AT_ONCE, PERMUTATIONS - start)
        signs = random.integers(0, 2, size=(tosses, len(differences)), dtype=np.int8) * 2.0 - 1.0
        reached += (np.abs(signs @ differences) >= nearly).sum(axis=0)
    return [(int(count) + 1) / (PERMUTATIONS + 1) for count in reached]


def holm(values: Sequence[float]) -> list[float]:
    """Correct p values for their number, step by step from the smallest (Holm, 1979), in the order given."""
    corrected = [0.0] * len(values)
    largest = 0.0
    for step, place in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
        largest = max(largest, min(1.0, (len(values) - step) * values[place]))
        corrected[place] = largest
    return corrected
