"""Reading a database file whose log cannot be opened: without locks, as long as nothing about its files changes.

SQLite reads a file in WAL mode beside a writer through two files beside it, ``-wal`` and ``-shm``. A writer of ours
leaves both behind, so whoever may read the folder may read beside writers to come. Copies and stores of earlier
versions may lack them, and who may not write into the folder cannot make them.
"""

import sqlite3
from pathlib import Path
from typing import TypeAlias

FileState: TypeAlias = tuple[tuple[int, int, int] | None, ...]
"""Number, size and time of change of the database, its log and the log's index; None for a file that is not there."""

_CANNOT_OPEN_LOG = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})


def file_state(path: Path) -> FileState:
    """Return what tells from outside whether the database at ``path`` was written to."""
    return tuple(_look(Path(f"{path}{suffix}")) for suffix in ("", "-wal", "-shm"))


def _look(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def open_for_reading(path: Path, busy_timeout_ms: int) -> tuple[sqlite3.Connection, FileState | None]:
    """Open a database to read, with the state that its files must keep; None where SQLite sees every change itself.

    Raises ``sqlite3.Error``, also where the log holds what the database does not and cannot be read.
    """
    try:
        return _connect(path, "mode=ro", busy_timeout_ms), None
    except sqlite3.OperationalError as error:
        state = file_state(path)
        log = state[1]
        if error.sqlite_errorcode & 0xFF not in _CANNOT_OPEN_LOG or (log is not None and log[1] > 0):
            raise
    return _connect(path, "mode=ro&immutable=1", busy_timeout_ms), state


def _connect(path: Path, mode: str, busy_timeout_ms: int) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{mode}"
    wait_s = busy_timeout_ms / 1000
    opened = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=wait_s)
    try:
        opened.execute("SELECT count(*) FROM sqlite_master").fetchone()  # files are opened at the first read
    except sqlite3.Error:
        opened.close()
        raise
    return opened


def keep_log(path: Path) -> sqlite3.Connection | None:
    """Return a connection that keeps the files of an emptied log in place when the writer closes before it does.

    The last connection to close removes them, but not one that may only read. A log that holds something is left to
    SQLite, which empties it into the database. None where that is so, or where the connection cannot be made.
    """
    log = file_state(path)[1]
    if log is None or log[1] > 0:
        return None
    try:
        return _connect(path, "mode=ro", 0)
    except sqlite3.Error:
        return None
