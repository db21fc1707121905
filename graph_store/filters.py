"""Filters on document metadata, such as ``year>=2020``."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

FilterOperator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]

_FILTER = re.compile(r"^\s*(?P<key>[^\s<>=!]+)\s*(?P<operator>!=|<=|>=|=|<|>)\s*(?P<value>.*?)\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFilter:
    """One condition on a document's metadata.

    Where both the stored value and ``value`` are numbers they are compared as numbers, else as text (ISO dates sort as
    text). On a list value ``=`` means "contains" and ``!=`` "does not contain". A document without the key passes only
    ``!=``.
    """

    key: str
    operator: FilterOperator
    value: str


Filters: TypeAlias = tuple[MetadataFilter, ...]


def parse_filter(text: str) -> MetadataFilter:
    """Read ``key=value`` (also ``!=  <  <=  >  >=``); raise ValueError with a sentence for anything else."""
    found = _FILTER.match(text)
    if found is None:
        raise ValueError(f"cannot read the filter {text!r}: write key=value, or one of != < <= > >= for =")
    operator = found["operator"]
    assert operator in {"=", "!=", "<", "<=", ">", ">="}
    return MetadataFilter(key=found["key"], operator=operator, value=found["value"])  # type: ignore[arg-type]  # the regular expression allows nothing else
