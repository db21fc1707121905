"""Reading documents, chunks, parents and sentences within a scope."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from neo4j import Record

from graph_store.bundles import ChunkSentences, DocumentState, FloatMatrix, FloatVector, TokenVectors
from graph_store.in_order import in_order
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.scope import Scope, readable
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.vectors import from_list
from graph_store.packing import restore, unpack_metadata, unpack_spans, unpack_tokens
from graph_store.records import Chunk, Document, Parent, Sentence

_Row: TypeAlias = Record | Mapping[str, Any]

_DOCUMENT_KEYS = (
    "id",
    "source_uri",
    "title",
    "media_type",
    "content_hash",
    "version",
    "groups",
    "metadata",
    "effective_from",
    "effective_to",
    "updated_at",
)
_CHUNK_KEYS = (
    "id",
    "document_id",
    "document_version",
    "text",
    "heading_path",
    "char_start",
    "char_end",
    "position",
    "page",
    "parent_id",
    "context",
    "groups",
)
_DOCUMENT = ", ".join(f"d.{key} AS {key}" for key in _DOCUMENT_KEYS)
_CHUNK = ", ".join(f"c.{key} AS {key}" for key in _CHUNK_KEYS)
IN_DOCUMENT_ORDER = "ORDER BY c.document_id, c.position, c.id"
"""The order of all chunks of a tenant."""


def read_documents(
    transaction: Transaction, scope: Scope, document_ids: Sequence[str] | None = None
) -> tuple[Document, ...]:
    """Return readable documents: those asked for, in the order asked, or all, ordered by id."""
    chosen = "" if document_ids is None else " AND d.id IN $ids"
    found = transaction.rows(
        f"MATCH (d:Document {{tenant: $tenant}}) WHERE {readable('d')}{chosen} RETURN {_DOCUMENT} ORDER BY d.id",
        ids=list(document_ids or ()),
        **scope.parameters,
    )
    documents = {row["id"]: _document(row, scope.tenant) for row in found}
    return tuple(documents.values()) if document_ids is None else in_order(document_ids, documents)


def _document(row: _Row, tenant: str) -> Document:
    return Document(
        id=row["id"],
        source_uri=row["source_uri"],
        title=row["title"],
        media_type=row["media_type"],
        content_hash=row["content_hash"],
        version=row["version"],
        tenant=tenant,
        groups=tuple(row["groups"]),
        metadata=unpack_metadata(row["metadata"]),
        effective_from=row["effective_from"],
        effective_to=row["effective_to"],
        updated_at=row["updated_at"],
    )


def read_states(transaction: Transaction, tenant: str) -> dict[str, DocumentState]:
    """Return document id -> state of a whole tenant, ordered by id."""
    found = transaction.rows(
        "MATCH (d:Document {tenant: $tenant}) RETURN d.id, d.source_uri, d.content_hash, d.version, d.groups"
        " ORDER BY d.id",
        tenant=tenant,
    )
    return {
        row[0]: DocumentState(source_uri=row[1], content_hash=row[2], version=row[3], groups=tuple(row[4]))
        for row in found
    }


def read_text(transaction: Transaction, scope: Scope, document_id: str) -> str | None:
    """Return the cleaned text of a readable document."""
    found = transaction.rows(
        f"MATCH (d:Document {{tenant: $tenant, id: $id}}) WHERE {readable('d')} RETURN d.text",
        id=document_id,
        **scope.parameters,
    )
    return found[0].value() if found else None


def read_all_texts(transaction: Transaction, tenant: str) -> list[list[str]]:
    """Return [document id, text] of a whole tenant, ordered by id."""
    found = transaction.rows("MATCH (d:Document {tenant: $tenant}) RETURN d.id, d.text ORDER BY d.id", tenant=tenant)
    return [[document_id, text] for document_id, text in found]


def read_chunks(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, space: StoredSpace
) -> tuple[Chunk, ...]:
    """Return readable chunks in the order asked."""
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $ids AND {readable('c')} RETURN {_CHUNK}",
        ids=list(chunk_ids),
        **scope.parameters,
    )
    return in_order(chunk_ids, {row["id"]: _chunk(row, scope.tenant, space) for row in found})


def read_document_chunks(
    transaction: Transaction, scope: Scope, document_id: str, *, space: StoredSpace
) -> tuple[Chunk, ...]:
    """Return the readable chunks of one document by position."""
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant, document_id: $id}}) WHERE {readable('c')} RETURN {_CHUNK}"
        " ORDER BY c.position, c.id",
        id=document_id,
        **scope.parameters,
    )
    return tuple(_chunk(row, scope.tenant, space) for row in found)


def read_all_chunks(transaction: Transaction, scope: Scope, *, space: StoredSpace) -> tuple[Chunk, ...]:
    """Return all readable chunks, ordered by document id and position."""
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE {readable('c')} RETURN {_CHUNK} {IN_DOCUMENT_ORDER}",
        **scope.parameters,
    )
    return tuple(_chunk(row, scope.tenant, space) for row in found)


def _chunk(row: _Row, tenant: str, space: StoredSpace) -> Chunk:
    return Chunk(
        id=row["id"],
        document_id=row["document_id"],
        document_version=row["document_version"],
        text=row["text"],
        heading_path=tuple(row["heading_path"]),
        char_start=row["char_start"],
        char_end=row["char_end"],
        position=row["position"],
        page=row["page"],
        parent_id=row["parent_id"],
        context=row["context"],
        tenant=tenant,
        groups=tuple(row["groups"]),
        embedding_model=space.embedding_model,
    )


def read_parents(transaction: Transaction, scope: Scope, parent_ids: Sequence[str]) -> tuple[Parent, ...]:
    """Return readable parents in the order asked."""
    found = transaction.rows(
        "MATCH (p:Parent {tenant: $tenant}) WHERE p.id IN $ids"
        f" MATCH (d:Document)-[:HAS_PARENT]->(p) WHERE {readable('d')}"
        " RETURN p.id, p.document_id, p.char_start, p.char_end, p.position",
        ids=list(parent_ids),
        **scope.parameters,
    )
    parents = {
        row[0]: Parent(id=row[0], document_id=row[1], char_start=row[2], char_end=row[3], position=row[4])
        for row in found
    }
    return in_order(parent_ids, parents)


def read_sentences(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, space: StoredSpace
) -> ChunkSentences:
    """Return the sentences of readable chunks, chunks in the order asked."""
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $ids AND {readable('c')} MATCH (c)-[:HAS_DATA]->(x)"
        f" RETURN c.id, x.sentence_spans, x.{space.slot.sentence_vectors}",
        ids=list(chunk_ids),
        **scope.parameters,
    )
    rows = {row[0]: (row[0], row[1], row[2]) for row in found}
    return sentences_of(in_order(chunk_ids, rows), space.dimension)


def sentences_of(rows: Iterable[tuple[str, bytes, bytes]], dimension: int) -> ChunkSentences:
    """Make sentences from (chunk id, spans, int8 vectors), in their order."""
    kept = list(rows)
    sentences = tuple(
        Sentence(chunk_id=chunk_id, position=position, char_start=start, char_end=end)
        for chunk_id, spans, _ in kept
        for position, start, end in unpack_spans(spans)
    )
    quantised = np.frombuffer(b"".join(vectors for _, _, vectors in kept), dtype=np.int8)
    vectors: FloatMatrix = restore(quantised.reshape(len(sentences), dimension))
    return ChunkSentences(sentences=sentences, vectors=vectors)


def read_tokens(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, space: StoredSpace
) -> dict[str, TokenVectors]:
    """Return chunk id -> tokens of readable chunks that have some kept, in the order asked."""
    starts, vectors = f"x.{space.slot.token_starts}", f"x.{space.slot.token_vectors}"
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $ids AND {readable('c')} MATCH (c)-[:HAS_DATA]->(x)"
        f" WHERE {starts} IS NOT NULL RETURN c.id, {starts}, {vectors}",
        ids=list(chunk_ids),
        **scope.parameters,
    )
    rows = in_order(chunk_ids, {row[0]: row for row in found})
    return {row[0]: unpack_tokens(row[1], row[2], space.token_dimension) for row in rows}


def read_vectors(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, space: StoredSpace
) -> dict[str, FloatVector]:
    """Return chunk id -> vector of readable chunks, in the order asked."""
    found = transaction.rows(vectors_query(space), vector_ids=list(chunk_ids), **scope.parameters)
    return vectors_of(in_order(chunk_ids, {row["id"]: row for row in found}), space)


def vectors_query(space: StoredSpace) -> str:
    """Return the query for the columns id and vector of the readable chunks among ``$vector_ids``."""
    return (
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $vector_ids AND {readable('c')}"
        f" RETURN c.id AS id, c.{space.slot.embedding} AS vector"
    )


def vectors_of(rows: Sequence[_Row], space: StoredSpace) -> dict[str, FloatVector]:
    """Return chunk id -> vector, in the order of the rows of ``vectors_query``."""
    matrix = from_list([row["vector"] for row in rows], space.dimension)
    return {row["id"]: vector for row, vector in zip(rows, matrix, strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePassage:
    """A readable chunk with all that is kept of it. ``sentences`` are (chunk id, spans, int8 vectors) as packed."""

    chunk: Chunk
    document: Document
    vector: FloatVector | None
    sentences: tuple[str, bytes, bytes] | None
    token_starts: bytes | None
    token_vectors: bytes | None

    def tokens(self, dimension: int) -> TokenVectors:
        """Return the tokens of a passage that has some kept."""
        return unpack_tokens(self.token_starts or b"", self.token_vectors or b"", dimension)


WHOLE_COLUMNS = ("chunk", "document", "vector", "spans", "sentences", "starts", "tokens")
_WHOLE = (
    f" AND {readable('c')} MATCH (d:Document {{tenant: $tenant, id: c.document_id}}) WHERE {readable('d')}"
    f" OPTIONAL MATCH (c)-[:HAS_DATA]->(x) RETURN c {{{', '.join(f'.{key}' for key in _CHUNK_KEYS)}}} AS chunk, d"
    f" {{{', '.join(f'.{key}' for key in _DOCUMENT_KEYS)}}} AS document"
)


def _whole(space: StoredSpace) -> str:
    slot = space.slot
    return (
        f"{_WHOLE}, CASE WHEN $all OR c.id IN $with_vectors THEN c.{slot.embedding} END AS vector, x.sentence_spans AS"
        f" spans, x.{slot.sentence_vectors} AS sentences, x.{slot.token_starts} AS starts, x.{slot.token_vectors} AS"
        " tokens"
    )


def read_whole_passages(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, with_vectors: Sequence[str], space: StoredSpace
) -> list[WholePassage]:
    """Return readable chunks with all that is kept of them, in any order; vectors only of those named."""
    query, parameters = whole_passages_query(chunk_ids, with_vectors=with_vectors, space=space)
    found = transaction.rows(query, **parameters, **scope.parameters)
    return [whole_passage(row, scope.tenant, space) for row in found]


def whole_passages_query(
    chunk_ids: Sequence[str], *, with_vectors: Sequence[str], space: StoredSpace
) -> tuple[str, dict[str, Any]]:
    """Return what ``read_whole_passages`` asks, with the columns ``WHOLE_COLUMNS``, and its parameters."""
    parameters = {
        "ids": list(chunk_ids),
        "with_vectors": list(with_vectors),
        "all": len(with_vectors) == len(chunk_ids),
    }
    return f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $ids{_whole(space)}", parameters


def read_whole_document(
    transaction: Transaction, scope: Scope, document_id: str, *, space: StoredSpace
) -> list[WholePassage]:
    """Return the readable chunks of a document with all that is kept of them, by position."""
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant, document_id: $id}}) WHERE true{_whole(space)} ORDER BY c.position, c.id",
        id=document_id,
        with_vectors=[],
        all=True,
        **scope.parameters,
    )
    return [whole_passage(row, scope.tenant, space) for row in found]


def whole_passage(row: _Row, tenant: str, space: StoredSpace) -> WholePassage:
    """Return a passage from a row with the columns ``WHOLE_COLUMNS``."""
    chunk_id: str = row["chunk"]["id"]
    return WholePassage(
        chunk=_chunk(row["chunk"], tenant, space),
        document=_document(row["document"], tenant),
        vector=None if row["vector"] is None else from_list([row["vector"]], space.dimension)[0],
        sentences=None if row["spans"] is None else (chunk_id, row["spans"], row["sentences"]),
        token_starts=row["starts"],
        token_vectors=row["tokens"],
    )
