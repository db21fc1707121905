"""Writing and deleting documents with all that belongs to them, many rows a statement."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from graph_store.bundles import DocumentBundle
from graph_store.embedded.access_sql import audience_row
from graph_store.embedded.change_log import log_changes
from graph_store.embedded.metadata_filters import metadata_rows
from graph_store.embedded.source_rows import forget_sources_of
from graph_store.named_records import pack_homes, pack_mentions, pack_relations
from graph_store.packing import pack_json, pack_metadata, pack_spans, pack_tokens, pack_vectors, quantise
from graph_store.records import Document, NamedHome, NamedMention, NamedRelation

_Named = TypeVar("_Named", NamedMention, NamedRelation, NamedHome)


def next_row(connection: sqlite3.Connection, table: str) -> int:
    """Return the first row number of an AUTOINCREMENT table that was never used."""
    found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return 1 if found is None else found[0] + 1


def insert_document(connection: sqlite3.Connection, bundle: DocumentBundle) -> None:
    """Insert a document that is not in the store."""
    document = bundle.document
    audience = audience_row(connection, document.tenant, document.groups)
    row = _insert_document_row(connection, document, audience)
    connection.execute("INSERT INTO document_texts (row, text) VALUES (?, ?)", (row, bundle.text))
    connection.executemany(
        "INSERT INTO document_metadata (tenant, key, document_row, position, number, text) VALUES (?, ?, ?, ?, ?, ?)",
        metadata_rows(document.tenant, row, document.metadata),
    )
    connection.executemany(
        "INSERT INTO parents (tenant, id, document_row, char_start, char_end, position) VALUES (?, ?, ?, ?, ?, ?)",
        ((document.tenant, p.id, row, p.char_start, p.char_end, p.position) for p in bundle.parents),
    )
    rows = _insert_chunks(connection, bundle, document_row=row, audience=audience)
    _insert_sentences(connection, bundle, rows)
    _insert_extractions(connection, bundle, rows)
    log_changes(connection, document.tenant, kind="document", operation="put", records=[(document.id, row)])
    log_changes(connection, document.tenant, kind="chunk", operation="put", records=rows.items())


def _insert_document_row(connection: sqlite3.Connection, document: Document, audience: int) -> int:
    inserted = connection.execute(
        "INSERT INTO documents (tenant, id, audience, groups, source_uri, title, media_type, content_hash, version,"
        " metadata, effective_from, effective_to, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.tenant,
            document.id,
            audience,
            pack_json(document.groups),
            document.source_uri,
            document.title,
            document.media_type,
            document.content_hash,
            document.version,
            pack_metadata(document.metadata),
            document.effective_from,
            document.effective_to,
            document.updated_at,
        ),
    )
    assert inserted.lastrowid is not None
    return inserted.lastrowid


def _insert_chunks(
    connection: sqlite3.Connection, bundle: DocumentBundle, *, document_row: int, audience: int
) -> dict[str, int]:
    """Insert the chunks with texts and vectors; return chunk id -> row number."""
    first = next_row(connection, "chunks")
    tenant = bundle.document.tenant
    connection.executemany(
        "INSERT INTO chunks (row, tenant, id, document_row, document_version, audience, position, char_start,"
        " char_end, page, parent_id, heading_path, context, embedding_model)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                row,
                tenant,
                chunk.id,
                document_row,
                chunk.document_version,
                audience,
                chunk.position,
                chunk.char_start,
                chunk.char_end,
                chunk.page,
                chunk.parent_id,
                pack_json(chunk.heading_path),
                chunk.context,
                chunk.embedding_model,
            )
            for row, chunk in enumerate(bundle.chunks, first)
        ),
    )
    rows = {chunk.id: row for row, chunk in enumerate(bundle.chunks, first)}
    connection.executemany(
        "INSERT INTO chunk_texts (row, text) VALUES (?, ?)",
        ((row, chunk.text) for row, chunk in enumerate(bundle.chunks, first)),
    )
    connection.executemany(
        "INSERT INTO chunk_vectors (row, vector) VALUES (?, ?)",
        enumerate(pack_vectors(bundle.chunk_vectors), first),
    )
    connection.executemany(
        "INSERT INTO chunk_tokens (row, starts, vectors) VALUES (?, ?, ?)",
        ((row, *pack_tokens(tokens)) for row, tokens in enumerate(bundle.token_vectors, first)),
    )
    return rows


def _insert_sentences(connection: sqlite3.Connection, bundle: DocumentBundle, rows: dict[str, int]) -> None:
    quantised = quantise(bundle.sentence_vectors)
    order = sorted(
        range(len(bundle.sentences)),
        key=lambda index: (rows[bundle.sentences[index].chunk_id], bundle.sentences[index].position),
    )
    packed = []
    for row, indices in groupby(order, key=lambda index: rows[bundle.sentences[index].chunk_id]):
        chosen = list(indices)
        sentences = [bundle.sentences[index] for index in chosen]
        spans = pack_spans([(item.position, item.char_start, item.char_end) for item in sentences])
        packed.append((row, spans, quantised[chosen].tobytes()))
    connection.executemany("INSERT INTO chunk_sentences (row, spans, vectors) VALUES (?, ?, ?)", packed)


def _insert_extractions(connection: sqlite3.Connection, bundle: DocumentBundle, rows: dict[str, int]) -> None:
    mentions = _by_chunk(bundle.mentions)
    relations = _by_chunk(bundle.relations)
    homes = _by_chunk(bundle.homes)
    named = [chunk.id for chunk in bundle.chunks if chunk.id in mentions or chunk.id in relations or chunk.id in homes]
    connection.executemany(
        "INSERT INTO chunk_extractions (row, mentions, relations, homes) VALUES (?, ?, ?, ?)",
        (
            (
                rows[chunk_id],
                pack_mentions(mentions[chunk_id]),
                pack_relations(relations[chunk_id]),
                pack_homes(homes[chunk_id]),
            )
            for chunk_id in named
        ),
    )


def _by_chunk(items: Iterable[_Named]) -> defaultdict[str, list[_Named]]:
    grouped: defaultdict[str, list[_Named]] = defaultdict(list)
    for item in items:
        grouped[item.chunk_id].append(item)
    return grouped


def delete_document_rows(connection: sqlite3.Connection, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
    """Delete documents with their parts and log it; return the ids that existed, in the order asked.

    Derived records go by their foreign keys (mentions, homes, evidence, edges); what remains of the derived layer is
    mended by :mod:`graph_store.embedded.lost_evidence`, which must run before this.
    """
    wanted = json.dumps(list(document_ids))
    found = connection.execute(
        "SELECT id, row FROM documents WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))", (tenant, wanted)
    ).fetchall()
    rows = json.dumps([row for _, row in found])
    chunks = connection.execute(
        "SELECT id, row FROM chunks WHERE document_row IN (SELECT value FROM json_each(?))", (rows,)
    ).fetchall()
    log_changes(connection, tenant, kind="chunk", operation="delete", records=chunks)
    log_changes(connection, tenant, kind="document", operation="delete", records=found)
    forget_sources_of(connection, rows)
    connection.execute("DELETE FROM documents WHERE row IN (SELECT value FROM json_each(?))", (rows,))
    existed = {document_id for document_id, _ in found}
    return tuple(dict.fromkeys(document_id for document_id in document_ids if document_id in existed))
