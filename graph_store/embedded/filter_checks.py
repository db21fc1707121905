"""What is wrong with a filter, told by the documents that the caller may read and by no others."""

import sqlite3
from dataclasses import dataclass
from difflib import get_close_matches

from graph_store.embedded.access_sql import Scope, readable
from graph_store.errors import IncomparableValue, UnknownMetadataKey
from graph_store.filters import MetadataFilter, is_date
from graph_store.numbers import read_number

IS_DATE = "GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'"
"""The SQL that tells dates from other text."""

_EXACT = frozenset({"=", "!=", "in"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kinds:
    """Which kinds of values a key has."""

    number: bool
    date: bool
    text: bool

    def described(self) -> str:
        kinds = {"numbers": self.number, "dates such as 2023-05-01": self.date, "text": self.text}
        return " and ".join(name for name, held in kinds.items() if held)

    def comparable(self, value: str, *, exactly: bool) -> bool:
        number, date = read_number(value) is not None, is_date(value)
        if (self.number and number) or (self.date and date) or not (self.number or self.date or self.text):
            return True
        return self.text and (exactly or not (number or date))


def check_filter(connection: sqlite3.Connection, scope: Scope, condition: MetadataFilter) -> None:
    """Raise ``UnknownMetadataKey`` or ``IncomparableValue`` with a sentence that says how to mend the filter."""
    of_readable = (
        "FROM document_metadata AS m JOIN documents ON documents.row = m.document_row"
        f" WHERE m.tenant = :tenant AND {readable('documents')}"
    )
    found = connection.execute(
        f"SELECT max(m.number IS NOT NULL), max(m.number IS NULL AND ifnull(m.text, '') {IS_DATE}),"
        f" max(m.number IS NULL AND m.text IS NOT NULL AND NOT m.text {IS_DATE}) {of_readable} AND m.key = :key",
        {**scope.parameters, "key": condition.key},
    ).fetchone()
    if found[0] is None:
        keys = connection.execute(f"SELECT DISTINCT m.key {of_readable} ORDER BY m.key", scope.parameters)
        raise UnknownMetadataKey(_unknown_key_message(condition.key, [key for (key,) in keys]))
    kinds = _Kinds(number=bool(found[0]), date=bool(found[1]), text=bool(found[2]))
    for value in condition.values:
        value.encode("utf-8")  # what is no Unicode is told apart from a value of another kind
        if not kinds.comparable(value, exactly=condition.operator in _EXACT):
            raise IncomparableValue(
                f"cannot compare {condition.key!r} with {value!r}: the documents have {kinds.described()} there"
            )


def _unknown_key_message(key: str, known: list[str]) -> str:
    if not known:
        return f"no document has the metadata key {key!r}; the documents have no metadata at all"
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"no document has the metadata key {key!r}; {hint}known keys: {', '.join(known)}"
