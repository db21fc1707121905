"""How well a system knows what the documents do not answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = 10
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a system said to one question: whether it abstained, and how strongly the documents supported an answer."""

    answerable: bool
    abstained: bool
    support: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstentionScores:
    """Shares of questions on which the system abstained, and the area under the ROC curve of its support.

    ``auroc`` is the chance that an answerable question has more support than an unanswerable one (ties count half),
    ``auroc_low`` to ``auroc_high`` its 95 % interval; ``reliability`` compares the support with the share that is
    answerable, ``calibration_error`` is how far these lie apart, ``brier`` the mean square of support less truth (0 or
    1; 0.25 is what a support of 0.5 throughout gets). None where there is no question of a kind.
    """

    answerable_abstained: float | None
    unanswerable_abstained: float | None
    auroc: float | None
    auroc_low: float | None
    auroc_high: float | None
    calibration_error: float | None
    brier: float | None
    reliability: tuple["ReliabilityBin", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Questions whose support lies from ``low`` to ``high``: how many, what they were given, what came true.

    Of a calibrated score ``mean_support`` equals ``share_answerable``; both are None where no question lies there.
    """

    low: float
    high: float
    n: int
    mean_support: float | None
    share_answerable: float | None


def score_abstention(verdicts: Sequence[Verdict]) -> AbstentionScores:
    """Summarise verdicts over questions whose gold is known."""
    answerable = [verdict for verdict in verdicts if verdict.answerable]
    unanswerable = [verdict for verdict in verdicts if not verdict.answerable]
    table = reliability_table(verdicts)
    auroc = area_under_roc([v.support for v in answerable], [v.support for v in unanswerable])
    low, high = (None, None) if auroc is None else area_interval(auroc, len(answerable), len(unanswerable))
    return AbstentionScores(
        answerable_abstained=_share(answerable),
        unanswerable_abstained=_share(unanswerable),
        auroc=auroc,
        auroc_low=low,
        auroc_high=high,
        calibration_error=calibration_error(table),
        brier=brier_score(verdicts),
        reliability=table,
    )


def reliability_table(verdicts: Sequence[Verdict]) -> tuple[ReliabilityBin, ...]:
    """Return ``BINS`` bins of equal width over 0 to 1; a support on a border counts in the upper one, 1 in the last."""
    binned: list[list[Verdict]] = [[] for _ in range(BINS)]
    for verdict in verdicts:
        binned[min(max(int(verdict.support * BINS), 0), BINS - 1)].append(verdict)
    return tuple(
        ReliabilityBin(
            low=place / BINS,
            high=(place + 1) / BINS,
            n=len(inside),
            mean_support=sum(verdict.support for verdict in inside) / len(inside) if inside else None,
            share_answerable=sum(verdict.answerable for verdict in inside) / len(inside) if inside else None,
        )
        for place, inside in enumerate(binned)
    )


def calibration_error(table: Sequence[ReliabilityBin]) -> float | None:
    """Return how far support and truth lie apart, over the bins by their questions; None where there is no question."""
    total = sum(row.n for row in table)
    apart = (
        row.n * abs(row.mean_support - row.share_answerable)
        for row in table
        if row.mean_support is not None and row.share_answerable is not None
    )
    return sum(apart) / total if total else None


def brier_score(verdicts: Sequence[Verdict]) -> float | None:
    """Return the mean square of support less truth (Brier, 1950); None where there is no question."""
    squares = [(verdict.support - verdict.answerable) ** 2 for verdict in verdicts]
    return sum(squares) / len(squares) if squares else None


def _share(verdicts: Sequence[Verdict]) -> float | None:
    return sum(verdict.abstained for verdict in verdicts) / len(verdicts) if verdicts else None


def area_under_roc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Return the share of pairs in which the positive score is the higher one, ties as half (Mann and Whitney, 1947).

    None where either is empty. O((p + n) log n).
    """
    if not positive or not negative:
        return None
    ordered = np.sort(np.asarray(negative, dtype=np.float64))
    below = np.searchsorted(ordered, positive, side="left")
    not_above = np.searchsorted(ordered, positive, side="right")
    return float((below + not_above).sum() / (2.0 * len(positive) * len(negative)))


def area_interval(area: float, positives: int, negatives: int) -> tuple[float, float]:
    """Return the 95 % interval of an area under the ROC curve (Hanley and McNeil, Radiology 1982), within 0 to 1."""
    above_two = area / (2.0 - area) - area**2
    two_above = 2.0 * area**2 / (1.0 + area) - area**2
    variance = area * (1.0 - area) + (positives - 1) * above_two + (negatives - 1) * two_above
    spread = _NORMAL_95 * math.sqrt(max(0.0, variance) / (positives * negatives))
    return max(0.0, area - spread), min(1.0, area + spread)
