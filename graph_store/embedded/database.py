"""The SQLite file: connections, transactions, and what their failures mean."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from graph_store.embedded.lone_file import FileState, file_state, keep_log, open_for_reading
from graph_store.errors import InvalidRecord, InvalidText, StoreDiskFull, StoreError, StoreLocked, StoreUnusable

_log = logging.getLogger(__name__)

Row: TypeAlias = tuple[Any, ...]

# 16 kB pages: a 384-dimensional vector takes 1.5 kB, of which 4 kB pages would waste a third.
_PAGE_SIZE = 16_384
_CACHE_KIBIBYTES = 65_536

_FULL = (StoreDiskFull, "no space left to write {path}: free some space and run again; nothing was lost")
_BUSY = (StoreLocked, "{path} is locked by another process: wait until it is done and run again")
_BROKEN_RULE = (InvalidRecord, "a record breaks a rule of the store: {error}")
_DAMAGED = (StoreUnusable, "{path} is no database or damaged ({error}): restore a backup or index again")
_FORBIDDEN = (
    StoreUnusable,
    "cannot open {path} ({error}): check the permissions of the file, of those named -wal and -shm beside it, and of"
    " their folder",
)
_CHANGED = "{path} was written to while it was read: ask again"
# A quota or a limit on the size of files is told like this, and so is a disk that fails.
_DISK = (
    StoreUnusable,
    "cannot read or write {path} ({error}): check the free space, the quota and the disk, and run again;"
    " what was acknowledged is kept",
)
_MEANINGS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_CONSTRAINT: _BROKEN_RULE,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_CANTOPEN: _FORBIDDEN,
    sqlite3.SQLITE_READONLY: _FORBIDDEN,
    sqlite3.SQLITE_PERM: _FORBIDDEN,
}


class Database:
    """One SQLite file in WAL mode, with one connection per thread.

    Readers never wait for the writer. Deleted content is overwritten (``secure_delete``), and a commit is on the disk
    when it returns (``synchronous=FULL``). A reader that cannot open the log, in a folder that it may not write to,
    opens the file anew once it was changed, and never answers from a mixture.
    """

    def __init__(self, path: Path, *, read_only: bool, busy_timeout_ms: int) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False
        self._prepare: Callable[[sqlite3.Connection], None] | None = None

    def prepare_with(self, prepare: Callable[[sqlite3.Connection], None]) -> None:
        """Run ``prepare`` on every connection before its first use; on this thread's at once, if there is one."""
        self._prepare = prepare
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is not None:
            prepare(found)

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection; raise ``StoreUnusable`` once the database is closed."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if self._closed:
            raise StoreUnusable(f"the store {str(self.path.parent)!r} is closed: open it again")
        if found is not None and (found.in_transaction or not self._changed_unseen()):
            return found
        if found is not None:
            self._let_go(found)
        try:
            opened = self._connect()
            if self._prepare is not None:
                self._prepare(opened)
        except sqlite3.Error as error:
            raise self._explain(error) from error
        with self._lock:
            self._connections.append(opened)
        self._local.connection = opened
        return opened

    def _changed_unseen(self) -> bool:
        """Tell whether the files were changed in a way that this thread's connection does not see by itself."""
        state: FileState | None = getattr(self._local, "state", None)
        return state is not None and file_state(self.path) != state

    def _let_go(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            self._connections.remove(connection)
        connection.close()
        self._local.connection = self._local.state = None

    def _connect(self) -> sqlite3.Connection:
        if self.read_only:
            opened, self._local.state = open_for_reading(self.path, self._busy_timeout_ms)
        else:
            # Connections are used by their own thread alone; only close() comes from another one.
            address = f"{self.path.absolute().as_uri()}?mode=rwc"
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

        Raises ``StoreDiskFull``, ``StoreLocked``, ``InvalidRecord`` (a broken constraint), ``InvalidText``.
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
        """Read one state of the database, whatever is committed meanwhile.

        Raises ``StoreUnusable``, ``InvalidText`` for a question with a text that is no Unicode, ``StoreError``.
        """
        connection = self.connection()
        nested = connection.in_transaction
        try:
            if not nested:
                connection.execute("BEGIN")
            yield connection
            if not nested and self._changed_unseen():
                raise StoreLocked(_CHANGED.format(path=repr(str(self.path))))
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self._explain(error) from error
        finally:
            if not nested and connection.in_transaction:
                connection.execute("ROLLBACK")

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database and empty it, so that no deleted text stays in it.

        Readers in the middle of a snapshot may keep a part of it until a later checkpoint, and so does a full disk:
        what was committed before is acknowledged, whatever becomes of this.
        """
        try:
            self.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            _log.warning("the write-ahead log of %s was not emptied: %s", self.path, error)

    def compact(self) -> None:
        """Give the room of what was removed back to the disk; it takes as much room again while it runs.

        Readers go on meanwhile. Where it cannot be done (a full disk, another process in the way) the room stays in the
        file, to be used again.
        """
        try:
            self.connection().execute("VACUUM")
        except sqlite3.Error as error:
            _log.warning("%s was not made smaller: %s", self.path, error)
        self.checkpoint()

    def _explain(self, error: sqlite3.Error | UnicodeEncodeError) -> StoreError:
        if isinstance(error, UnicodeEncodeError):
            return InvalidText(
                f"the text {error.object[:40]!r} is no valid Unicode ({error.reason}): mend it and try again"
            )
        if self._changed_unseen():
            return StoreLocked(_CHANGED.format(path=repr(str(self.path))))
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the primary result code
        meaning, sentence = _MEANINGS.get(code, (StoreError, "the database {path} failed: {error}"))
        return meaning(sentence.format(path=repr(str(self.path)), error=error))

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed

    def close(self) -> None:
        """Close the connections of all threads; a writer leaves the files of its emptied log for readers to come."""
        with self._lock:
            self._closed = True
            keeper = None if self.read_only or not self._connections else keep_log(self.path)
            for connection in self._connections:
                connection.close()
            self._connections.clear()
            if keeper is not None:
                keeper.close()
