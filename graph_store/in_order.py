"""Answers in the order of what was asked for."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

_Record = TypeVar("_Record")


def in_order(wanted: Iterable[str], found: Mapping[str, _Record]) -> tuple[_Record, ...]:
    """Return the found records in the order asked, once each."""
    return tuple(found[key] for key in dict.fromkeys(wanted) if key in found)
