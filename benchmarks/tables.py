"""Cells of the tables that benchmarks print."""

from belvedere.evaluation.intervals import Estimate


def told(estimate: Estimate, *, sign: str = "") -> str:
    """Return a mean with its 95 % interval in points of 100; there must be one question at least."""
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    value, low, high = (100.0 * number for number in (estimate.value, estimate.low, estimate.high))
    return f"{value:{sign}.1f} [{low:{sign}.1f} {high:{sign}.1f}]"
