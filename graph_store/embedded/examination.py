"""Looking over an embedded store without changing anything: each finding comes with its remedy."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.copying import read_mark
from graph_store.embedded.counting import read_tenants
from graph_store.embedded.database import Database
from graph_store.embedded.index_agreement import IndexAgreement, compare_indexes
from graph_store.embedded.schema import SCHEMA_VERSION
from graph_store.embedded.spare_space import count_unfilled, read_spare
from graph_store.embedded.store_files import open_for_reading, read_state
from graph_store.embedded.writer_lock import active_writer
from graph_store.errors import StoreError, StoreMissing
from graph_store.findings import Finding, Level, second_space_finding, unfinished_copy_finding
from graph_store.settings import StoreSettings
from graph_store.spaces import VectorSpace

_NAMES = {"chunk": "chunks", "report": "reports", "tree_node": "tree nodes"}
_RUN_INDEX = "run `belvedere index` on the sources: it brings the indexes up to date"
_INDEX_AGAIN = "restore a backup, or index again into another folder"


def examine_store(folder: Path, settings: StoreSettings) -> tuple[Finding, ...]:
    """Look over the store in ``folder``. Raises ``StoreMissing`` where there is none.

    A writer may be at work meanwhile: what it has not finished is told as a note.
    """
    try:
        database = open_for_reading(folder, settings, read_only=True)
        try:
            state = read_state(folder, database)
            return (*_examine_folder(folder), *_examine_content(folder, database, state, settings))
        finally:
            database.close()
    except StoreMissing:
        raise
    except StoreError as error:
        says, _, remedy = str(error).rpartition(": ")
        return (*_examine_folder(folder), Finding(check="database", level="problem", says=says, remedy=remedy))


def _examine_folder(folder: Path) -> Iterator[Finding]:
    try:
        writer = active_writer(folder)
    except OSError as error:
        says = f"the lock of the store cannot be read ({error.strerror})"
        yield Finding(check="lock", level="problem", says=says, remedy="check the permissions of the store's files")
        return
    if writer is None:
        yield Finding(check="lock", level="fine", says="nobody writes to the store")
    else:
        yield Finding(
            check="lock",
            level="note",
            says=f"process {writer} is writing to the store",
            remedy="wait until it is done before another run; reading works meanwhile",
        )
    if not os.access(folder, os.W_OK):
        yield Finding(
            check="permissions",
            level="note",
            says="the folder of the store cannot be written by this user, who can only read",
            remedy="change the permissions of the folder if you want to index from here",
        )


def _examine_content(
    folder: Path, database: Database, state: VectorSpace, settings: StoreSettings
) -> Iterator[Finding]:
    with database.snapshot() as connection:
        yield _format_finding(connection)
        broken = _database_faults(connection)
        yield from broken
        if broken:
            return
        yield from _second_space_findings(connection)
        note = read_mark(connection)
        if note is not None:
            yield unfinished_copy_finding(note)
        for tenant in read_tenants(connection):
            at_work = active_writer(folder) is not None
            yield from _index_findings(connection, folder, tenant, state, settings)
            yield _derived_finding(connection, tenant, at_work)


def _format_finding(connection: sqlite3.Connection) -> Finding:
    version = connection.execute("SELECT schema_version FROM store_state").fetchone()[0]
    if version == SCHEMA_VERSION:
        return Finding(check="format", level="fine", says=f"the store has format {version}, as this version does")
    return Finding(
        check="format",
        level="note",
        says=f"the store has format {version}, which is read as it is; this version writes format {SCHEMA_VERSION}",
        remedy="nothing: the next `belvedere index` brings it up to date, and older versions cannot read it after that",
    )


def _second_space_findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Tell of a second vector space, whichever its state: it takes room, and nobody searches it."""
    spare = read_spare(connection)
    if spare is None:
        return
    yield second_space_finding(spare, lacking=sum(count_unfilled(connection).values()))


def _database_faults(connection: sqlite3.Connection) -> list[Finding]:
    """Return what SQLite's own check and the rules between the tables find."""
    try:
        told = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchone() if told == "ok" else None
    except sqlite3.DatabaseError as error:
        told, orphans = str(error), None
    if told != "ok":
        says = f"the database is damaged ({' '.join(told.split())})"
        return [Finding(check="database", level="problem", says=says, remedy=_INDEX_AGAIN)]
    if orphans is not None:
        says = f"the table {orphans[0]!r} has a row whose {orphans[2]!r} is gone"
        return [Finding(check="database", level="problem", says=says, remedy=_INDEX_AGAIN)]
    return []


def examine_indexes(folder: Path, settings: StoreSettings, tenant: str) -> tuple[Finding, ...]:
    """Look over the indexes of one tenant, as ``examine_store`` does. Raises ``StoreUnusable``."""
    database = open_for_reading(folder, settings, read_only=True)
    try:
        state = read_state(folder, database)
        with database.snapshot() as connection:
            return tuple(_index_findings(connection, folder, tenant, state, settings))
    finally:
        database.close()


def _index_findings(
    connection: sqlite3.Connection, folder: Path, tenant: str, state: VectorSpace, settings: StoreSettings
) -> Iterator[Finding]:
    agreements = compare_indexes(
        connection, folder, tenant, dimension=state.dimension, model=state.embedding_model, settings=settings
    )
    at_work = active_writer(folder) is not None
    for agreement in agreements:
        yield _index_finding(agreement, at_work)


def _index_finding(agreement: IndexAgreement, at_work: bool) -> Finding:
    what = f"{agreement.index} of {agreement.records:,} {_NAMES[agreement.kind]} of the tenant {agreement.tenant!r}"
    if agreement.state == "current":
        return Finding(check="indexes", level="fine", says=f"the {what} agree with the database")
    level: Level = "note" if at_work and agreement.index != "vectors" else "problem"
    says = f"the {what} are {agreement.state}{_difference(agreement)}"
    in_database = agreement.index == "vectors"  # nothing else holds them
    return Finding(check="indexes", level=level, says=says, remedy=_INDEX_AGAIN if in_database else _RUN_INDEX)


def _difference(agreement: IndexAgreement) -> str:
    if agreement.state == "missing" or not (agreement.entries and (agreement.lacking or agreement.strangers)):
        return ""
    parts = [f"{agreement.entries:,} entries"]
    if agreement.lacking:
        parts.append(f"lacking {', '.join(map(repr, agreement.lacking[:3]))}")
    if agreement.strangers:
        parts.append(f"{agreement.strangers:,} of no record")
    return f" ({'; '.join(parts)})"


def _derived_finding(connection: sqlite3.Connection, tenant: str, at_work: bool) -> Finding:
    if read_sequences(connection, tenant).fingerprint is not None:
        says = f"communities and trees of the tenant {tenant!r} were made from the documents as they are"
        return Finding(check="derived layer", level="fine", says=says)
    return Finding(
        check="derived layer",
        level="note" if at_work else "problem",
        says=f"communities and trees of the tenant {tenant!r} are older than the documents",
        remedy="run `belvedere index` for this tenant: it makes them anew",
    )
