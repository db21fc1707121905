"""Reading all of a tenant that the derived layer is made from."""

import sqlite3

from graph_store.bundles import Collection
from graph_store.embedded.access_sql import whole_tenant
from graph_store.embedded.document_reads import read_all_chunks, read_all_sentences, read_documents
from graph_store.named_records import unpack_homes, unpack_mentions, unpack_relations
from graph_store.packing import unpack_vectors
from graph_store.records import NamedHome, NamedMention, NamedRelation


def read_collection(connection: sqlite3.Connection, tenant: str, *, dimension: int) -> Collection:
    """Read a whole tenant; memory is about that of its texts and vectors."""
    scope = whole_tenant(connection, tenant)
    sentences = read_all_sentences(connection, scope, dimension=dimension)
    mentions, relations, homes = read_names(connection, tenant)
    vectors = connection.execute(
        "SELECT vector FROM chunks JOIN chunk_vectors USING (row) JOIN documents ON documents.row = chunks.document_row"
        " WHERE chunks.tenant = ? ORDER BY documents.id, chunks.position, chunks.id",
        (tenant,),
    )
    return Collection(
        tenant=tenant,
        documents=read_documents(connection, scope),
        chunks=read_all_chunks(connection, scope),
        chunk_vectors=unpack_vectors([blob for (blob,) in vectors], dimension),
        sentences=sentences.sentences,
        sentence_vectors=sentences.vectors,
        mentions=mentions,
        relations=relations,
        homes=homes,
    )


def read_names(
    connection: sqlite3.Connection, tenant: str
) -> tuple[tuple[NamedMention, ...], tuple[NamedRelation, ...], tuple[NamedHome, ...]]:
    """Return mentions, relations and homes as extracted, ordered by document, chunk, and as they were written."""
    mentions: list[NamedMention] = []
    relations: list[NamedRelation] = []
    homes: list[NamedHome] = []
    found = connection.execute(
        "SELECT chunks.id, mentions, relations, homes FROM chunks JOIN chunk_extractions USING (row)"
        " JOIN documents ON documents.row = chunks.document_row"
        " WHERE chunks.tenant = ? ORDER BY documents.id, chunks.position, chunks.id",
        (tenant,),
    )
    for chunk_id, mention_text, relation_text, home_text in found:
        mentions.extend(unpack_mentions(chunk_id, mention_text))
        relations.extend(unpack_relations(chunk_id, relation_text))
        homes.extend(unpack_homes(chunk_id, home_text))
    return tuple(mentions), tuple(relations), tuple(homes)
