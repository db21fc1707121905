"""Filling the spare vector space: what it lacks, what that is made from, and writing it."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from graph_store.bundles import FloatMatrix
from graph_store.embedded.access_sql import whole_tenant
from graph_store.embedded.derived_reads import read_communities, read_tree_nodes
from graph_store.embedded.document_reads import read_chunks, read_documents, read_sentence_spans
from graph_store.embedded.spare_space import lacks_vectors, need_spare
from graph_store.errors import InvalidRecord
from graph_store.in_order import in_order
from graph_store.packing import pack_tokens, pack_vectors, quantise
from graph_store.record_checks import check_vectors
from graph_store.records import Chunk
from graph_store.spaces import SpaceVectors, Unfilled, UnfilledContent, VectorSpace
from graph_store.token_checks import check_token_vectors


def read_unfilled(connection: sqlite3.Connection, tenant: str) -> Unfilled:
    """Return what a tenant lacks in the spare space; raises ``SpaceMissing``."""
    need_spare(connection)

    def lacking(table: str) -> tuple[str, ...]:
        found = connection.execute(
            f"SELECT id FROM {table} WHERE tenant = ? AND {lacks_vectors(table)} ORDER BY row", (tenant,)
        )
        return tuple(record_id for (record_id,) in found)

    return Unfilled(
        chunk_ids=lacking("chunks"), community_ids=lacking("communities"), tree_node_ids=lacking("tree_nodes")
    )


def read_content(connection: sqlite3.Connection, tenant: str, part: Unfilled) -> UnfilledContent:
    """Return the records of ``part`` in its order."""
    scope = whole_tenant(connection, tenant)
    chunks = read_chunks(connection, scope, part.chunk_ids)
    documents = tuple(dict.fromkeys(chunk.document_id for chunk in chunks))
    communities = {item.id: item for item in read_communities(connection, scope, ids=part.community_ids)}
    nodes = {item.id: item for item in read_tree_nodes(connection, scope, ids=part.tree_node_ids)}
    return UnfilledContent(
        documents=read_documents(connection, scope, documents),
        chunks=chunks,
        sentences=read_sentence_spans(connection, scope, part.chunk_ids),
        communities=in_order(part.community_ids, communities),
        tree_nodes=in_order(part.tree_node_ids, nodes),
    )


def write_vectors(connection: sqlite3.Connection, vectors: SpaceVectors) -> None:
    """Write vectors into the spare space; raises ``SpaceMissing`` and ``InvalidRecord``."""
    space = need_spare(connection).space
    chunk_rows = _rows(connection, vectors.tenant, "chunks", vectors.chunk_ids)
    _check(vectors, space, read_chunks(connection, whole_tenant(connection, vectors.tenant), vectors.chunk_ids))
    _write_sentences(connection, vectors, chunk_rows, space.dimension)
    connection.executemany(
        "INSERT OR REPLACE INTO spare_chunk_tokens (row, starts, vectors) VALUES (?, ?, ?)",
        ((row, *pack_tokens(tokens)) for row, tokens in zip(chunk_rows, vectors.token_vectors, strict=False)),
    )
    _write_rows(connection, "chunk_vectors", chunk_rows, vectors.chunk_vectors)
    for table, parts, ids, matrix in (
        ("communities", "community_vectors", vectors.community_ids, vectors.community_vectors),
        ("tree_nodes", "tree_node_vectors", vectors.tree_node_ids, vectors.tree_vectors),
    ):
        _write_rows(connection, parts, _rows(connection, vectors.tenant, table, ids), matrix)


def _check(vectors: SpaceVectors, space: VectorSpace, chunks: Sequence[Chunk]) -> None:
    for owner, ids, matrix in (
        ("chunks", vectors.chunk_ids, vectors.chunk_vectors),
        ("communities", vectors.community_ids, vectors.community_vectors),
        ("tree nodes", vectors.tree_node_ids, vectors.tree_vectors),
    ):
        check_vectors(matrix, rows=len(ids), dimension=space.dimension, owner=owner)
    check_token_vectors(chunks, vectors.token_vectors, dimension=space.token_dimension, owner="the second vector space")


def _rows(connection: sqlite3.Connection, tenant: str, table: str, ids: Sequence[str]) -> list[int]:
    """Return the row numbers of records, in the order of their ids; raises where one is not there, or named twice."""
    found: Mapping[str, int] = dict(
        connection.execute(
            f"SELECT id, row FROM {table} WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
            (tenant, json.dumps(list(ids))),
        ).fetchall()
    )
    if len(found) != len(ids):
        strangers = [record_id for record_id in ids if record_id not in found]
        what = f"no record has the id {strangers[0]!r}" if strangers else "an id is named twice"
        raise InvalidRecord(f"the vectors do not fit the store ({what}): read again what the second space lacks")
    return [found[record_id] for record_id in ids]


def _write_sentences(
    connection: sqlite3.Connection, vectors: SpaceVectors, rows: Sequence[int], dimension: int
) -> None:
    """Write the sentence vectors of chunks beside the spans that the live space has."""
    if len(vectors.sentence_vectors) != len(rows):
        raise InvalidRecord(f"{len(rows)} chunks have sentence vectors of {len(vectors.sentence_vectors)}")
    spans = dict(
        connection.execute(
            "SELECT row, spans FROM chunk_sentences WHERE row IN (SELECT value FROM json_each(?))", (json.dumps(rows),)
        ).fetchall()
    )
    written = []
    for row, matrix in zip(rows, vectors.sentence_vectors, strict=True):
        expected = len(np.frombuffer(spans.get(row, b""), dtype="<i4")) // 3
        check_vectors(matrix, rows=expected, dimension=dimension, owner="sentences")
        if expected:
            written.append((row, spans[row], quantise(matrix).tobytes()))
    connection.executemany(
        "INSERT OR REPLACE INTO spare_chunk_sentences (row, spans, vectors) VALUES (?, ?, ?)", written
    )


def _write_rows(connection: sqlite3.Connection, table: str, rows: Sequence[int], matrix: FloatMatrix) -> None:
    blobs = pack_vectors(matrix) if rows else []
    connection.executemany(
        f"INSERT OR REPLACE INTO spare_{table} (row, vector) VALUES (?, ?)", zip(rows, blobs, strict=True)
    )
