"""Rows by the group they belong to."""

import numpy as np

from raptor.audience import IntVector


def rows_by_group(groups: IntVector) -> dict[int, IntVector]:
    """Return the rows of each group number, groups and rows ascending. O(n log n)."""
    order = np.argsort(groups, kind="stable")
    numbers, starts = np.unique(groups[order], return_index=True)
    parts = np.split(order, starts[1:]) if len(numbers) else []
    return dict(zip(numbers.tolist(), parts, strict=True))
