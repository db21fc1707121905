"""Means with confidence intervals, by a seeded bootstrap over questions."""

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
    """Return one estimate per column of ``values`` ((questions, measures)).

    Percentile bootstrap (Efron, 1979): the questions are drawn again with replacement ``RESAMPLES`` times, the same
    draws for every column; the interval holds the middle 95 % of the means. O(RESAMPLES x questions x measures).
    """
    n, columns = values.shape
    if n == 0:
        return [Estimate(value=None, low=None, high=None, n=0) for _ in range(columns)]
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
