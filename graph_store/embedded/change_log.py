"""The append-only log of changes and the sequences that tell what an index contains.

``data_sequence`` is the sequence of a tenant's last change of documents, ``derived_sequence`` that of its derived
layer. An index that has applied all changes up to one of them is current.
"""

import logging
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from graph_store.embedded.database import Database
from graph_store.errors import StoreUnusable
from graph_store.records import SearchKind

_log = logging.getLogger(__name__)

ChangeKind: TypeAlias = Literal["document", "chunk", "report", "tree_node", "generation"]
Operation: TypeAlias = Literal["put", "delete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequences:
    """The last changes of a tenant; 0 where there was none. ``fingerprint`` is None where the layer is stale."""

    data: int = 0
    derived: int = 0
    fingerprint: str | None = None

    def of(self, kind: SearchKind) -> int:
        """Return the sequence that an index of ``kind`` must have reached to be current."""
        return self.data if kind == "chunk" else self.derived


def read_sequences(connection: sqlite3.Connection, tenant: str) -> Sequences:
    """Return the last changes of a tenant."""
    found = connection.execute(
        "SELECT data_sequence, derived_sequence, fingerprint FROM tenants WHERE tenant = ?", (tenant,)
    ).fetchone()
    return Sequences() if found is None else Sequences(data=found[0], derived=found[1], fingerprint=found[2])


def log_changes(
    connection: sqlite3.Connection,
    tenant: str,
    *,
    kind: ChangeKind,
    operation: Operation,
    records: Iterable[tuple[str, int]],
) -> None:
    """Append one change per record (id, row number).

    The log has row numbers alone: the id of a document may be a file's name, which must not outlive the document.
    """
    connection.executemany(
        "INSERT INTO changes (tenant, kind, key, row, operation) VALUES (?, ?, '', ?, ?)",
        ((tenant, kind, row, operation) for _, row in records),
    )


def mark_data_changed(connection: sqlite3.Connection, tenant: str, *, documents: int) -> None:
    """Set the data sequence to the end of the log; the derived layer is stale by that many documents more."""
    connection.execute(
        "INSERT INTO tenants (tenant, data_sequence, changed_documents)"
        " VALUES (?, (SELECT max(sequence) FROM changes), ?) ON CONFLICT (tenant) DO UPDATE SET"
        " data_sequence = excluded.data_sequence, fingerprint = NULL,"
        " changed_documents = changed_documents + excluded.changed_documents",
        (tenant, documents),
    )


def forget_settings(connection: sqlite3.Connection, tenant: str) -> None:
    """Make the derived layer stale, and let nothing be repaired from it."""
    connection.execute("UPDATE tenants SET fingerprint = NULL, made_with = NULL WHERE tenant = ?", (tenant,))


def mark_derived_changed(connection: sqlite3.Connection, tenant: str) -> None:
    """Set the derived sequence to the end of the log."""
    connection.execute(
        "INSERT INTO tenants (tenant, derived_sequence) VALUES (?, (SELECT max(sequence) FROM changes))"
        " ON CONFLICT (tenant) DO UPDATE SET derived_sequence = excluded.derived_sequence",
        (tenant,),
    )


def changed_rows(connection: sqlite3.Connection, tenant: str, kind: SearchKind, *, after: int) -> Sequence[int]:
    """Return the row numbers of ``kind`` that changed after a sequence, ascending, without duplicates."""
    found = connection.execute(
        "SELECT DISTINCT row FROM changes WHERE sequence > ? AND tenant = ? AND kind = ? ORDER BY row",
        (after, tenant, kind),
    )
    return [row for (row,) in found]


def log_reaches_back(connection: sqlite3.Connection, tenant: str, *, after: int) -> bool:
    """Tell whether the log still has every change of a tenant after a sequence."""
    oldest = connection.execute("SELECT min(sequence) FROM changes WHERE tenant = ?", (tenant,)).fetchone()[0]
    return oldest is not None and oldest <= after


def prune_log(database: Database, tenant: str, *, upto: int, keep: int) -> None:
    """Drop changes that every index of the tenant has applied, once there are more than ``keep`` of them.

    The change at ``upto`` itself stays: ``log_reaches_back`` tells by the oldest change what is complete. What was
    written is acknowledged already, so a failure (a full disk, a locked database) is left to the next time.
    """
    try:
        with database.transaction() as connection:
            found = connection.execute("SELECT count(*) FROM changes WHERE tenant = ? AND sequence < ?", (tenant, upto))
            if found.fetchone()[0] > keep:
                connection.execute("DELETE FROM changes WHERE tenant = ? AND sequence < ?", (tenant, upto))
    except StoreUnusable as error:
        _log.warning("the log of changes was not shortened: %s", error)
