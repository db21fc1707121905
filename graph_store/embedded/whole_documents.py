"""Reading whole documents, as they were written, and the whole derived layer of a tenant, as it stands."""

import json
import sqlite3
from collections.abc import Sequence

from graph_store.bundles import DocumentBundle, Generation
from graph_store.copies import DocumentParts, LayerStanding, StoredLayer
from graph_store.embedded.access_sql import Scope, whole_tenant
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.derived_reads import read_relations
from graph_store.embedded.document_reads import read_chunks, read_documents, read_sentences, read_tokens
from graph_store.embedded.entity_reads import read_entities
from graph_store.embedded.generation_reads import read_generation
from graph_store.named_records import unpack_homes, unpack_mentions, unpack_relations
from graph_store.packing import unpack_vectors
from graph_store.records import Home, Mention, NamedHome, NamedMention, NamedRelation, Parent, PassageEdge
from graph_store.spaces import VectorSpace

_CHOSEN = "(SELECT row FROM documents WHERE tenant = ? AND id IN (SELECT value FROM json_each(?)))"


def read_bundles(
    connection: sqlite3.Connection, tenant: str, document_ids: Sequence[str], *, space: VectorSpace
) -> tuple[DocumentBundle, ...]:
    """Return whole documents in the order asked."""
    scope = whole_tenant(connection, tenant)
    chosen = (tenant, json.dumps(list(document_ids)))
    texts = connection.execute(
        f"SELECT id, text FROM documents JOIN document_texts USING (row) WHERE row IN {_CHOSEN}", chosen
    )
    found = connection.execute(
        f"SELECT id, vector FROM chunks JOIN chunk_vectors USING (row) WHERE document_row IN {_CHOSEN}"
        " ORDER BY document_row, position, id",
        chosen,
    ).fetchall()
    chunk_ids = [chunk_id for chunk_id, _ in found]
    vectors = unpack_vectors([blob for _, blob in found], space.dimension)
    mentions, relations, homes = _names(connection, chosen)
    parts = DocumentParts(
        documents=read_documents(connection, scope, document_ids),
        texts=dict(texts.fetchall()),
        parents=_parents(connection, chosen),
        chunks=read_chunks(connection, scope, chunk_ids),
        vectors=dict(zip(chunk_ids, vectors, strict=True)),
        sentences=read_sentences(connection, scope, chunk_ids, dimension=space.dimension),
        tokens=read_tokens(connection, scope, chunk_ids, dimension=space.token_dimension),
        mentions=mentions,
        relations=relations,
        homes=homes,
    )
    return parts.bundles(space.dimension)


def _parents(connection: sqlite3.Connection, chosen: tuple[str, str]) -> list[Parent]:
    found = connection.execute(
        "SELECT parents.id, documents.id, char_start, char_end, position FROM parents"
        f" JOIN documents ON documents.row = document_row WHERE document_row IN {_CHOSEN}"
        " ORDER BY position, parents.id",
        chosen,
    )
    return [Parent(id=row[0], document_id=row[1], char_start=row[2], char_end=row[3], position=row[4]) for row in found]


def _names(
    connection: sqlite3.Connection, chosen: tuple[str, str]
) -> tuple[list[NamedMention], list[NamedRelation], list[NamedHome]]:
    mentions: list[NamedMention] = []
    relations: list[NamedRelation] = []
    homes: list[NamedHome] = []
    found = connection.execute(
        "SELECT id, mentions, relations, homes FROM chunks JOIN chunk_extractions USING (row)"
        f" WHERE document_row IN {_CHOSEN}",
        chosen,
    )
    for chunk_id, mention_text, relation_text, home_text in found:
        mentions.extend(unpack_mentions(chunk_id, mention_text))
        relations.extend(unpack_relations(chunk_id, relation_text))
        homes.extend(unpack_homes(chunk_id, home_text))
    return mentions, relations, homes


def read_layer(connection: sqlite3.Connection, tenant: str, *, dimension: int) -> StoredLayer:
    """Return the derived layer of a tenant as it stands."""
    scope = whole_tenant(connection, tenant)
    texts = read_generation(connection, tenant, dimension=dimension)
    entities = read_entities(connection, scope)
    known = {entity.id for entity in entities}
    generation = Generation(
        tenant=tenant,
        fingerprint=texts.fingerprint or "",
        entities=entities,
        mentions=tuple(item for item in _mentions(connection, scope) if item.entity_id in known),
        homes=tuple(item for item in _homes(connection, scope) if item.entity_id in known),
        relations=tuple(
            item for item in read_relations(connection, scope) if known.issuperset((item.source_id, item.target_id))
        ),
        passage_edges=_edges(connection, scope),
        communities=texts.communities,
        community_vectors=texts.community_vectors,
        tree_nodes=texts.tree_nodes,
        tree_vectors=texts.tree_vectors,
    )
    standing = LayerStanding(
        fingerprint=read_sequences(connection, tenant).fingerprint,
        made_with=texts.fingerprint,
        changed_documents=texts.changed_documents,
        mended=texts.mended,
    )
    return StoredLayer(generation=generation, standing=standing)


def _mentions(connection: sqlite3.Connection, scope: Scope) -> list[Mention]:
    found = connection.execute(
        "SELECT entities.id, chunks.id, mentions.char_start, mentions.char_end FROM mentions"
        " JOIN entities ON entities.row = entity_row JOIN chunks ON chunks.row = chunk_row"
        " WHERE entities.tenant = ? ORDER BY 1, 2, 3, 4",
        (scope.tenant,),
    )
    return [Mention(entity_id=row[0], chunk_id=row[1], char_start=row[2], char_end=row[3]) for row in found]


def _homes(connection: sqlite3.Connection, scope: Scope) -> list[Home]:
    found = connection.execute(
        "SELECT entities.id, chunks.id, homes.kind FROM homes JOIN entities ON entities.row = entity_row"
        " JOIN chunks ON chunks.row = chunk_row WHERE entities.tenant = ? ORDER BY 1, 2, 3",
        (scope.tenant,),
    )
    return [Home(entity_id=row[0], chunk_id=row[1], kind=row[2]) for row in found]


def _edges(connection: sqlite3.Connection, scope: Scope) -> tuple[PassageEdge, ...]:
    found = connection.execute(
        "SELECT source.id, target.id, weight FROM passage_edges JOIN chunks AS source ON source.row = source_row"
        " JOIN chunks AS target ON target.row = target_row WHERE source.tenant = ? ORDER BY 1, 2",
        (scope.tenant,),
    )
    return tuple(PassageEdge(source_id=row[0], target_id=row[1], weight=row[2]) for row in found)
