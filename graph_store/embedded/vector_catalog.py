"""The vector indexes of a store: held in memory, kept in step with the database, cached in files when large."""

import json
import logging
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np

from graph_store.bundles import FloatMatrix
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.keyword_catalog import index_folder
from graph_store.embedded.neighbour_graph import (
    NeighbourGraph,
    build_graph,
    extend_graph,
    load_graph,
    neighbour_graphs_available,
)
from graph_store.embedded.space_watch import SpaceWatch
from graph_store.embedded.vector_files import VectorFiles
from graph_store.embedded.vector_index import RowArray, VectorIndex
from graph_store.packing import unpack_vectors
from graph_store.records import SearchKind
from graph_store.settings import StoreSettings

_log = logging.getLogger(__name__)

_TABLE: dict[SearchKind, tuple[str, str, str]] = {
    "chunk": ("chunks", "document_row", "chunk_vectors"),
    "report": ("communities", "0", "community_vectors"),
    "tree_node": ("tree_nodes", "0", "tree_node_vectors"),
}


class VectorCatalog:
    """Vector indexes by tenant and kind; what a file does not hold as it should is read from the database."""

    def __init__(self, folder: Path, *, watch: SpaceWatch, settings: StoreSettings) -> None:
        self._folder = folder
        self._watch = watch
        self._settings = settings
        self._lock = threading.Lock()
        self._held: dict[tuple[str, SearchKind], VectorIndex] = {}

    def index_of(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind) -> VectorIndex:
        """Return the index at the sequence of a snapshot; raises ``StoreSwitched`` as the watch does."""
        self._watch.of(connection)
        target = read_sequences(connection, tenant).of(kind)
        found = self._held.get((tenant, kind))
        if found is not None and found.sequence == target:
            return found
        with self._lock:
            found = self._held.get((tenant, kind))
            if found is None or found.sequence != target:
                found = self._read(connection, tenant, kind, target, found)
                self._held[tenant, kind] = found
            return found

    def forget(self) -> None:
        """Forget the vectors that are held: the live space has changed."""
        with self._lock:
            self._held.clear()

    @property
    def _model(self) -> str:
        return self._watch.space.embedding_model

    @property
    def _dimension(self) -> int:
        return self._watch.space.dimension

    def _read(
        self, connection: sqlite3.Connection, tenant: str, kind: SearchKind, target: int, held: VectorIndex | None
    ) -> VectorIndex:
        table, document, _ = _TABLE[kind]
        found = connection.execute(
            f"SELECT row, audience, {document}, id FROM {table} WHERE tenant = ? ORDER BY row", (tenant,)
        ).fetchall()
        numbers = np.array([row[:3] for row in found], dtype=np.int64).reshape(-1, 3)
        rows = np.ascontiguousarray(numbers[:, 0])
        matrix = None if held is not None else self._matrix_from_file(tenant, kind, target, len(rows))
        if matrix is None:
            matrix = self._matrix_from_rows(connection, kind, rows, held)
        index = VectorIndex(
            sequence=target,
            rows=rows,
            audiences=np.ascontiguousarray(numbers[:, 1]),
            documents=np.ascontiguousarray(numbers[:, 2]),
            ids=tuple(row[3] for row in found),
            matrix=matrix,
        )
        return replace(index, graph=self._graph_for(tenant, kind, index, held))

    def _files(self, tenant: str, kind: SearchKind) -> VectorFiles:
        return VectorFiles(index_folder(self._folder, tenant), kind)

    def _matrix_from_file(self, tenant: str, kind: SearchKind, target: int, rows: int) -> FloatMatrix | None:
        files = self._files(tenant, kind)
        manifest = files.read_manifest()
        if manifest is None or (manifest.sequence, manifest.rows) != (target, rows):
            return None
        if (manifest.dimension, manifest.model) != (self._dimension, self._model):
            return None
        return files.read_matrix(manifest)

    def _matrix_from_rows(
        self, connection: sqlite3.Connection, kind: SearchKind, rows: RowArray, held: VectorIndex | None
    ) -> FloatMatrix:
        """Return the vectors of ``rows``, taking from the database only those that are not held yet."""
        kept = np.zeros(len(rows), dtype=np.bool_) if held is None else np.isin(rows, held.rows)
        fresh = rows[~kept]
        found = connection.execute(
            f"SELECT vector FROM {_TABLE[kind][2]} WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row",
            (json.dumps(fresh.tolist()),),
        ).fetchall()
        matrix = np.empty((len(rows), self._dimension), dtype=np.float32)
        matrix[~kept] = unpack_vectors([blob for (blob,) in found], self._dimension)
        if held is not None:
            matrix[kept] = held.matrix[np.searchsorted(held.rows, rows[kept])]
        return matrix

    def _graph_for(
        self, tenant: str, kind: SearchKind, index: VectorIndex, held: VectorIndex | None
    ) -> NeighbourGraph | None:
        """Return a graph that holds every row of the index; None where there is none (then search is exact)."""
        if not self._wants_graph(len(index.rows)):
            return None
        graph = held.graph if held is not None and held.graph is not None else self._graph_from_file(tenant, kind)
        if graph is None or self._is_mostly_dead(graph, index) or not np.isin(index.rows, graph.rows).all():
            return None
        return graph

    def _is_mostly_dead(self, graph: NeighbourGraph, index: VectorIndex) -> bool:
        dead = np.count_nonzero(~np.isin(graph.rows, index.rows))
        return bool(dead > self._settings.ann_dead_share * len(graph.rows))

    def _wants_graph(self, rows: int) -> bool:
        return rows > self._settings.ann_threshold and neighbour_graphs_available()

    def _graph_from_file(self, tenant: str, kind: SearchKind) -> NeighbourGraph | None:
        files = self._files(tenant, kind)
        manifest = files.read_manifest()
        if manifest is None or (manifest.dimension, manifest.model) != (self._dimension, self._model):
            return None
        path = files.whole_graph(manifest)
        if path is None:
            return None
        try:
            return load_graph(path, dimension=self._dimension, settings=self._settings)
        except RuntimeError as error:
            _log.warning("the vector graph %s is unreadable and will be built again: %s", path, error)
            return None

    def save(self, connection: sqlite3.Connection, tenant: str) -> None:
        """Write the files of a tenant's large indexes; called by the writer. A failure only costs time later."""
        for kind in _TABLE:
            self._save_kind(connection, tenant, kind)

    def _save_kind(self, connection: sqlite3.Connection, tenant: str, kind: SearchKind) -> None:
        target = read_sequences(connection, tenant).of(kind)
        count = connection.execute(f"SELECT count(*) FROM {_TABLE[kind][0]} WHERE tenant = ?", (tenant,)).fetchone()[0]
        files = self._files(tenant, kind)
        if count < max(self._settings.vector_file_rows, 1):
            files.remove()
            return
        current = self._matrix_from_file(tenant, kind, target, count) is not None
        index = self.index_of(connection, tenant, kind)
        if current and (index.graph is not None or not self._wants_graph(count)):
            return
        if self._wants_graph(count) and index.graph is None:
            index = replace(index, graph=self._new_graph(tenant, kind, index))
            self._held[tenant, kind] = index
        try:
            save_graph = None if index.graph is None else index.graph.save
            files.write(index.matrix, sequence=target, model=self._model, save_graph=save_graph)
        except (OSError, RuntimeError) as error:
            _log.warning("the vector files of %r could not be written: %s", kind, error)

    def _new_graph(self, tenant: str, kind: SearchKind, index: VectorIndex) -> NeighbourGraph:
        """Return a graph of all rows: the old one with the missing rows added, or a new one if much of it is dead."""
        old = self._graph_from_file(tenant, kind)
        if old is not None and not self._is_mostly_dead(old, index):
            missing = ~np.isin(index.rows, old.rows)
            return extend_graph(old, index.matrix[missing], index.rows[missing])
        return build_graph(index.matrix, index.rows, self._settings)
