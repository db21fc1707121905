"""Typed document metadata, and which documents pass the conditions of a search."""

import sqlite3
from collections.abc import Iterator
from typing import TypeAlias

from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.document_versions import effective, superseded_rows
from graph_store.embedded.filter_checks import IS_DATE, check_filter
from graph_store.filter_mistakes import EXACT, check_count
from graph_store.filters import FilterOperator, Filters, MetadataFilter, Versions, is_date
from graph_store.metadata_values import comparable_values
from graph_store.numbers import read_number
from graph_store.records import Metadata

_MetadataRow: TypeAlias = tuple[str, str, int, int, int | float | None, str | None]
_Parameter: TypeAlias = str | int | float | None


def metadata_rows(tenant: str, document_row: int, metadata: Metadata) -> Iterator[_MetadataRow]:
    """Yield one row per value: a list gives one per element, an empty list one that equals nothing."""
    for key, value in metadata.items():
        for place, (number, text) in enumerate(comparable_values(value)):
            yield tenant, key, document_row, place, number, text


def passing_documents(connection: sqlite3.Connection, scope: Scope, filters: Filters) -> list[tuple[int, str]]:
    """Return (row number, id) of the readable documents that pass all filters, ordered by id.

    Raises ``TooManyConditions``, ``UnknownMetadataKey`` for a key that no readable document has, so a caller cannot
    learn of others' keys, and ``IncomparableValue`` for a value that no readable one has can be compared with.
    """
    check_count(filters)
    conditions = [readable("documents")]
    parameters: dict[str, _Parameter] = dict(scope.parameters)
    hidden: set[int] = set()
    for index, condition in enumerate(filters):
        if isinstance(condition, Versions):
            conditions.append(effective(condition.as_of, f"day{index}"))
            parameters[f"day{index}"] = condition.as_of
            hidden |= set() if condition.all_versions else superseded_rows(connection, scope, condition.as_of)
        else:
            check_filter(connection, scope, condition)
            conditions.append(_condition(condition, index))
            parameters |= _parameters(condition, index)
    found = connection.execute(
        f"SELECT row, id FROM documents WHERE tenant = :tenant AND {' AND '.join(conditions)} ORDER BY id", parameters
    )
    return [(row, document_id) for row, document_id in found if row not in hidden]


def _parameters(condition: MetadataFilter, index: int) -> dict[str, _Parameter]:
    parameters: dict[str, _Parameter] = {f"key{index}": condition.key}
    for place, value in enumerate(condition.values):
        parameters[f"text{index}_{place}"] = value
        parameters[f"number{index}_{place}"] = read_number(value)
        parameters[f"date{index}_{place}"] = value if is_date(value) else None
    return parameters


def _condition(condition: MetadataFilter, index: int) -> str:
    """Return the SQL of one filter; only the operator, one of six, comes from it as text."""
    negation = "NOT " if condition.operator == "!=" else ""
    holds = _equal(condition, index) if condition.operator in EXACT else _ordered(condition.operator, f"{index}_0")
    return (
        f"{negation}EXISTS (SELECT 1 FROM document_metadata AS m WHERE m.tenant = :tenant AND m.key = :key{index}"
        f" AND m.document_row = documents.row AND ({holds}))"
    )


def _equal(condition: MetadataFilter, index: int) -> str:
    """Return the SQL that finds a stored value among those of a filter: as number, as date as far as that is written,
    as text. Values of one text are one number and one date, too, so one way of being equal is enough.

    Lists, and no chain of conditions: SQLite allows expressions of a depth of 1,000.
    """
    places = [f"{index}_{place}" for place in range(len(condition.values))]
    numbers, texts = (", ".join(f":{name}{place}" for place in places) for name in ("number", "text"))
    dates = ", ".join(f"(:date{place})" for place in places)
    return (
        f"m.number IN ({numbers}) OR m.text IN ({texts}) OR (m.text {IS_DATE}"
        f" AND EXISTS (SELECT 1 FROM (VALUES {dates}) WHERE substr(m.text, 1, length(column1)) = column1))"
    )


def _ordered(operator: FilterOperator, place: str) -> str:
    """Return the SQL that compares a stored value with one of its kind: number, date as far as it is written, text."""
    return (
        f"CASE WHEN m.number IS NOT NULL AND :number{place} IS NOT NULL THEN m.number {operator} :number{place}"
        f" WHEN m.text {IS_DATE} AND :date{place} IS NOT NULL"
        f" THEN substr(m.text, 1, length(:date{place})) {operator} :date{place}"
        f" ELSE NOT m.text {IS_DATE} AND m.number IS NULL AND :number{place} IS NULL AND :date{place} IS NULL"
        f" AND m.text {operator} :text{place} END"
    )
