"""Reading relations, communities and tree nodes within a scope."""

from collections.abc import Collection as AnyCollection
from collections.abc import Sequence

from neo4j import Record

from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.scope import Scope, readable
from graph_store.packing import unpack_sentences
from graph_store.records import Community, Relation, TreeNode

_LARGEST_LEVEL = 2**63 - 1  # no larger number can be asked for; there is just nothing on such a level
_TEXT = (
    "n.id AS id, n.groups AS groups, n.level AS level, n.parent_id AS parent_id, n.title AS title, n.sentences AS"
    " sentences, n.made_by AS made_by, n.chunk_ids AS chunk_ids"
)


def read_relations(transaction: Transaction, scope: Scope, entity_id: str | None = None) -> tuple[Relation, ...]:
    """Return relations with readable evidence, ordered by id; of one entity where one is given."""
    pattern = "(a:__Entity__ {tenant: $tenant, generation: $generation})-[r:RELATED]->(b:__Entity__)"
    if entity_id is not None:
        pattern = "(e:__Entity__ {tenant: $tenant, generation: $generation, id: $id})-[r:RELATED]-()"
    found = transaction.rows(
        f"MATCH {pattern} WITH DISTINCT r UNWIND range(0, size(r.evidence) - 1) AS place"
        f" MATCH (c:Chunk {{tenant: $tenant, id: r.evidence[place]}}) WHERE {readable('c')}"
        " WITH r, place, c.id AS chunk ORDER BY place WITH r, collect(chunk) AS evidence"
        " RETURN r.id AS id, startNode(r).id AS source, endNode(r).id AS target, r.type AS predicate, r.weight AS"
        " weight, coalesce(r.strength, 0.0) AS strength, r.stated AS stated, evidence ORDER BY id",
        id=entity_id,
        **scope.parameters,
    )
    return tuple(_relation(row, scope.tenant) for row in found)


def _relation(row: Record, tenant: str) -> Relation:
    evidence: Sequence[str] = row["evidence"]
    weight: float = row["weight"]
    # The sentences of hidden chunks do not count, and how many there were is not told: one a chunk is what is left.
    seen = weight if len(evidence) == row["stated"] else min(weight, float(len(evidence)))
    return Relation(
        id=row["id"],
        tenant=tenant,
        source_id=row["source"],
        target_id=row["target"],
        predicate=row["predicate"],
        weight=seen,
        evidence=tuple(evidence),
        strength=row["strength"] if len(evidence) == row["stated"] else 0.0,
    )


def count_relations(transaction: Transaction, scope: Scope) -> int:
    """Count the relations with readable evidence."""
    found = transaction.rows(
        "MATCH (:__Entity__ {tenant: $tenant, generation: $generation})-[r:RELATED]->(:__Entity__)"
        " WHERE any(id IN r.evidence WHERE EXISTS {"
        f" MATCH (c:Chunk {{tenant: $tenant, id: id}}) WHERE {readable('c')} }})"
        " RETURN count(r)",
        **scope.parameters,
    )
    number: int = found[0].value()
    return number


def read_communities(
    transaction: Transaction, scope: Scope, *, level: int | None = None, ids: AnyCollection[str] | None = None
) -> tuple[Community, ...]:
    """Return readable communities, ordered by level, then size (largest first), then id."""
    if not _exists(level):
        return ()
    found = transaction.rows(
        f"MATCH (n:__Community__ {{tenant: $tenant, generation: $generation}}) WHERE {readable('n')}"
        + _chosen(level=level, ids=ids)
        + f" RETURN {_TEXT}, n.entity_ids AS entity_ids, n.key_entity_ids AS key_entity_ids, n.key_relation_ids AS"
        " key_relation_ids",
        level=level,
        ids=list(ids or ()),
        **scope.parameters,
    )
    communities = [_community(row, scope.tenant) for row in found]
    return tuple(sorted(communities, key=lambda item: (item.level, -len(item.entity_ids), item.id)))


def _community(row: Record, tenant: str) -> Community:
    return Community(
        id=row["id"],
        tenant=tenant,
        groups=tuple(row["groups"]),
        level=row["level"],
        parent_id=row["parent_id"],
        entity_ids=tuple(row["entity_ids"]),
        title=row["title"],
        report=unpack_sentences(row["sentences"]),
        key_entity_ids=tuple(row["key_entity_ids"]),
        key_relation_ids=tuple(row["key_relation_ids"]),
        chunk_ids=tuple(row["chunk_ids"]),
        made_by=row["made_by"],
    )


def read_tree_nodes(
    transaction: Transaction,
    scope: Scope,
    *,
    level: int | None = None,
    document_id: str | None = None,
    ids: AnyCollection[str] | None = None,
) -> tuple[TreeNode, ...]:
    """Return readable tree nodes, ordered by level (highest first), then id."""
    if not _exists(level):
        return ()
    found = transaction.rows(
        f"MATCH (n:Summary {{tenant: $tenant, generation: $generation}}) WHERE {readable('n')}"
        + _chosen(level=level, ids=ids)
        + ("" if document_id is None else " AND n.document_id = $document_id")
        + f" RETURN {_TEXT}, n.document_id AS document_id, n.child_ids AS child_ids ORDER BY level DESC, id",
        level=level,
        document_id=document_id,
        ids=list(ids or ()),
        **scope.parameters,
    )
    return tuple(_tree_node(row, scope.tenant) for row in found)


def _tree_node(row: Record, tenant: str) -> TreeNode:
    return TreeNode(
        id=row["id"],
        tenant=tenant,
        groups=tuple(row["groups"]),
        level=row["level"],
        parent_id=row["parent_id"],
        document_id=row["document_id"],
        child_ids=tuple(row["child_ids"]),
        title=row["title"],
        summary=unpack_sentences(row["sentences"]),
        chunk_ids=tuple(row["chunk_ids"]),
        made_by=row["made_by"],
    )


def _exists(level: int | None) -> bool:
    return level is None or abs(level) <= _LARGEST_LEVEL


def _chosen(*, level: int | None, ids: AnyCollection[str] | None) -> str:
    return ("" if level is None else " AND n.level = $level") + ("" if ids is None else " AND n.id IN $ids")
