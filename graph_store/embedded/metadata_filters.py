"""Typed document metadata, and filters on it."""

import math
import re
import sqlite3
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TypeAlias

from graph_store.embedded.access_sql import Scope, readable
from graph_store.errors import UnknownMetadataKey
from graph_store.filters import FilterOperator, Filters, MetadataFilter
from graph_store.records import Metadata, MetadataValue

_MetadataRow: TypeAlias = tuple[str, str, int, int, int | float | None, str | None]

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
# Longer ones do not fit into 64 bits; as floats they may be infinite, which compares as it should.
_SHORT_INTEGER = re.compile(r"[+-]?\d{1,19}")
_LARGEST_INTEGER = 2**63 - 1
_SQL_OPERATOR: dict[FilterOperator, str] = {"=": "=", "!=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def metadata_rows(tenant: str, document_row: int, metadata: Metadata) -> Iterator[_MetadataRow]:
    """Yield one row per value: a list gives one per element, an empty list one that equals nothing."""
    for key, value in metadata.items():
        if isinstance(value, tuple):
            elements: tuple[str, ...] = value
            yield from ((tenant, key, document_row, place, None, text) for place, text in enumerate(elements))
            if not elements:
                yield tenant, key, document_row, 0, None, None
        else:
            yield tenant, key, document_row, 0, _as_number(value), _as_text(value)


def _as_number(value: MetadataValue) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return _storable(value)


def _storable(number: int | float) -> int | float:
    """SQLite keeps integers of 64 bits; larger ones are compared as floats."""
    return float(number) if abs(number) > _LARGEST_INTEGER else number


def _as_text(value: MetadataValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read_number(text: str) -> int | float | None:
    if _SHORT_INTEGER.fullmatch(text):
        return _storable(int(text))
    return float(text) if _NUMBER.fullmatch(text) else None


def passing_documents(connection: sqlite3.Connection, scope: Scope, filters: Filters) -> list[tuple[int, str]]:
    """Return (row number, id) of the readable documents that pass all filters, ordered by id.

    Raises ``UnknownMetadataKey`` for a key that no readable document has, so a caller cannot learn of others' keys.
    """
    _check_keys(connection, scope, filters)
    conditions = [readable("documents")]
    parameters: dict[str, str | int | float | None] = dict(scope.parameters)
    for index, condition in enumerate(filters):
        conditions.append(_condition(condition, index))
        parameters |= {f"key{index}": condition.key, f"text{index}": condition.value}
        parameters[f"number{index}"] = _read_number(condition.value)
    return connection.execute(
        f"SELECT row, id FROM documents WHERE tenant = :tenant AND {' AND '.join(conditions)} ORDER BY id", parameters
    ).fetchall()


def _condition(condition: MetadataFilter, index: int) -> str:
    """Return the SQL of one filter; only the operator, one of six, comes from it as text."""
    operator = _SQL_OPERATOR[condition.operator]
    negation = "NOT " if condition.operator == "!=" else ""
    return (
        f"{negation}EXISTS (SELECT 1 FROM document_metadata AS m WHERE m.tenant = :tenant AND m.key = :key{index}"
        " AND m.document_row = documents.row AND"
        f" CASE WHEN m.number IS NOT NULL AND :number{index} IS NOT NULL"
        f" THEN m.number {operator} :number{index} ELSE m.text {operator} :text{index} END)"
    )


def _check_keys(connection: sqlite3.Connection, scope: Scope, filters: Filters) -> None:
    of_readable = (
        "FROM document_metadata AS m JOIN documents ON documents.row = m.document_row"
        f" WHERE m.tenant = :tenant AND {readable('documents')}"
    )
    for condition in filters:
        parameters = {**scope.parameters, "key": condition.key}
        known = connection.execute(f"SELECT 1 {of_readable} AND m.key = :key LIMIT 1", parameters).fetchone()
        if known is None:
            keys = connection.execute(f"SELECT DISTINCT m.key {of_readable} ORDER BY m.key", scope.parameters)
            raise UnknownMetadataKey(_unknown_key_message(condition.key, [key for (key,) in keys]))


def _unknown_key_message(key: str, known: list[str]) -> str:
    if not known:
        return f"no document has the metadata key {key!r}; the documents have no metadata at all"
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"no document has the metadata key {key!r}; {hint}known keys: {', '.join(known)}"
