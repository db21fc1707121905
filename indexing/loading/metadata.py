"""Flat, typed metadata from what YAML or JSON holds."""

import math
from collections.abc import Mapping
from datetime import date

from graph_store.records import MetadataValue
from indexing.cleaning import clean_line, clean_text

_LARGEST_STORED = 2**63 - 1  # SQLite integers have 64 bits; larger ones are kept as text


def flat_metadata(fields: Mapping[object, object]) -> dict[str, MetadataValue]:
    """Return the scalar and list fields of ``fields`` with text keys, cleaned, in the order given.

    Dates become ISO 8601 text; lists keep their scalar items as text; mappings within, nulls, NaN, infinities and
    empty keys or texts are left out.
    """
    flat: dict[str, MetadataValue] = {}
    for key, value in fields.items():
        name = clean_line(str(key)) if isinstance(key, str | int) else ""
        kept = _kept(value)
        if name and kept is not None:
            flat[name] = kept
    return flat


def _kept(value: object) -> MetadataValue | None:
    if isinstance(value, list | tuple):
        items = tuple(_as_text(item) for item in value if _scalar(item) is not None)
        return items or None
    return _scalar(value)


def _scalar(value: object) -> str | int | float | bool | None:
    match value:
        case bool():
            return value
        case int():
            return value if abs(value) <= _LARGEST_STORED else hex(value)
        case float():
            return value if math.isfinite(value) else None
        case str():
            return clean_text(value).strip() or None
        case date():  # a datetime is a date too
            return value.isoformat()
        case _:
            return None


def _as_text(item: object) -> str:
    kept = _scalar(item)
    return str(kept).lower() if isinstance(kept, bool) else str(kept)
