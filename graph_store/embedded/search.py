"""Searching chunks, reports and tree nodes within access and filters."""

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.access import Access
from graph_store.bundles import FloatVector
from graph_store.embedded.access_sql import Scope, Scopes, readable
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.database import Database
from graph_store.embedded.document_reads import with_ids
from graph_store.embedded.document_versions import superseded_ids
from graph_store.embedded.keyword_catalog import KeywordCatalog
from graph_store.embedded.keyword_index import RowFilter
from graph_store.embedded.metadata_filters import passing_documents
from graph_store.embedded.vector_catalog import VectorCatalog
from graph_store.embedded.vector_index import Mask, VectorIndex
from graph_store.errors import InvalidRecord
from graph_store.filters import Filters
from graph_store.records import Hit, SearchKind
from graph_store.settings import StoreSettings

_TABLE = {"chunk": "chunks", "report": "communities", "tree_node": "tree_nodes"}
_PARTS = {"report": "community_chunks", "tree_node": "tree_node_chunks"}
_FILTERS_KEPT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Who searches what: the kind, how many, and which documents may be below a result."""

    access: Access
    kind: SearchKind
    k: int
    filters: Filters = ()


class HitSearch:
    """Search over the derived indexes. No hit leaves that the database does not hold and let the caller read now."""

    def __init__(
        self,
        database: Database,
        keywords: KeywordCatalog,
        vectors: VectorCatalog,
        *,
        scopes: Scopes,
        settings: StoreSettings,
    ) -> None:
        self._scopes = scopes
        self._database = database
        self._keywords = keywords
        self._vectors = vectors
        self._settings = settings
        self._lock = threading.Lock()
        self._passing: OrderedDict[tuple[object, ...], list[int]] = OrderedDict()
        self._passing_ids: OrderedDict[tuple[object, ...], frozenset[str]] = OrderedDict()

    def by_keywords(self, request: SearchRequest, text: str) -> tuple[Hit, ...]:
        """Return hits by BM25 score, best first, ties by id."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, request.access)
            rows = self._passing_rows(connection, scope, request)
            if not scope.audiences:
                return ()
            allowed = RowFilter(
                audiences=None if scope.whole else scope.audiences,
                documents=rows if request.kind == "chunk" else None,
                rows=rows if request.kind != "chunk" else None,
            )
            most = self._settings.keyword_terms
            scored = self._keywords.search(
                connection,
                scope.tenant,
                request.kind,
                lambda index: index.search(text, k=request.k, allowed=allowed, most_terms=most),
            )
            ids = _readable_ids(connection, scope, request.kind, [row for row, _ in scored])
        hits = [Hit(id=ids[row], score=score) for row, score in scored if row in ids]
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id))[: request.k])

    def by_vector(self, request: SearchRequest, vector: FloatVector) -> tuple[Hit, ...]:
        """Return hits by cosine, best first, ties by id."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, request.access)
            passing = self._passing_rows(connection, scope, request)
            index = self._vectors.index_of(connection, scope.tenant, request.kind)
            allowed = _mask(index, scope, request.kind, passing)
            exact_rows = self._settings.exact_rows
            found = index.search(_checked(vector, index), k=request.k, allowed=allowed, exact_rows=exact_rows)
        # No further check: the index was read at the sequence of this very snapshot, rows and audiences alike.
        return tuple(Hit(id=index.ids[place], score=score) for place, score in found)

    def cosines(self, access: Access, vector: FloatVector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return chunk id -> cosine for the readable chunks among those asked for, in the order asked."""
        index, places = self._readable_places(access, chunk_ids)
        return dict(zip(places, index.cosines(_checked(vector, index), list(places.values())), strict=True))

    def chunk_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, FloatVector]:
        """Return chunk id -> a copy of its vector for the readable chunks among those asked for, in the order asked."""
        index, places = self._readable_places(access, chunk_ids)
        matrix = index.matrix[list(places.values())]
        return dict(zip(places, matrix, strict=True))

    def filtered_documents(self, access: Access, filters: Filters) -> frozenset[str] | None:
        """Return the ids of readable documents that pass; None where there is no filter."""
        if not filters:
            return None
        return self._remembered(
            access,
            filters,
            lambda connection, scope: [item for _, item in passing_documents(connection, scope, filters)],
        )

    def superseded_documents(self, access: Access) -> frozenset[str]:
        """Return the ids of readable documents that another readable one supersedes, at any time."""
        return self._remembered(access, "superseded", superseded_ids)

    def _remembered(
        self, access: Access, what: object, find: Callable[[sqlite3.Connection, Scope], Iterable[str]]
    ) -> frozenset[str]:
        """Return what was found of the documents that the caller may read, as long as they do not change."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            key = (scope, read_sequences(connection, scope.tenant).data, what)
            with self._lock:
                if key in self._passing_ids:
                    self._passing_ids.move_to_end(key)
                    return self._passing_ids[key]
            found = frozenset(find(connection, scope))
        with self._lock:
            self._passing_ids[key] = found
            if len(self._passing_ids) > _FILTERS_KEPT:
                self._passing_ids.popitem(last=False)
        return found

    def _readable_places(self, access: Access, chunk_ids: Sequence[str]) -> tuple[VectorIndex, dict[str, int]]:
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            index = self._vectors.index_of(connection, scope.tenant, "chunk")
            found = connection.execute(
                "SELECT id FROM chunks WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids))"
                f" AND {readable('chunks')}",
                with_ids(scope, chunk_ids),
            )
            allowed = {chunk_id for (chunk_id,) in found}
        places = index.places()
        return index, {key: places[key] for key in dict.fromkeys(chunk_ids) if key in allowed}

    def _passing_rows(self, connection: sqlite3.Connection, scope: Scope, request: SearchRequest) -> list[int] | None:
        """Return the rows that pass the filters: of documents for chunks, else of the records themselves."""
        if not request.filters:
            return None
        sequences = read_sequences(connection, scope.tenant)
        key = (scope, sequences.data, sequences.derived, request.kind, request.filters)
        with self._lock:
            if key in self._passing:
                self._passing.move_to_end(key)
                return self._passing[key]
        rows = [row for row, _ in passing_documents(connection, scope, request.filters)]
        if request.kind != "chunk":
            rows = _derived_over(connection, scope, request.kind, rows)
        with self._lock:
            self._passing[key] = rows
            if len(self._passing) > _FILTERS_KEPT:
                self._passing.popitem(last=False)
        return rows


def _derived_over(
    connection: sqlite3.Connection, scope: Scope, kind: SearchKind, document_rows: Sequence[int]
) -> list[int]:
    """Return the readable reports or tree nodes that rest on the given documents alone."""
    table, parts = _TABLE[kind], _PARTS[kind]
    found = connection.execute(
        f"SELECT row FROM {table} WHERE tenant = :tenant AND {readable(table)} AND row NOT IN"
        f" (SELECT owner_row FROM {parts} JOIN chunks ON chunks.row = chunk_row WHERE chunks.tenant = :tenant"
        " AND chunks.document_row NOT IN (SELECT value FROM json_each(:documents))) ORDER BY row",
        {**scope.parameters, "documents": json.dumps(document_rows)},
    )
    return [row for (row,) in found]


def _readable_ids(
    connection: sqlite3.Connection, scope: Scope, kind: SearchKind, rows: Sequence[int]
) -> dict[int, str]:
    """Return row -> id of the rows that are in the store and readable now."""
    table = _TABLE[kind]
    found = connection.execute(
        f"SELECT row, id FROM {table} WHERE row IN (SELECT value FROM json_each(:rows)) AND {readable(table)}",
        {**scope.parameters, "rows": json.dumps(rows)},
    )
    return dict(found.fetchall())


def _mask(index: VectorIndex, scope: Scope, kind: SearchKind, passing: list[int] | None) -> Mask | None:
    """Return which places of the index may be found; None where all may."""
    mask = None if scope.whole else np.isin(index.audiences, scope.audiences)
    if passing is None:
        return mask
    passed = np.isin(index.documents if kind == "chunk" else index.rows, passing)
    return passed if mask is None else mask & passed


def _checked(vector: FloatVector, index: VectorIndex) -> FloatVector:
    if vector.shape != index.matrix.shape[1:]:
        raise InvalidRecord(f"the vector has shape {vector.shape}, the store holds {index.matrix.shape[1:]}")
    if not np.isfinite(vector).all():
        raise InvalidRecord("the vector has components that are not finite")
    return np.ascontiguousarray(vector, dtype=np.float32)
