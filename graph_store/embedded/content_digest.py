"""A digest of a tenant's content that two stores share exactly when they hold the same."""

import sqlite3
from collections.abc import Iterable

from graph_store.canonical_digest import digest_records
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
    """Return a SHA-256 in hexadecimal over all records of a tenant (see :mod:`graph_store.canonical_digest`)."""
    scope = whole_tenant(connection, tenant)
    return digest_records(
        read_documents(connection, scope),
        read_all_chunks(connection, scope),
        *read_names(connection, tenant),
        read_entities(connection, scope),
        read_relations(connection, scope),
        read_communities(connection, scope),
        read_tree_nodes(connection, scope),
        *(_rows(connection, statement, tenant) for statement in _ROWS),
    )


def _rows(connection: sqlite3.Connection, statement: str, tenant: str) -> Iterable[Row]:
    return connection.execute(statement, {"tenant": tenant})
