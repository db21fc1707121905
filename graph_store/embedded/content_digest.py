"""A digest of a tenant's content that two stores share exactly when they hold the same."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace

from graph_store.embedded.access_sql import whole_tenant
from graph_store.embedded.collection_reads import read_names
from graph_store.embedded.database import Row
from graph_store.embedded.derived_reads import read_communities, read_relations, read_tree_nodes
from graph_store.embedded.document_reads import read_all_chunks, read_documents
from graph_store.embedded.entity_reads import read_entities

_ROWS = (
    "SELECT documents.id, text FROM documents JOIN document_texts USING (row) WHERE tenant = :tenant ORDER BY 1",
    "SELECT id, char_start, char_end, position FROM parents WHERE tenant = :tenant ORDER BY 1",
    "SELECT id, hex(spans) FROM chunks JOIN chunk_sentences USING (row) WHERE tenant = :tenant ORDER BY 1",
    "SELECT entities.id, chunks.id, mentions.char_start, mentions.char_end FROM mentions"
    " JOIN entities ON entities.row = entity_row JOIN chunks ON chunks.row = chunk_row"
    " WHERE entities.tenant = :tenant ORDER BY 1, 2, 3, 4",
    "SELECT entities.id, chunks.id, homes.kind FROM homes JOIN entities ON entities.row = entity_row"
    " JOIN chunks ON chunks.row = chunk_row WHERE entities.tenant = :tenant ORDER BY 1, 2, 3",
    "SELECT source.id, target.id, weight FROM passage_edges JOIN chunks AS source ON source.row = source_row"
    " JOIN chunks AS target ON target.row = target_row WHERE source.tenant = :tenant ORDER BY 1, 2",
)


def digest_content(connection: sqlite3.Connection, tenant: str) -> str:
    """Return a SHA-256 in hexadecimal over all records of a tenant, in canonical order.

    Vectors are left out (they differ in the last bits between machines), and so is what tells of the store and not of
    its content: sequences, row numbers, how often a document changed, and when its source did.
    """
    digest = hashlib.sha256()
    scope = whole_tenant(connection, tenant)
    records: Iterable[object]
    for records in (
        (replace(document, updated_at="", version=0) for document in read_documents(connection, scope)),
        (replace(chunk, document_version=0) for chunk in read_all_chunks(connection, scope)),
        *read_names(connection, tenant),
        read_entities(connection, scope),
        read_relations(connection, scope),
        read_communities(connection, scope),
        read_tree_nodes(connection, scope),
        *(_rows(connection, statement, tenant) for statement in _ROWS),
    ):
        for record in records:
            line = json.dumps(record, ensure_ascii=False, sort_keys=True, default=_values)
            digest.update(line.encode("utf-8"))
            digest.update(b"\n")
        digest.update(b"\x00")
    return digest.hexdigest()


def _values(record: object) -> list[object]:
    """Return the values of a dataclass in the order of its fields, for JSON."""
    if not is_dataclass(record):
        raise TypeError(f"{record!r} is no record")
    return [getattr(record, item.name) for item in fields(record)]


def _rows(connection: sqlite3.Connection, statement: str, tenant: str) -> Iterable[Row]:
    return connection.execute(statement, {"tenant": tenant})
