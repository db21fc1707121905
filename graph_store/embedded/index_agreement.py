"""Whether what is derived from the rows of a tenant holds just what the rows say, without mending anything."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.keyword_catalog import KINDS, index_folder, keyword_folder
from graph_store.embedded.keyword_files import damaged_files
from graph_store.embedded.keyword_index import KeywordIndex
from graph_store.embedded.vector_files import VectorFiles, VectorManifest
from graph_store.records import SearchKind
from graph_store.settings import StoreSettings

IndexName: TypeAlias = Literal["keywords", "vectors", "vector file"]
IndexState: TypeAlias = Literal["current", "behind", "missing", "damaged"]

_TABLES: dict[SearchKind, tuple[str, str]] = {
    "chunk": ("chunks", "chunk_vectors"),
    "report": ("communities", "community_vectors"),
    "tree_node": ("tree_nodes", "tree_node_vectors"),
}
_SAMPLE = 256
_FLOAT_BYTES = 4
_TOO_MANY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexAgreement:
    """How an index of one tenant and kind compares with the rows.

    ``records`` rows stand against ``entries`` in the index. ``lacking`` are ids of rows that the index lacks (at most
    ten), ``strangers`` the number of entries without a row. ``state`` is "behind" where the index has reached another
    sequence than the rows, "damaged" where it cannot be read or disagrees although it claims to be current.
    """

    tenant: str
    index: IndexName
    kind: SearchKind
    state: IndexState
    records: int
    entries: int = 0
    lacking: tuple[str, ...] = ()
    strangers: int = 0


def compare_indexes(
    connection: sqlite3.Connection, folder: Path, tenant: str, *, dimension: int, model: str, settings: StoreSettings
) -> Iterator[IndexAgreement]:
    """Yield one agreement for each index that the store in ``folder`` should keep of a tenant, within a snapshot."""
    comparison = _Comparison(connection, folder, tenant)
    for kind in KINDS:
        rows = comparison.rows(kind)
        yield comparison.keywords(kind, rows, settings)
        yield comparison.vectors(kind, rows, dimension)
        if len(rows) >= max(settings.vector_file_rows, 1):
            yield comparison.vector_file(kind, rows, (dimension, model))


class _Comparison:
    """The comparisons of one tenant within one snapshot."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, tenant: str) -> None:
        self._connection = connection
        self._folder = folder
        self._tenant = tenant
        self._sequences = read_sequences(connection, tenant)

    def rows(self, kind: SearchKind) -> dict[int, str]:
        """Return row number -> id of all records of a kind, ascending."""
        found = self._connection.execute(
            f"SELECT row, id FROM {_TABLES[kind][0]} WHERE tenant = ? ORDER BY row", (self._tenant,)
        )
        return dict(found.fetchall())

    def keywords(self, kind: SearchKind, rows: dict[int, str], settings: StoreSettings) -> IndexAgreement:
        """Compare the keyword index on the disk."""
        target = self._sequences.of(kind)
        path = keyword_folder(self._folder, self._tenant, kind)
        if not (path / "meta.json").exists():
            return self._agreement("keywords", kind, "missing" if target else "current", rows)
        if damaged_files(path):
            return self._agreement("keywords", kind, "damaged", rows)
        try:
            index = KeywordIndex(path, memory_bytes=settings.keyword_memory_bytes)
            indexed = index.rows()
        except (ValueError, OSError):  # tantivy reports every broken file as ValueError
            return self._agreement("keywords", kind, "damaged", rows)
        state: IndexState = "current" if index.sequence == target else "behind"
        return self._agreement("keywords", kind, state, rows, indexed)

    def vectors(self, kind: SearchKind, rows: dict[int, str], dimension: int) -> IndexAgreement:
        """Compare the vectors in the database; one of another size counts as lacking."""
        owner, table = _TABLES[kind]
        found = self._connection.execute(
            f"SELECT row FROM {owner} JOIN {table} USING (row) WHERE tenant = ? AND length(vector) = ?",
            (self._tenant, dimension * _FLOAT_BYTES),
        )
        return self._agreement("vectors", kind, "current", rows, [row for (row,) in found])

    def vector_file(self, kind: SearchKind, rows: dict[int, str], expected: tuple[int, str]) -> IndexAgreement:
        """Compare the matrix beside the database: what it claims, and a sample of its vectors."""
        files = VectorFiles(index_folder(self._folder, self._tenant), kind)
        manifest = files.read_manifest()
        if manifest is None:
            return self._agreement("vector file", kind, "missing", rows)
        if (manifest.dimension, manifest.model) != expected:
            return self._agreement("vector file", kind, "damaged", rows)
        if manifest.sequence != self._sequences.of(kind):
            return self._agreement("vector file", kind, "behind", rows)
        whole = manifest.rows == len(rows) and self._holds_sample(files, manifest, kind, list(rows))
        return self._agreement("vector file", kind, "current" if whole else "damaged", rows, list(rows))

    def _holds_sample(
        self, files: VectorFiles, manifest: VectorManifest, kind: SearchKind, rows: Sequence[int]
    ) -> bool:
        matrix = files.read_matrix(manifest)
        if matrix is None:
            return False
        statement = f"SELECT vector FROM {_TABLES[kind][1]} WHERE row = ?"
        for place in range(0, len(rows), max(len(rows) // _SAMPLE, 1)):
            found = self._connection.execute(statement, (rows[place],)).fetchone()
            if found is None or matrix[place].astype("<f4").tobytes() != found[0]:
                return False
        return True

    def _agreement(
        self,
        index: IndexName,
        kind: SearchKind,
        state: IndexState,
        rows: dict[int, str],
        entries: Sequence[int] | None = None,
    ) -> IndexAgreement:
        """Return the agreement; an index that claims to be current and is not is damaged."""
        known = np.fromiter(rows, dtype=np.int64, count=len(rows))
        indexed = np.array(known if entries is None and state == "current" else entries or (), dtype=np.int64)
        lacking = np.setdiff1d(known, indexed)
        strangers = int(np.count_nonzero(~np.isin(indexed, known))) + len(indexed) - len(np.unique(indexed))
        wrong = state == "current" and (len(lacking) or strangers)
        return IndexAgreement(
            tenant=self._tenant,
            index=index,
            kind=kind,
            state="damaged" if wrong else state,
            records=len(rows),
            entries=len(indexed),
            lacking=tuple(rows[int(row)] for row in lacking[:_TOO_MANY]),
            strangers=strangers,
        )
