"""The approximate vector index: an HNSW graph (Malkov and Yashunin, 2016, https://arxiv.org/abs/1603.09320) by hnswlib.

Labels are row numbers, which are never used twice and whose vectors never change. So a graph never has to forget: it
may hold rows that are gone, which its user drops, until they are so many that it is built again.
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatMatrix, FloatVector
from graph_store.settings import StoreSettings


def neighbour_graphs_available() -> bool:
    """Tell whether hnswlib is installed (the extra ``ann``)."""
    return find_spec("hnswlib") is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourGraph:
    """A graph with the row numbers it holds, ascending; searching from several threads is safe."""

    index: Any
    rows: NDArray[np.int64]
    effort: int

    def nearest(self, vector: FloatVector, k: int) -> NDArray[np.int64]:
        """Return about ``k`` row numbers near ``vector``, ascending; none where the graph cannot reach so many."""
        asked = min(k, len(self.rows))
        self.index.set_ef(max(self.effort, asked))
        try:
            labels, _ = self.index.knn_query(vector, k=asked, num_threads=1)
        except RuntimeError:  # fewer than k could be reached: the caller searches exactly
            return np.zeros(0, dtype=np.int64)
        return np.sort(labels[0].astype(np.int64))

    def save(self, path: Path) -> None:
        """Write the graph to a new file."""
        self.index.save_index(str(path))


def build_graph(matrix: FloatMatrix, rows: NDArray[np.int64], settings: StoreSettings) -> NeighbourGraph:
    """Build a graph of (n, d) unit vectors; about 40 CPU seconds per 100,000 rows. One thread, so it is repeatable."""
    index = import_module("hnswlib").Index(space="ip", dim=matrix.shape[1])
    index.init_index(
        max_elements=len(rows), M=settings.ann_neighbours, ef_construction=settings.ann_build_effort, random_seed=0
    )
    index.add_items(matrix, rows, num_threads=1)
    return NeighbourGraph(index=index, rows=rows, effort=settings.ann_search_effort)


def extend_graph(graph: NeighbourGraph, matrix: FloatMatrix, rows: NDArray[np.int64]) -> NeighbourGraph:
    """Add (n, d) vectors of new rows to a graph that nobody else uses."""
    index = graph.index
    index.resize_index(len(graph.rows) + len(rows))
    index.add_items(matrix, rows, num_threads=1)
    return NeighbourGraph(index=index, rows=np.union1d(graph.rows, rows), effort=graph.effort)


def load_graph(path: Path, *, dimension: int, settings: StoreSettings) -> NeighbourGraph:
    """Read a graph whose dimension the caller has checked (hnswlib does not); ``RuntimeError`` for a broken file."""
    index = import_module("hnswlib").Index(space="ip", dim=dimension)
    index.load_index(str(path))
    rows = np.sort(np.array(index.get_ids_list(), dtype=np.int64))
    return NeighbourGraph(index=index, rows=rows, effort=settings.ann_search_effort)
