"""The SQLite file: connections, transactions, and what their failures mean."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from graph_store.errors import InvalidRecord, StoreDiskFull, StoreError, StoreLocked, StoreUnusable

Row: TypeAlias = tuple[Any, ...]

# 16 kB pages: a 384-dimensional vector takes 1.5 kB, of which 4 kB pages would waste a third.
_PAGE_SIZE = 16_384
_CACHE_KIBIBYTES = 65_536


class Database:
    """One SQLite file in WAL mode, with one connection per thread.

    Readers never wait for the writer. Deleted content is overwritten (``secure_delete``), and a commit is on the disk
    when it returns (``synchronous=FULL``).
    """

    def __init__(self, path: Path, *, read_only: bool, busy_timeout_ms: int) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection; raise ``StoreUnusable`` once the database is closed."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is not None and not self._closed:
            return found
        if self._closed:
            raise StoreUnusable(f"the store {str(self.path.parent)!r} is closed: open it again")
        opened = self._connect()
        with self._lock:
            self._connections.append(opened)
        self._local.connection = opened
        return opened

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self.read_only else "rwc"
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        # Connections are used by their own thread alone; only close() comes from another one.
        opened = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        opened.execute(f"PRAGMA busy_timeout={self._busy_timeout_ms}")
        opened.execute("PRAGMA foreign_keys=ON")
        opened.execute(f"PRAGMA cache_size=-{_CACHE_KIBIBYTES}")
        if not self.read_only:
            opened.execute(f"PRAGMA page_size={_PAGE_SIZE}")
            opened.execute("PRAGMA journal_mode=WAL")
            opened.execute("PRAGMA synchronous=FULL")
            opened.execute("PRAGMA secure_delete=ON")
        return opened

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction: committed at the end, rolled back by any exception.

        Raises ``StoreDiskFull``, ``StoreLocked``, ``InvalidRecord`` (a broken constraint) or ``StoreError``.
        """
        connection = self.connection()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self._explain(error) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Read one state of the database, whatever is committed meanwhile."""
        connection = self.connection()
        nested = connection.in_transaction
        try:
            if not nested:
                connection.execute("BEGIN")
            yield connection
        except sqlite3.Error as error:
            raise self._explain(error) from error
        finally:
            if not nested and connection.in_transaction:
                connection.execute("ROLLBACK")

    def _explain(self, error: sqlite3.Error | UnicodeEncodeError) -> StoreError:
        where = str(self.path)
        if isinstance(error, UnicodeEncodeError):
            return InvalidRecord(f"a text cannot be stored as UTF-8 ({error.reason}): clean it before writing")
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return StoreDiskFull(f"no space left to write {where!r}: free some space and run again; nothing was lost")
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return StoreLocked(f"{where!r} is locked by another process: wait until it is done and run again")
        if code == sqlite3.SQLITE_CONSTRAINT:
            return InvalidRecord(f"a record breaks a rule of the store: {error}")
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return StoreUnusable(f"{where!r} is damaged ({error}): restore it from a backup or index again")
        return StoreError(f"the database {where!r} failed: {error}")

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            self._closed = True
            for connection in self._connections:
                connection.close()
            self._connections.clear()
