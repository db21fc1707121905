"""Conditions on the documents of a search: on their metadata, such as ``year>=2020``, and on their versions."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

FilterOperator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "in"]

_FILTER = re.compile(
    r"^\s*(?P<key>[^\s<>=!]+)(?:\s*(?P<sign>!=|<=|>=|=|<|>)|\s+(?P<word>in)\s)\s*(?P<value>.*?)\s*$", re.DOTALL
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ].*)?)?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFilter:
    """One condition on a document's metadata.

    Numbers are compared with numbers, and dates (ISO 8601) with a year, a month or a day, as precisely as ``value`` is
    written: ``date<=2020`` holds on every day of 2020. Other text is compared as text, letter by letter. Only ``=``,
    ``!=`` and ``in`` compare a number with text, as it is written; a value that no document's can be compared with is
    an error. On a list value ``=`` means "contains" and ``!=`` "does not contain". ``in`` is ``=`` one of several
    values, separated by commas. A document without the key passes only ``!=``.
    """

    key: str
    operator: FilterOperator
    value: str

    @property
    def values(self) -> tuple[str, ...]:
        """What a document's value is compared with: several values with ``in``, else one."""
        if self.operator != "in":
            return (self.value,)
        return tuple(dict.fromkeys(value.strip() for value in self.value.split(",")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Which versions of documents count: by default the current ones, those that no other document supersedes.

    A document supersedes those whose ids its metadata ``supersedes`` names, for callers who may read it; documents that
    supersede each other in a circle hide nothing of it. With ``as_of``, a day as YYYY-MM-DD, only documents count that
    are effective on it (``effective_from`` to ``effective_to``, both included, either may be open), and only those
    supersede. ``all_versions`` hides none because of another. Raises ValueError for what is no day.
    """

    as_of: str | None = None
    all_versions: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no day."""
        if self.as_of is not None:
            check_day(self.as_of)


CURRENT = Versions()
"""The current versions, whatever their time."""

Filters: TypeAlias = tuple[MetadataFilter | Versions, ...]


def check_day(text: str) -> None:
    """Raise ValueError with a sentence where ``text`` is no day of the calendar, written YYYY-MM-DD."""
    try:
        is_day = _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        is_day = False
    if not is_day:
        raise ValueError(f"{text!r} is no day: write YYYY-MM-DD, such as 2023-05-01")


def is_date(text: str) -> bool:
    """Tell whether ``text`` is a year, a month, a day or a time in ISO 8601, such as 2023, 2023-05 or 2023-05-01."""
    if _DATE.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(f"{text[:10]}{'-01-01'[len(text[:10]) - 4 :]}")
    except ValueError:
        return False
    return True


def parse_filter(text: str) -> MetadataFilter:
    """Read ``key=value`` (also ``!=  <  <=  >  >=``) or ``key in value,value``; raise ValueError with a sentence for
    anything else.
    """
    found = _FILTER.match(text)
    if found is None or (found["word"] and not found["value"]):
        raise ValueError(
            f"cannot read the filter {text!r}: write key=value, or one of != < <= > >= for =, or 'key in value,value'"
        )
    operator = found["sign"] or found["word"]
    assert operator in {"=", "!=", "<", "<=", ">", ">=", "in"}
    return MetadataFilter(key=found["key"], operator=operator, value=found["value"])  # type: ignore[arg-type]  # the regular expression allows nothing else
