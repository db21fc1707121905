"""Means with confidence intervals, by a seeded bootstrap over questions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000
_ROWS_AT_ONCE = 200  # resamples drawn together: bounds the memory, (200, n) counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over ``n`` questions with its 95 % interval; no numbers where there was no question."""

    value: float | None
    low: float | None
    high: float | None
    n: int


def estimate_means(values: NDArray[np.float64], *, seed: int) -> list[Estimate]:
    """Return one estimate per column of ``values`` ((questions, measures)), over the rows in which it is a number.

    Percentile bootstrap (Efron, 1979): the questions are drawn again with replacement ``RESAMPLES`` times, the same
    draws for every column; the interval holds the middle 95 % of the means. O(RESAMPLES x questions x measures).
    """
    found = [Estimate(value=None, low=None, high=None, n=0)] * values.shape[1]
    for columns, complete in complete_parts(values):
        for column, estimate in zip(columns, _estimate(complete, seed=seed), strict=True):
            found[column] = estimate
    return found


def complete_parts(values: NDArray[np.float64]) -> Iterator[tuple[list[int], NDArray[np.float64]]]:
    """Yield columns that are numbers in the same rows, with these rows of them; one without any number is left out.

    NaN says that a question has no such value.
    """
    told = ~np.isnan(values)
    columns_of: dict[bytes, list[int]] = {}
    for column in np.flatnonzero(told.any(axis=0)).tolist():
        columns_of.setdefault(told[:, column].tobytes(), []).append(column)
    for columns in columns_of.values():
        yield columns, values[told[:, columns[0]]][:, columns]


def _estimate(values: NDArray[np.float64], *, seed: int) -> list[Estimate]:
    n = len(values)
    random = np.random.default_rng(seed)
    shares = np.full(n, 1.0 / n)
    means = np.concatenate(
        [random.multinomial(n, shares, size=_ROWS_AT_ONCE) @ values / n for _ in range(RESAMPLES // _ROWS_AT_ONCE)]
    )
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    return [
        Estimate(value=float(mean), low=float(low[column]), high=float(high[column]), n=n)
        for column, mean in enumerate(values.mean(axis=0))
    ]
