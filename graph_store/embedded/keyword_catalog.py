"""The keyword indexes of a store: opened when needed, brought up to date from the change log, rebuilt when broken."""

import hashlib
import logging
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from graph_store.embedded.change_log import changed_rows, log_reaches_back, read_sequences
from graph_store.embedded.database import Database
from graph_store.embedded.keyword_files import damaged_files
from graph_store.embedded.keyword_index import KeywordIndex
from graph_store.embedded.keyword_texts import read_keyword_texts
from graph_store.embedded.writer_lock import writer_is_active
from graph_store.keyword_analysis import ANALYSIS_VERSION
from graph_store.records import SearchKind
from graph_store.settings import StoreSettings

_log = logging.getLogger(__name__)

KINDS: tuple[SearchKind, ...] = ("chunk", "report", "tree_node")

Scored: TypeAlias = list[tuple[int, float]]
"""(row number, score), best first"""

# tantivy reports everything, a broken file as well as a full disk, as ValueError.
_FAILURES = (ValueError, OSError)


def index_folder(store_folder: Path, tenant: str) -> Path:
    """Return the folder of a tenant's derived indexes; any text may be a tenant, so its hash names the folder."""
    return store_folder / "indexes" / hashlib.sha256(tenant.encode("utf-8")).hexdigest()[:20]


def keyword_folder(store_folder: Path, tenant: str, kind: SearchKind) -> Path:
    """Return the folder of one keyword index; a change in how texts are analysed begins another."""
    return index_folder(store_folder, tenant) / f"keywords-{kind}-{ANALYSIS_VERSION}"


def _beside(path: Path) -> tuple[Path, Path]:
    """Return where an index is built anew, and where the old one goes before it is removed."""
    return path.with_name(f"{path.name}.tmp"), path.with_name(f"{path.name}.old.tmp")


class KeywordCatalog:
    """Keyword indexes by tenant and kind.

    A writer keeps them in folders. A reader uses those, and one in memory where the one on the disk is missing, broken,
    or behind without a writer at work that will bring it up to date.
    """

    def __init__(self, folder: Path, database: Database, settings: StoreSettings) -> None:
        self._folder = folder
        self._database = database
        self._settings = settings
        self._lock = threading.Lock()
        self._on_disk: dict[tuple[str, SearchKind], KeywordIndex] = {}
        self._in_memory: dict[tuple[str, SearchKind], KeywordIndex] = {}

    def index_of(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind) -> KeywordIndex | None:
        """Return the index to search, current within a snapshot as far as this process can make it; None if empty."""
        target = read_sequences(connection, tenant).of(kind)
        if target == 0:
            return None
        found = self._on_disk.get((tenant, kind))
        if found is not None and found.sequence is not None and found.sequence >= target:
            return found  # ahead of the snapshot is fine: hits are checked against it
        with self._lock:
            if self._database.read_only:
                return self._for_reading(connection, tenant, kind, target)
            return self._caught_up(connection, tenant, kind, target)

    def search(
        self, connection: sqlite3.Connection, tenant: str, kind: SearchKind, search: Callable[[KeywordIndex], Scored]
    ) -> Scored:
        """Search the index of a tenant and kind; one that turns out to be broken is made anew and searched again."""
        index = self.index_of(connection, tenant, kind)
        if index is None:
            return []
        try:
            return search(index)
        except _FAILURES as error:
            _log.warning("the keyword index of %r is damaged and is built again: %s", kind, error)
        return search(self._rebuilt(connection, tenant, kind))

    def _rebuilt(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind) -> KeywordIndex:
        target = read_sequences(connection, tenant).of(kind)
        with self._lock:
            self._on_disk.pop((tenant, kind), None)
            if self._database.read_only:
                return self._from_memory(connection, tenant, kind, target)
            shutil.rmtree(self._path(tenant, kind), ignore_errors=True)
            return self._caught_up(connection, tenant, kind, target)

    def catch_up(self, tenant: str) -> None:
        """Bring the indexes of a tenant up to date on the disk, without words of texts that are gone.

        Called by the writer after its commits. An index that still lists such words is built anew.
        """
        with self._database.snapshot() as connection:
            for kind in KINDS:
                for path in _beside(self._path(tenant, kind)):  # as a killed writer leaves them
                    shutil.rmtree(path, ignore_errors=True)
                found = self.index_of(connection, tenant, kind)
                if found is not None and found.dead:
                    self._compact(connection, tenant, kind)

    def _compact(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind) -> None:
        """Build an index anew beside the old one, which serves readers meanwhile, and put it in its place."""
        target = read_sequences(connection, tenant).of(kind)
        path = self._path(tenant, kind)
        fresh, old = _beside(path)
        with self._lock:
            try:
                fresh.mkdir()
                made = KeywordIndex(fresh, memory_bytes=self._settings.keyword_memory_bytes)
                made.replace_all(read_keyword_texts(connection, tenant, kind), sequence=target)
                path.rename(old)
                fresh.rename(path)
                shutil.rmtree(old)
                self._on_disk[tenant, kind] = KeywordIndex(path, memory_bytes=self._settings.keyword_memory_bytes)
            except _FAILURES as error:
                _log.warning("the keyword index of %r could not be written, memory serves: %s", kind, error)
                self._on_disk.pop((tenant, kind), None)

    def reached(self, tenant: str) -> int | None:
        """Return the sequence that all indexes of a tenant on the disk have reached; None where that is not known."""
        found = [index.sequence for (owner, _), index in self._on_disk.items() if owner == tenant]
        known = [sequence for sequence in found if sequence is not None]
        return min(known) if len(known) == len(KINDS) else None

    def _path(self, tenant: str, kind: SearchKind) -> Path:
        return keyword_folder(self._folder, tenant, kind)

    def _opened(self, tenant: str, kind: SearchKind) -> KeywordIndex | None:
        """Return the index on the disk as it is now; None where it is missing or unreadable."""
        path = self._path(tenant, kind)
        if not (path / "meta.json").exists():
            return None
        try:
            found = self._on_disk.get((tenant, kind))
            if found is None:
                broken = damaged_files(path)
                if broken:
                    raise ValueError(f"{', '.join(broken)} is damaged")  # as tantivy tells it of others
                found = KeywordIndex(path, memory_bytes=self._settings.keyword_memory_bytes)
            else:
                found.reload()
        except _FAILURES as error:
            _log.warning("keyword index %s is unreadable and will be built again: %s", path, error)
            return None
        self._on_disk[tenant, kind] = found
        return found

    def _for_reading(
        self, connection: sqlite3.Connection, tenant: str, kind: SearchKind, target: int
    ) -> KeywordIndex | None:
        known = self._in_memory.get((tenant, kind))
        if known is not None and known.sequence == target:
            return known  # the one on the disk may be closed to this reader for good: opening it takes its lock
        found = self._opened(tenant, kind)
        if found is not None and (found.sequence == target or writer_is_active(self._folder)):
            return found
        self._on_disk.pop((tenant, kind), None)
        return self._from_memory(connection, tenant, kind, target)

    def _from_memory(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind, target: int) -> KeywordIndex:
        found = self._in_memory.get((tenant, kind))
        if found is None or found.sequence != target:
            found = KeywordIndex(None, memory_bytes=self._settings.keyword_memory_bytes)
            found.replace_all(read_keyword_texts(connection, tenant, kind), sequence=target)
            self._in_memory[tenant, kind] = found
        return found

    def _caught_up(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind, target: int) -> KeywordIndex:
        """Return the index on the disk, brought to the sequence of the snapshot; one in memory if that cannot be."""
        found = self._opened(tenant, kind)
        try:
            if found is None or not self._replayed(connection, found, tenant, kind, target):
                found = self._remade(connection, tenant, kind, target)
        except _FAILURES as error:
            _log.warning("the keyword index of %r could not be written, memory serves: %s", kind, error)
            self._on_disk.pop((tenant, kind), None)
            return self._from_memory(connection, tenant, kind, target)
        self._in_memory.pop((tenant, kind), None)
        return found

    def _remade(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind, target: int) -> KeywordIndex:
        found = self._emptied(tenant, kind)
        found.replace_all(read_keyword_texts(connection, tenant, kind), sequence=target)
        return found

    def _emptied(self, tenant: str, kind: SearchKind) -> KeywordIndex:
        path = self._path(tenant, kind)
        self._on_disk.pop((tenant, kind), None)
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        found = KeywordIndex(path, memory_bytes=self._settings.keyword_memory_bytes)
        self._on_disk[tenant, kind] = found
        return found

    def _replayed(
        self, connection: sqlite3.Connection, index: KeywordIndex, tenant: str, kind: SearchKind, target: int
    ) -> bool:
        """Apply the changes since the index's sequence and tell whether that did; else it must be built anew.

        Any order and any repetition of changes leads to the same index: only the rows as they are now go in.
        """
        if index.sequence == target:
            return True
        if index.sequence is None or index.sequence > target or index.size <= self._settings.keyword_rebuild_texts:
            return False
        if not log_reaches_back(connection, tenant, after=index.sequence):
            return False
        changed = changed_rows(connection, tenant, kind, after=index.sequence)
        added = list(read_keyword_texts(connection, tenant, kind, changed))
        dead = index.dead + index.count_rows(changed)
        if dead > self._settings.keyword_dead_share * (index.size + len(added)):
            return False
        try:
            index.apply(changed, added, sequence=target, dead=dead)
        except _FAILURES as error:
            _log.warning("the keyword index of %r could not be continued: %s", kind, error)
            return False
        return True
