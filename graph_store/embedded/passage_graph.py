"""The passage graph in compressed sparse row form, as one caller sees it."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from graph_store.bundles import PassageGraph
from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.entity_reads import VisibleNames, visible_names
from graph_store.passage_assembly import assemble_graph

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
    visible = visible_names(connection, scope)
    edges = connection.execute(
        "SELECT source_row, target_row, weight FROM passage_edges JOIN chunks ON chunks.row = source_row"
        f" WHERE chunks.tenant = :tenant AND {readable('chunks')}",
        scope.parameters,
    )
    return assemble_graph(
        chunks,
        edges=edges,
        homes=_named(_occurrences(connection, scope, "homes"), visible),
        mentions=_named(_occurrences(connection, scope, "mentions"), visible),
    )


def _occurrences(connection: sqlite3.Connection, scope: Scope, table: str) -> Iterable[tuple[int, int]]:
    return connection.execute(
        f"SELECT DISTINCT entity_row, chunk_row FROM {table} JOIN entities ON entities.row = entity_row"
        " WHERE entities.tenant = :tenant",
        scope.parameters,
    )


def _named(occurrences: Iterable[tuple[int, int]], visible: VisibleNames) -> Iterator[tuple[str, int]]:
    """Yield (name key, chunk row) for every readable name of what occurs."""
    for entity_row, chunk_row in occurrences:
        for key in set(visible.get(entity_row, {}).values()):
            yield key, chunk_row
