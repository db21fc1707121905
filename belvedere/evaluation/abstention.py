"""How well a system knows what the documents do not answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a system said to one question: whether it abstained, and how strongly the documents supported an answer."""

    answerable: bool
    abstained: bool
    support: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstentionScores:
    """Shares of questions on which the system abstained, and the area under the ROC curve of its support.

    ``auroc`` is the chance that an answerable question has more support than an unanswerable one (ties count half).
    None where there is no question of a kind.
    """

    answerable_abstained: float | None
    unanswerable_abstained: float | None
    auroc: float | None


def score_abstention(verdicts: Sequence[Verdict]) -> AbstentionScores:
    """Summarise verdicts over questions whose gold is known."""
    answerable = [verdict for verdict in verdicts if verdict.answerable]
    unanswerable = [verdict for verdict in verdicts if not verdict.answerable]
    return AbstentionScores(
        answerable_abstained=_share(answerable),
        unanswerable_abstained=_share(unanswerable),
        auroc=area_under_roc([v.support for v in answerable], [v.support for v in unanswerable]),
    )


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
