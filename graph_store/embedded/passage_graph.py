"""The passage graph in compressed sparse row form, as one caller sees it."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from graph_store.bundles import PassageGraph, PassageLinks, PassageSample
from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.document_reads import with_ids
from graph_store.embedded.entity_reads import VisibleNames, visible_names
from graph_store.passage_assembly import assemble_graph, strongest_links

_GRAPHS_KEPT = 8
_READABLE_CHUNKS = (
    "chunks JOIN documents ON documents.row = chunks.document_row"
    f" WHERE chunks.tenant = :tenant AND {readable('chunks')}"
)
IN_DOCUMENT_ORDER = "documents.id, chunks.position, chunks.id"
"""The order of all chunks of a tenant."""


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
                self._known[key] = read_graph(connection, scope)
                if len(self._known) > _GRAPHS_KEPT:
                    self._known.popitem(last=False)
            return self._known[key]


def read_graph(connection: sqlite3.Connection, scope: Scope) -> PassageGraph:
    """Read the graph: all readable chunks, by document id and position; O(chunks + mentions + edges)."""
    chunks = connection.execute(
        f"SELECT chunks.row, chunks.id FROM {_READABLE_CHUNKS} ORDER BY {IN_DOCUMENT_ORDER}", scope.parameters
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


def read_sample(connection: sqlite3.Connection, scope: Scope, *, most: int) -> PassageSample:
    """Count the readable chunks and choose some evenly; O(chunks log chunks)."""
    rows = connection.execute(
        "SELECT id, total FROM (SELECT chunks.id AS id, count(*) OVER () AS total,"
        f" row_number() OVER (ORDER BY {IN_DOCUMENT_ORDER}) - 1 AS place FROM {_READABLE_CHUNKS})"
        " WHERE place % max(1, total / :most) = 0 ORDER BY place LIMIT :most",
        {**scope.parameters, "most": most},
    ).fetchall()
    return PassageSample(count=rows[0][1] if rows else 0, chunk_ids=tuple(chunk_id for chunk_id, _ in rows))


def read_links(
    connection: sqlite3.Connection, scope: Scope, chunk_ids: Sequence[str], *, most: int
) -> dict[str, PassageLinks]:
    """Read the strongest edges of readable chunks, in the order asked."""
    rows = connection.execute(
        "SELECT source, target, weight, total FROM (SELECT source.id AS source, target.id AS target, weight,"
        " row_number() OVER (PARTITION BY source_row ORDER BY weight DESC, target.id) AS place,"
        " sum(weight) OVER (PARTITION BY source_row) AS total FROM chunks AS source"
        " JOIN passage_edges ON source_row = source.row JOIN chunks AS target ON target.row = target_row"
        " WHERE source.tenant = :tenant AND source.id IN (SELECT value FROM json_each(:ids))"
        f" AND {readable('source')} AND {readable('target')}) WHERE place <= :most ORDER BY source, place",
        {**with_ids(scope, chunk_ids), "most": most},
    )
    links: dict[str, PassageLinks] = {}
    for source, found in groupby(rows, key=itemgetter(0)):
        _, targets, weights, totals = zip(*found, strict=True)
        links |= strongest_links([(source, targets, weights, totals[0])])
    return {chunk_id: links[chunk_id] for chunk_id in chunk_ids if chunk_id in links}


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
