"""Reading and counting all of a tenant: for indexing and for digests."""

from graph_store.bundles import Collection, StoreCounts
from graph_store.canonical_digest import digest_records
from graph_store.named_records import unpack_homes, unpack_mentions, unpack_relations
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.derived_reads import count_relations, read_communities, read_relations, read_tree_nodes
from graph_store.neo4j.document_reads import (
    IN_DOCUMENT_ORDER,
    read_all_chunks,
    read_all_texts,
    read_documents,
    sentences_of,
)
from graph_store.neo4j.entity_reads import count_entities, read_entities
from graph_store.neo4j.passage_graph import read_edges
from graph_store.neo4j.scope import Scope, readable, whole_tenant
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.vectors import from_list
from graph_store.packing import unpack_spans
from graph_store.records import HomeKind, NamedHome, NamedMention, NamedRelation

_IN_ORDER = "MATCH (c:Chunk {tenant: $tenant})-[:HAS_DATA]->(x) WITH c, x " + IN_DOCUMENT_ORDER


def read_collection(transaction: Transaction, tenant: str, *, space: StoredSpace) -> Collection:
    """Read a whole tenant; memory is about that of its texts and vectors."""
    scope = whole_tenant(tenant)
    mentions, relations, homes = _read_names(transaction, tenant)
    vectors = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) RETURN c.{space.slot.embedding} {IN_DOCUMENT_ORDER}", tenant=tenant
    )
    rows = transaction.rows(
        f"{_IN_ORDER} RETURN c.id, x.sentence_spans, x.{space.slot.sentence_vectors}", tenant=tenant
    )
    sentences = sentences_of(((row[0], row[1], row[2]) for row in rows), space.dimension)
    return Collection(
        tenant=tenant,
        documents=read_documents(transaction, scope),
        chunks=read_all_chunks(transaction, scope, space=space),
        chunk_vectors=from_list([row[0] for row in vectors], space.dimension),
        sentences=sentences.sentences,
        sentence_vectors=sentences.vectors,
        mentions=mentions,
        relations=relations,
        homes=homes,
    )


def _read_names(
    transaction: Transaction, tenant: str
) -> tuple[tuple[NamedMention, ...], tuple[NamedRelation, ...], tuple[NamedHome, ...]]:
    """Return mentions, relations and homes as extracted, ordered by document, chunk, and as they were written."""
    mentions: list[NamedMention] = []
    relations: list[NamedRelation] = []
    homes: list[NamedHome] = []
    found = transaction.rows(f"{_IN_ORDER} RETURN c.id, x.mentions, x.relations, x.homes", tenant=tenant)
    for chunk_id, mention_text, relation_text, home_text in found:
        mentions.extend(unpack_mentions(chunk_id, mention_text))
        relations.extend(unpack_relations(chunk_id, relation_text))
        homes.extend(unpack_homes(chunk_id, home_text))
    return tuple(mentions), tuple(relations), tuple(homes)


def digest_content(transaction: Transaction, scope: Scope, *, space: StoredSpace) -> str:
    """Return the digest of a tenant's content, which the embedded store has as well if it holds the same."""
    parents = transaction.rows(
        "MATCH (p:Parent {tenant: $tenant}) RETURN p.id, p.char_start, p.char_end, p.position ORDER BY p.id",
        tenant=scope.tenant,
    )
    spans = transaction.rows(
        "MATCH (c:Chunk {tenant: $tenant})-[:HAS_DATA]->(x) RETURN c.id, x.sentence_spans ORDER BY c.id",
        tenant=scope.tenant,
    )
    mentions, homes = read_occurrences(transaction, scope)
    return digest_records(
        read_documents(transaction, scope),
        read_all_chunks(transaction, scope, space=space),
        *_read_names(transaction, scope.tenant),
        read_entities(transaction, scope),
        read_relations(transaction, scope),
        read_communities(transaction, scope),
        read_tree_nodes(transaction, scope),
        read_all_texts(transaction, scope.tenant),
        (list(row) for row in parents),
        ([chunk_id, bytes(kept).hex().upper()] for chunk_id, kept in spans if unpack_spans(kept)),
        mentions,
        homes,
        sorted(read_edges(transaction, scope)),
    )


def read_occurrences(
    transaction: Transaction, scope: Scope
) -> tuple[list[tuple[str, str, int, int]], list[tuple[str, str, HomeKind]]]:
    """Return (entity id, chunk id, start, end) of all mentions, and (entity id, chunk id, kind) of homes, sorted."""
    found = transaction.rows(
        "MATCH (c:Chunk {tenant: $tenant})-[r:HAS_ENTITY]->(e:__Entity__) WHERE e.generation = $generation"
        " RETURN e.id, c.id, r.starts, r.ends, r.homes ORDER BY e.id, c.id",
        **scope.parameters,
    )
    mentions: list[tuple[str, str, int, int]] = []
    homes: list[tuple[str, str, HomeKind]] = []
    for entity_id, chunk_id, starts, ends, kinds in found:
        mentions += [(entity_id, chunk_id, start, end) for start, end in zip(starts, ends, strict=True)]
        homes += [(entity_id, chunk_id, kind) for kind in kinds]
    return mentions, homes


def count_records(transaction: Transaction, scope: Scope) -> StoreCounts:
    """Count the readable records of each kind."""

    def number(label: str, *, derived: bool) -> int:
        keys = "{tenant: $tenant, generation: $generation}" if derived else "{tenant: $tenant}"
        found = transaction.rows(f"MATCH (n:{label} {keys}) WHERE {readable('n')} RETURN count(n)", **scope.parameters)
        counted: int = found[0].value()
        return counted

    return StoreCounts(
        documents=number("Document", derived=False),
        chunks=number("Chunk", derived=False),
        entities=count_entities(transaction, scope),
        relations=count_relations(transaction, scope),
        communities=number("__Community__", derived=True),
        tree_nodes=number("Summary", derived=True),
    )
