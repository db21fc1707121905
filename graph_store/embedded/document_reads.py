"""Reading documents, chunks, parents and sentences within a scope."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from graph_store.bundles import ChunkSentences, DocumentState, FloatMatrix, TokenVectors
from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.database import Row
from graph_store.in_order import in_order
from graph_store.packing import restore, unpack_metadata, unpack_spans, unpack_strings, unpack_tokens
from graph_store.records import Chunk, Document, Parent, Sentence

_DOCUMENT_COLUMNS = (
    "id, source_uri, title, media_type, content_hash, version, tenant, groups, metadata, effective_from, effective_to,"
    " updated_at"
)
CHUNK_COLUMNS = (
    "chunks.id, documents.id, chunks.document_version, chunk_texts.text, chunks.heading_path, chunks.char_start,"
    " chunks.char_end, chunks.position, chunks.page, chunks.parent_id, chunks.context, chunks.tenant, documents.groups,"
    " (SELECT embedding_model FROM store_state)"
)
"""The columns that ``chunk_of`` makes a chunk from."""

CHUNK_TABLES = (
    "FROM chunks JOIN documents ON documents.row = chunks.document_row JOIN chunk_texts ON chunk_texts.row = chunks.row"
)
"""The tables that hold ``CHUNK_COLUMNS``."""

_CHUNK_SELECT = f"SELECT {CHUNK_COLUMNS} {CHUNK_TABLES}"


def with_ids(scope: Scope, ids: Iterable[str]) -> dict[str, str | int]:
    """Return the parameters of a scope with ``:ids``, a JSON list."""
    return {**scope.parameters, "ids": json.dumps(list(ids))}


def read_documents(
    connection: sqlite3.Connection, scope: Scope, document_ids: Sequence[str] | None = None
) -> tuple[Document, ...]:
    """Return readable documents: those asked for, in the order asked, or all, ordered by id."""
    chosen = "" if document_ids is None else " AND id IN (SELECT value FROM json_each(:ids))"
    found = connection.execute(
        f"SELECT {_DOCUMENT_COLUMNS} FROM documents WHERE tenant = :tenant AND {readable('documents')}{chosen}"
        " ORDER BY id",
        with_ids(scope, document_ids or ()),
    )
    documents = {row[0]: _document(row) for row in found}
    return tuple(documents.values()) if document_ids is None else in_order(document_ids, documents)


def _document(row: Row) -> Document:
    return Document(
        id=row[0],
        source_uri=row[1],
        title=row[2],
        media_type=row[3],
        content_hash=row[4],
        version=row[5],
        tenant=row[6],
        groups=unpack_strings(row[7]),
        metadata=unpack_metadata(row[8]),
        effective_from=row[9],
        effective_to=row[10],
        updated_at=row[11],
    )


def read_states(connection: sqlite3.Connection, tenant: str) -> dict[str, DocumentState]:
    """Return document id -> state of a whole tenant, ordered by id."""
    found = connection.execute(
        "SELECT id, source_uri, content_hash, version, groups FROM documents WHERE tenant = ? ORDER BY id", (tenant,)
    )
    return {
        row[0]: DocumentState(source_uri=row[1], content_hash=row[2], version=row[3], groups=unpack_strings(row[4]))
        for row in found
    }


def read_text(connection: sqlite3.Connection, scope: Scope, document_id: str) -> str | None:
    """Return the cleaned text of a readable document."""
    found = connection.execute(
        "SELECT document_texts.text FROM documents JOIN document_texts USING (row)"
        f" WHERE tenant = :tenant AND id = :id AND {readable('documents')}",
        {**scope.parameters, "id": document_id},
    ).fetchone()
    return None if found is None else found[0]


def read_chunks(connection: sqlite3.Connection, scope: Scope, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
    """Return readable chunks in the order asked."""
    found = connection.execute(
        f"{_CHUNK_SELECT} WHERE chunks.tenant = :tenant AND chunks.id IN (SELECT value FROM json_each(:ids))"
        f" AND {readable('chunks')}",
        with_ids(scope, chunk_ids),
    )
    return in_order(chunk_ids, {row[0]: chunk_of(row) for row in found})


def read_document_chunks(connection: sqlite3.Connection, scope: Scope, document_id: str) -> tuple[Chunk, ...]:
    """Return the readable chunks of one document by position."""
    found = connection.execute(
        f"{_CHUNK_SELECT} WHERE documents.tenant = :tenant AND documents.id = :id AND {readable('chunks')}"
        " ORDER BY chunks.position, chunks.id",
        {**scope.parameters, "id": document_id},
    )
    return tuple(chunk_of(row) for row in found)


def read_all_chunks(connection: sqlite3.Connection, scope: Scope) -> tuple[Chunk, ...]:
    """Return all readable chunks, ordered by document id and position."""
    found = connection.execute(
        f"{_CHUNK_SELECT} WHERE chunks.tenant = :tenant AND {readable('chunks')}"
        " ORDER BY documents.id, chunks.position, chunks.id",
        scope.parameters,
    )
    return tuple(chunk_of(row) for row in found)


def chunk_of(row: Row) -> Chunk:
    """Make a chunk from ``CHUNK_COLUMNS``."""
    return Chunk(
        id=row[0],
        document_id=row[1],
        document_version=row[2],
        text=row[3],
        heading_path=unpack_strings(row[4]),
        char_start=row[5],
        char_end=row[6],
        position=row[7],
        page=row[8],
        parent_id=row[9],
        context=row[10],
        tenant=row[11],
        groups=unpack_strings(row[12]),
        embedding_model=row[13],
    )


def read_parents(connection: sqlite3.Connection, scope: Scope, parent_ids: Sequence[str]) -> tuple[Parent, ...]:
    """Return readable parents in the order asked."""
    found = connection.execute(
        "SELECT parents.id, documents.id, parents.char_start, parents.char_end, parents.position FROM parents"
        " JOIN documents ON documents.row = parents.document_row"
        f" WHERE parents.tenant = :tenant AND parents.id IN (SELECT value FROM json_each(:ids))"
        f" AND {readable('documents')}",
        with_ids(scope, parent_ids),
    )
    parents = {
        row[0]: Parent(id=row[0], document_id=row[1], char_start=row[2], char_end=row[3], position=row[4])
        for row in found
    }
    return in_order(parent_ids, parents)


def read_sentences(
    connection: sqlite3.Connection, scope: Scope, chunk_ids: Sequence[str], *, dimension: int
) -> ChunkSentences:
    """Return the sentences of readable chunks, chunks in the order asked."""
    found = connection.execute(
        "SELECT chunks.id, spans, vectors FROM chunks JOIN chunk_sentences USING (row)"
        f" WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids)) AND {readable('chunks')}",
        with_ids(scope, chunk_ids),
    )
    return _sentences(in_order(chunk_ids, {row[0]: row for row in found}), dimension)


def read_sentence_spans(connection: sqlite3.Connection, scope: Scope, chunk_ids: Sequence[str]) -> tuple[Sentence, ...]:
    """Return the sentences of readable chunks without vectors, chunks in the order asked, then by position."""
    found = connection.execute(
        "SELECT chunks.id, spans FROM chunks JOIN chunk_sentences USING (row)"
        f" WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids)) AND {readable('chunks')}",
        with_ids(scope, chunk_ids),
    )
    return _spans_of(in_order(chunk_ids, {row[0]: row for row in found}))


def read_tokens(
    connection: sqlite3.Connection, scope: Scope, chunk_ids: Sequence[str], *, dimension: int
) -> dict[str, TokenVectors]:
    """Return chunk id -> tokens of readable chunks, in the order asked."""
    found = connection.execute(
        "SELECT chunks.id, starts, vectors FROM chunks JOIN chunk_tokens USING (row)"
        f" WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids)) AND {readable('chunks')}",
        with_ids(scope, chunk_ids),
    )
    rows = in_order(chunk_ids, {row[0]: row for row in found})
    return {chunk_id: unpack_tokens(starts, vectors, dimension) for chunk_id, starts, vectors in rows}


def read_all_sentences(connection: sqlite3.Connection, scope: Scope, *, dimension: int) -> ChunkSentences:
    """Return all readable sentences, ordered as ``read_all_chunks`` and by position."""
    found = connection.execute(
        "SELECT chunks.id, spans, vectors FROM chunks JOIN chunk_sentences USING (row)"
        " JOIN documents ON documents.row = chunks.document_row"
        f" WHERE chunks.tenant = :tenant AND {readable('chunks')} ORDER BY documents.id, chunks.position, chunks.id",
        scope.parameters,
    )
    return _sentences(found.fetchall(), dimension)


def _sentences(rows: Sequence[Row], dimension: int) -> ChunkSentences:
    sentences = _spans_of(rows)
    quantised = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.int8).reshape(len(sentences), dimension)
    vectors: FloatMatrix = restore(quantised)
    return ChunkSentences(sentences=sentences, vectors=vectors)


def _spans_of(rows: Sequence[Row]) -> tuple[Sentence, ...]:
    """Return the sentences of rows that start with a chunk id and packed spans."""
    return tuple(
        Sentence(chunk_id=row[0], position=position, char_start=start, char_end=end)
        for row in rows
        for position, start, end in unpack_spans(row[1])
    )
