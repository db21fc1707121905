"""Which documents hold at a time, and which are superseded by others, as far as a caller may know."""

import json
import sqlite3
from collections import defaultdict

from graph_store.embedded.access_sql import Scope, readable
from graph_store.version_circles import SUPERSEDES, find_circles


def effective(as_of: str | None, parameter: str) -> str:
    """Return the SQL condition that documents hold on the day that ``parameter`` is bound to; all do where it is None.

    Dates compare as text as far as they are written: one that ends with "2023" holds to the last day of that year.
    """
    if as_of is None:
        return "1"
    first, last = (f"substr(documents.effective_{end}, 1, 10)" for end in ("from", "to"))
    return f"(ifnull({first} <= :{parameter}, 1) AND ifnull({last} >= substr(:{parameter}, 1, length({last})), 1))"


def superseded_rows(connection: sqlite3.Connection, scope: Scope, as_of: str | None) -> set[int]:
    """Return the rows of readable documents that another readable one, effective on the day, supersedes.

    Documents that supersede each other in a circle, or themselves, do not hide each other.
    """
    found = connection.execute(
        "SELECT m.document_row, older.row FROM document_metadata AS m"
        " JOIN documents ON documents.row = m.document_row"
        " JOIN documents AS older ON older.tenant = m.tenant AND older.id = m.text"
        f" WHERE m.tenant = :tenant AND m.key = :supersedes AND {readable('documents')} AND {readable('older')}"
        f" AND {effective(as_of, 'as_of')}",
        {**scope.parameters, "as_of": as_of, "supersedes": SUPERSEDES},
    ).fetchall()
    older: defaultdict[int, set[int]] = defaultdict(set)
    for newer, row in found:
        older[newer].add(row)
    circles = find_circles(older)
    return {row for newer, rows in older.items() for row in rows if circles[newer] != circles[row]}


def superseded_ids(connection: sqlite3.Connection, scope: Scope) -> list[str]:
    """Return the ids of readable documents that another readable one supersedes, whatever the time."""
    rows = json.dumps(sorted(superseded_rows(connection, scope, None)))
    found = connection.execute("SELECT id FROM documents WHERE row IN (SELECT value FROM json_each(?))", (rows,))
    return [document_id for (document_id,) in found]
