"""Replies that were paid for, kept in a file so that the same call is not paid again.

It is a cache and never a source of truth: a file that is damaged is set aside, one that cannot be written is told of
once and left alone until it is closed, and calls go on without it. What it holds is text made of documents, so it
forgets with them: rows are overwritten on the disk (SQLite's secure_delete), and nothing outlives the documents that it
was made of.
"""

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from model_clients.chat.messages import ChatReply, ChatRequest, Finish, TokenUsage

T = TypeVar("T")

_log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, tenant TEXT NOT NULL, task TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL,
    finish TEXT NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS made_of (
    tenant TEXT NOT NULL, document TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (tenant, document, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    tenant TEXT NOT NULL, document TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (tenant, document)
) WITHOUT ROWID;
"""
_FINISHES: Mapping[str, Finish] = {"stop": "stop", "length": "length", "refused": "refused"}
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "replies": ("key", "tenant", "task", "model", "text", "finish", "used"),
    "made_of": ("tenant", "document", "key"),
    "seen": ("tenant", "document", "content"),
}
_LOCK_WAIT_S = 5.0
_FREE = TokenUsage(cached=1)


def reply_key(request: ChatRequest, *, model: str, address: str) -> str:
    """Return what tells a call from every other: who asks, what for, which model, and everything that is sent."""
    whole = [
        request.scope.tenant,
        sorted(request.scope.groups),
        request.task,
        address,
        model,
        request.prompt,
        request.temperature,
        request.max_tokens,
        request.schema_name,
        request.schema,
        [[message.role, message.content] for message in request.messages],
    ]
    return sha256(json.dumps(whole, sort_keys=True, ensure_ascii=True).encode("ascii")).hexdigest()


class ReplyCache:
    """The file. Threads may share one, and so may processes; it is opened at its first use.

    ``path`` may be a function that tells where it is; each use asks it again.
    """

    def __init__(self, path: Path | Callable[[], Path], *, make_folder: bool = False) -> None:
        self._path = path
        self._opened: Path | None = None
        self._make_folder = make_folder
        self._connection: sqlite3.Connection | None = None
        self._useless: Path | None = None
        self._using = threading.RLock()

    @property
    def path(self) -> Path:
        """Where the file is, or will be."""
        return self._path if isinstance(self._path, Path) else self._path()

    @property
    def is_there(self) -> bool:
        """Whether there is a file, or one that was set aside."""
        return self.path.exists() or self._aside().exists()

    def count(self, tenant: str) -> int:
        """Return how many replies are kept for a tenant."""
        return self._try(lambda connection: _count(connection, tenant), reads=True) or 0

    def get(self, key: str) -> ChatReply | None:
        """Return the kept reply, None where there is none."""
        return self._try(lambda connection: _read(connection, key), reads=True)

    def put(self, key: str, request: ChatRequest, reply: ChatReply) -> None:
        """Keep a reply, under the documents that it was made of."""
        self._try(lambda connection: _write(connection, key, request, reply))

    def forget(self, tenant: str, documents: Iterable[str]) -> None:
        """Erase every reply that was made of one of these documents. Raises OSError where that cannot be done."""
        gone = sorted(set(documents))
        self._erase(lambda connection: _forget_all(connection, tenant, gone))

    def settle(self, tenant: str, contents: Mapping[str, str], *, since: float, beginning: bool = False) -> None:
        """Erase what is not of these documents as they are now: id -> hash of their content.

        Replies made of a document that has changed since this was last called stay only where they were used again
        since ``since`` (of ``time.time``): those are of what did not change in it. So it is called before documents
        change, to note how they are (``beginning``), and afterwards. Replies made of a document that was never seen
        here, as an interrupted run leaves them, wait for the end of the next one. Raises as ``forget`` does.
        """
        self._erase(lambda connection: _settle(connection, tenant, contents, since, beginning=beginning))

    def close(self) -> None:
        """Close the file; the next use opens it again, also one that did not serve."""
        with self._using:
            self._disconnect()
            self._useless = None

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _try(self, work: Callable[[sqlite3.Connection], T], *, reads: bool = False) -> T | None:
        """Do ``work`` in a transaction; where the file does not serve, say so in the log and return None.

        What only ``reads`` makes no file where there is none.
        """
        with self._using:
            path = self.path
            if path == self._useless:
                return None
            try:
                if reads and not path.exists():
                    return None
                with self._transaction() as connection:
                    return work(connection)
            except sqlite3.OperationalError as error:
                self._do_without(path, _reason(error))
            except sqlite3.DatabaseError as error:
                self._set_aside(error)
            except OSError as error:
                self._do_without(path, error.strerror or str(error))
            return None

    def _do_without(self, path: Path, reason: str) -> None:
        """Leave a file alone from now on: each further attempt might wait as long, and would be told as often."""
        _log.warning(
            "replies of language models are neither kept in nor taken from %s this time, so calls are paid for again: "
            "%s",
            path,
            reason,
        )
        self._useless = path

    def _erase(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Do ``work``, or remove the whole file: what is to be forgotten must not stay, whatever the file's state."""
        if not self._aside().is_dir():
            self._aside().unlink(missing_ok=True)
        if not self.path.exists():
            return
        if self.path.is_dir():
            _log.warning("replies of language models are not kept in %s: it is a folder", self.path)
            return
        try:
            with self._transaction(durable=True) as connection:
                work(connection)
        except sqlite3.Error as error:
            self.close()
            self._remove()
            _log.warning(
                "%s is removed with the replies of language models in it, since nothing could be erased there: %s",
                self.path,
                _reason(error),
            )

    def _remove(self) -> None:
        for path in (self.path, self.path.with_name(f"{self.path.name}-journal")):
            path.unlink(missing_ok=True)

    @contextmanager
    def _transaction(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """Do the block in a transaction; only what must be gone after a power cut too is waited for on the disk."""
        with self._using:
            connection = self._open()
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _open(self) -> sqlite3.Connection:
        path = self.path
        if path != self._opened:
            self._disconnect()
        if self._connection is None:
            if self._make_folder:
                path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            connection = sqlite3.connect(path, timeout=_LOCK_WAIT_S, isolation_level=None, check_same_thread=False)
            try:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.executescript(_SCHEMA)
                _check_columns(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._opened = connection, path
        return self._connection

    def _aside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged")

    def _set_aside(self, error: sqlite3.Error) -> None:
        self._disconnect()
        try:
            self.path.replace(self._aside())
        except OSError as refusal:
            self._do_without(self.path, f"it is damaged ({error}) and cannot be set aside ({refusal.strerror})")
        else:
            _log.warning(
                "%s is damaged (%s) and set aside as %s: the replies of language models in it are lost",
                self.path,
                error,
                self._aside().name,
            )


def _reason(error: sqlite3.Error) -> str:
    if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        return f"another process has held it for {_LOCK_WAIT_S:g} s"
    return str(error)


def _check_columns(connection: sqlite3.Connection) -> None:
    """Raise ``sqlite3.DatabaseError`` for tables of another version: such a file is of no use."""
    for table, columns in _COLUMNS.items():
        found = tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
        if found != columns:
            raise sqlite3.DatabaseError("its tables are of another version")


def _read(connection: sqlite3.Connection, key: str) -> ChatReply | None:
    # As bytes: what is no text would end in an error that tells it.
    row = connection.execute(
        "SELECT CAST(text AS BLOB), CAST(model AS BLOB), CAST(finish AS BLOB) FROM replies WHERE key = ?", (key,)
    ).fetchone()
    if row is None:
        return None
    try:
        text, model, finish = (bytes(part).decode() for part in row)
    except UnicodeDecodeError:
        _log.warning("a reply of a language model is asked for anew: the one that was kept is no text")
        return None
    connection.execute("UPDATE replies SET used = ? WHERE key = ?", (time.time(), key))
    return ChatReply(text=text, model=model, finish=_FINISHES.get(finish, "stop"), usage=_FREE)


def _count(connection: sqlite3.Connection, tenant: str) -> int:
    (found,) = connection.execute("SELECT COUNT(*) FROM replies WHERE tenant = ?", (tenant,)).fetchone()
    return int(found)


def _write(connection: sqlite3.Connection, key: str, request: ChatRequest, reply: ChatReply) -> None:
    scope = request.scope
    connection.execute(
        "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)",
        (key, scope.tenant, request.task, reply.model, reply.text, reply.finish, time.time()),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO made_of VALUES (?, ?, ?)",
        [(scope.tenant, document, key) for document in scope.documents],
    )


def _forget_all(connection: sqlite3.Connection, tenant: str, documents: Iterable[str]) -> None:
    for document in documents:
        _forget(connection, tenant, document, None)


def _forget(connection: sqlite3.Connection, tenant: str, document: str, before: float | None) -> None:
    """Erase the replies made of a document, with ``before`` only those that were last used before that time."""
    keys = connection.execute(
        "SELECT key FROM made_of JOIN replies USING (key) WHERE made_of.tenant = ? AND document = ? AND used < ?",
        (tenant, document, float("inf") if before is None else before),
    ).fetchall()
    connection.executemany("DELETE FROM replies WHERE key = ?", keys)
    connection.executemany("DELETE FROM made_of WHERE tenant = ? AND key = ?", [(tenant, key) for (key,) in keys])
    if before is None:
        connection.execute("DELETE FROM seen WHERE tenant = ? AND document = ?", (tenant, document))


def _settle(
    connection: sqlite3.Connection, tenant: str, contents: Mapping[str, str], since: float, *, beginning: bool
) -> None:
    seen = dict(connection.execute("SELECT document, content FROM seen WHERE tenant = ?", (tenant,)))
    known = {row[0] for row in connection.execute("SELECT DISTINCT document FROM made_of WHERE tenant = ?", (tenant,))}
    for document in sorted(known | seen.keys()):
        if beginning and document not in seen:
            continue
        if document not in contents:
            _forget(connection, tenant, document, None)
        elif seen.get(document) != contents[document]:
            _forget(connection, tenant, document, since)
    fresh = [(tenant, name, contents[name]) for name in sorted(known & contents.keys())]
    connection.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", fresh)
