"""The passage graph in compressed sparse row form, as one caller sees it."""

import sqlite3
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatVector, PassageGraph
from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.entity_reads import VisibleNames, visible_names

_Places: TypeAlias = NDArray[np.int64]
_GRAPHS_KEPT = 8


class PassageGraphs:
    """Reads passage graphs, and remembers the latest until their tenant changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[object, ...], PassageGraph] = OrderedDict()

    def of(self, connection: sqlite3.Connection, scope: Scope) -> PassageGraph:
        """Return the graph that a scope may read in a snapshot."""
        sequences = read_sequences(connection, scope.tenant)
        key = (scope, sequences.data, sequences.derived)
        with self._lock:
            if key not in self._known:
                self._known[key] = read_passage_graph(connection, scope)
                if len(self._known) > _GRAPHS_KEPT:
                    self._known.popitem(last=False)
            return self._known[key]


def read_passage_graph(connection: sqlite3.Connection, scope: Scope) -> PassageGraph:
    """Build the graph over all readable chunks, ordered by document id and position; O(chunks + edges + mentions)."""
    chunks = connection.execute(
        "SELECT chunks.row, chunks.id FROM chunks JOIN documents ON documents.row = chunks.document_row"
        f" WHERE chunks.tenant = :tenant AND {readable('chunks')} ORDER BY documents.id, chunks.position, chunks.id",
        scope.parameters,
    ).fetchall()
    place = {row: index for index, (row, _) in enumerate(chunks)}
    visible = visible_names(connection, scope)
    indptr, indices, weights = _edges(connection, scope, place)
    return PassageGraph(
        chunk_ids=tuple(chunk_id for _, chunk_id in chunks),
        indptr=indptr,
        indices=indices,
        weights=weights,
        homes=_by_name(_occurrences(connection, scope, "homes"), visible, place),
        mentions=_by_name(_occurrences(connection, scope, "mentions"), visible, place),
    )


def _edges(connection: sqlite3.Connection, scope: Scope, place: dict[int, int]) -> tuple[_Places, _Places, FloatVector]:
    """Return indptr, indices and weights of the edges between readable chunks."""
    found = connection.execute(
        "SELECT source_row, target_row, weight FROM passage_edges JOIN chunks ON chunks.row = source_row"
        f" WHERE chunks.tenant = :tenant AND {readable('chunks')}",
        scope.parameters,
    )
    edges = sorted(
        (place[source], place[target], weight)
        for source, target, weight in found
        if source in place and target in place
    )
    sources = np.array([source for source, _, _ in edges], dtype=np.int64)
    counts = np.bincount(sources, minlength=len(place)) if edges else np.zeros(len(place), dtype=np.int64)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    indices = np.array([target for _, target, _ in edges], dtype=np.int64)
    weights = np.array([weight for _, _, weight in edges], dtype=np.float32)
    return indptr, indices, weights


def _occurrences(connection: sqlite3.Connection, scope: Scope, table: str) -> Iterable[tuple[int, int]]:
    return connection.execute(
        f"SELECT DISTINCT entity_row, chunk_row FROM {table} JOIN entities ON entities.row = entity_row"
        " WHERE entities.tenant = :tenant",
        scope.parameters,
    )


def _by_name(
    occurrences: Iterable[tuple[int, int]], visible: VisibleNames, place: dict[int, int]
) -> dict[str, tuple[int, ...]]:
    """Return name key -> sorted places of the chunks; names and chunks that are not readable are left out."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for entity_row, chunk_row in occurrences:
        found = place.get(chunk_row)
        if found is not None:
            for key in set(visible.get(entity_row, {}).values()):
                places[key].add(found)
    return {key: tuple(sorted(places[key])) for key in sorted(places) if key}
