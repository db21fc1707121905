"""What is wrong with a filter, told by the documents that the caller may read and by no others."""

import sqlite3

from graph_store.embedded.access_sql import Scope, readable
from graph_store.filter_mistakes import Kinds, check_values, unknown_key
from graph_store.filters import MetadataFilter

IS_DATE = "GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'"
"""The SQL that tells dates from other text."""


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
        raise unknown_key(condition.key, [key for (key,) in keys])
    check_values(condition, Kinds(number=bool(found[0]), date=bool(found[1]), text=bool(found[2])))
