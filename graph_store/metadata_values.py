"""Metadata values as filters compare them."""

import math
from typing import TypeAlias

from graph_store.numbers import storable_number
from graph_store.records import MetadataValue

ComparableValue: TypeAlias = tuple[int | float | None, str | None]
"""The number that a value is, None where it is none; and the value as text."""


def comparable_values(value: MetadataValue) -> list[ComparableValue]:
    """Return what a filter looks at: one value, one per element of a list, and one that equals nothing for none."""
    if isinstance(value, tuple):
        return [(None, text) for text in value] or [(None, None)]
    return [(_as_number(value), _as_text(value))]


def _as_number(value: str | int | float) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return storable_number(value)


def _as_text(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
