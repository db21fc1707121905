"""How figures of an evaluation are written, in text and in HTML alike."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from belvedere.evaluation.intervals import Estimate

NONE = "-"


def shown_number(value: float | None) -> str:
    """Return a value."""
    return NONE if value is None else f"{value:.3f}"


def shown_difference(value: float | None) -> str:
    """Return a value with its sign."""
    return NONE if value is None else f"{value:+.3f}"


def shown_interval(estimate: "Estimate") -> str:
    """Return the interval of an estimate, "" where it has none."""
    return "" if estimate.low is None or estimate.high is None else f"[{estimate.low:.2f}, {estimate.high:.2f}]"


def shown_chance(p: float | None) -> str:
    """Return a p value."""
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


_HEADS = {"contains": "text contains", "right": "claim or text", "claimed_right": "claim right"}


def shown_measure(name: str) -> str:
    """Return what a measure of answers is called above a column, which says what is compared; others by their name."""
    bare = name.removeprefix("answers.")
    return _HEADS.get(bare, bare)


def shown_name(name: str) -> str:
    """Return the name of a class of failures as words."""
    return name.replace("_", " ")
