"""Reading whole documents, as they were written, and the whole derived layer of a tenant, as it stands."""

from collections.abc import Sequence

from graph_store.bundles import DocumentBundle, Generation
from graph_store.copies import DocumentParts, LayerStanding, StoredLayer
from graph_store.named_records import unpack_homes, unpack_mentions, unpack_relations
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.derived_reads import read_relations
from graph_store.neo4j.document_reads import (
    read_chunks,
    read_documents,
    read_sentences,
    read_tokens,
    read_vectors,
)
from graph_store.neo4j.entity_reads import read_entities
from graph_store.neo4j.generation_reads import read_generation
from graph_store.neo4j.passage_graph import read_edges
from graph_store.neo4j.scope import Scope, whole_tenant
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.store_state import Progress
from graph_store.neo4j.tenant_reads import read_occurrences
from graph_store.records import Home, Mention, NamedHome, NamedMention, NamedRelation, Parent, PassageEdge

_CHOSEN = "MATCH (d:Document {tenant: $tenant}) WHERE d.id IN $ids"


def read_bundles(
    transaction: Transaction, tenant: str, document_ids: Sequence[str], *, space: StoredSpace
) -> tuple[DocumentBundle, ...]:
    """Return whole documents in the order asked."""
    scope = whole_tenant(tenant)
    asked = {"tenant": tenant, "ids": list(document_ids)}
    texts = transaction.rows(f"{_CHOSEN} RETURN d.id, d.text", **asked)
    found = transaction.rows(
        f"{_CHOSEN} MATCH (d)<-[:PART_OF]-(c:Chunk) RETURN c.id ORDER BY d.id, c.position, c.id", **asked
    )
    chunk_ids = [chunk_id for (chunk_id,) in found]
    mentions, relations, homes = _names(transaction, tenant, chunk_ids)
    parts = DocumentParts(
        documents=read_documents(transaction, scope, document_ids),
        texts={document_id: text for document_id, text in texts},
        parents=_parents(transaction, tenant, document_ids),
        chunks=read_chunks(transaction, scope, chunk_ids, space=space),
        vectors=read_vectors(transaction, scope, chunk_ids, space=space),
        sentences=read_sentences(transaction, scope, chunk_ids, space=space),
        tokens=read_tokens(transaction, scope, chunk_ids, space=space),
        mentions=mentions,
        relations=relations,
        homes=homes,
    )
    return parts.bundles(space.dimension)


def _parents(transaction: Transaction, tenant: str, document_ids: Sequence[str]) -> list[Parent]:
    found = transaction.rows(
        f"{_CHOSEN} MATCH (d)-[:HAS_PARENT]->(p) RETURN p.id, d.id, p.char_start, p.char_end, p.position"
        " ORDER BY p.position, p.id",
        tenant=tenant,
        ids=list(document_ids),
    )
    return [Parent(id=row[0], document_id=row[1], char_start=row[2], char_end=row[3], position=row[4]) for row in found]


def _names(
    transaction: Transaction, tenant: str, chunk_ids: Sequence[str]
) -> tuple[list[NamedMention], list[NamedRelation], list[NamedHome]]:
    mentions: list[NamedMention] = []
    relations: list[NamedRelation] = []
    homes: list[NamedHome] = []
    found = transaction.rows(
        "MATCH (c:Chunk {tenant: $tenant}) WHERE c.id IN $ids MATCH (c)-[:HAS_DATA]->(x)"
        " RETURN c.id, x.mentions, x.relations, x.homes",
        tenant=tenant,
        ids=list(chunk_ids),
    )
    for chunk_id, mention_text, relation_text, home_text in found:
        mentions.extend(unpack_mentions(chunk_id, mention_text))
        relations.extend(unpack_relations(chunk_id, relation_text))
        homes.extend(unpack_homes(chunk_id, home_text))
    return mentions, relations, homes


def read_layer(transaction: Transaction, scope: Scope, progress: Progress, *, space: StoredSpace) -> StoredLayer:
    """Return the derived layer of a tenant as it stands."""
    texts = read_generation(transaction, scope, space=space)
    entities = read_entities(transaction, scope)
    known = {entity.id for entity in entities}
    mentions, homes = read_occurrences(transaction, scope)
    generation = Generation(
        tenant=scope.tenant,
        fingerprint=texts.fingerprint or "",
        entities=entities,
        mentions=tuple(
            Mention(entity_id=entity_id, chunk_id=chunk_id, char_start=start, char_end=end)
            for entity_id, chunk_id, start, end in mentions
            if entity_id in known
        ),
        homes=tuple(
            Home(entity_id=entity_id, chunk_id=chunk_id, kind=kind)
            for entity_id, chunk_id, kind in homes
            if entity_id in known
        ),
        relations=tuple(
            item for item in read_relations(transaction, scope) if known.issuperset((item.source_id, item.target_id))
        ),
        passage_edges=tuple(
            PassageEdge(source_id=source, target_id=target, weight=weight)
            for source, target, weight in sorted(read_edges(transaction, scope))
        ),
        communities=texts.communities,
        community_vectors=texts.community_vectors,
        tree_nodes=texts.tree_nodes,
        tree_vectors=texts.tree_vectors,
    )
    standing = LayerStanding(
        fingerprint=progress.fingerprint,
        made_with=texts.fingerprint,
        changed_documents=texts.changed_documents,
        mended=texts.mended,
    )
    return StoredLayer(generation=generation, standing=standing)
