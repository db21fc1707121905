"""Reading entities, mentions, relations, communities and tree nodes within a scope."""

import sqlite3
from collections.abc import Collection as AnyCollection
from collections.abc import Sequence

from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.database import Row
from graph_store.embedded.document_reads import with_ids
from graph_store.embedded.schema_upgrades import keeps_model_facts
from graph_store.packing import unpack_sentences, unpack_strings
from graph_store.records import Community, Mention, Relation, TreeNode

_EVIDENCE_OF = (
    "(SELECT json_group_array(id) FROM (SELECT chunks.id FROM {parts}_chunks AS part"
    " JOIN chunks ON chunks.row = part.chunk_row WHERE part.owner_row = {owner}.row ORDER BY part.position))"
)
# The level comes as text, since no integer beyond 64 bits can be handed over; there is just nothing on such a level.
_OF_LEVEL = " AND level = CAST(:level AS NUMERIC)"


def read_mentions(connection: sqlite3.Connection, scope: Scope, entity_id: str) -> tuple[Mention, ...]:
    """Return the readable mentions of an entity, ordered by chunk id and offset."""
    found = connection.execute(
        "SELECT chunks.id, mentions.char_start, mentions.char_end FROM entities"
        " JOIN mentions ON mentions.entity_row = entities.row JOIN chunks ON chunks.row = mentions.chunk_row"
        f" WHERE entities.tenant = :tenant AND entities.id = :id AND {readable('chunks')}"
        " ORDER BY chunks.id, mentions.char_start, mentions.char_end",
        {**scope.parameters, "id": entity_id},
    )
    return tuple(
        Mention(entity_id=entity_id, chunk_id=chunk_id, char_start=start, char_end=end)
        for chunk_id, start, end in found
    )


def read_relations(connection: sqlite3.Connection, scope: Scope, entity_id: str | None = None) -> tuple[Relation, ...]:
    """Return relations with readable evidence, ordered by id; of one entity where one is given."""
    chosen = "" if entity_id is None else " AND (source.id = :id OR target.id = :id)"
    strength = "relations.strength" if keeps_model_facts(connection) else "0.0"
    found = connection.execute(
        "SELECT relations.id, source.id, target.id, relations.predicate, relations.weight, relations.evidence,"
        f" {strength}, chunks.id FROM relations JOIN entities AS source ON source.row = relations.source_row"
        " JOIN entities AS target ON target.row = relations.target_row"
        " JOIN relation_evidence AS part ON part.relation_row = relations.row"
        " JOIN chunks ON chunks.row = part.chunk_row"
        f" WHERE relations.tenant = :tenant AND {readable('chunks')}{chosen} ORDER BY relations.id, part.position",
        {**scope.parameters, "id": entity_id},
    )
    heads: dict[str, Row] = {}
    evidence: dict[str, list[str]] = {}
    for *head, chunk_id in found:
        heads.setdefault(head[0], tuple(head))
        evidence.setdefault(head[0], []).append(chunk_id)
    return tuple(_relation(head, evidence[key], scope.tenant) for key, head in heads.items())


def _relation(head: Row, evidence: Sequence[str], tenant: str) -> Relation:
    record_id, source_id, target_id, predicate, weight, all_evidence, strength = head
    # The sentences of hidden chunks do not count, and how many there were is not told: one a chunk is what is left.
    seen = weight if len(evidence) == all_evidence else min(weight, float(len(evidence)))
    return Relation(
        id=record_id,
        tenant=tenant,
        source_id=source_id,
        target_id=target_id,
        predicate=predicate,
        weight=seen,
        evidence=tuple(evidence),
        strength=strength if len(evidence) == all_evidence else 0.0,
    )


def read_communities(
    connection: sqlite3.Connection, scope: Scope, *, level: int | None = None, ids: AnyCollection[str] | None = None
) -> tuple[Community, ...]:
    """Return readable communities, ordered by level, then size (largest first), then id."""
    found = connection.execute(
        "SELECT id, groups, level, parent_id, entity_ids, title, sentences, key_entity_ids, key_relation_ids, made_by, "
        + _EVIDENCE_OF.format(parts="community", owner="communities")
        + f" FROM communities WHERE tenant = :tenant AND {readable('communities')}"
        + ("" if level is None else _OF_LEVEL)
        + ("" if ids is None else " AND id IN (SELECT value FROM json_each(:ids))"),
        {**with_ids(scope, ids or ()), "level": str(level)},
    )
    communities = [_community(row, scope.tenant) for row in found]
    return tuple(sorted(communities, key=lambda item: (item.level, -len(item.entity_ids), item.id)))


def _community(row: Row, tenant: str) -> Community:
    return Community(
        id=row[0],
        tenant=tenant,
        groups=unpack_strings(row[1]),
        level=row[2],
        parent_id=row[3],
        entity_ids=unpack_strings(row[4]),
        title=row[5],
        report=unpack_sentences(row[6]),
        key_entity_ids=unpack_strings(row[7]),
        key_relation_ids=unpack_strings(row[8]),
        made_by=row[9],
        chunk_ids=unpack_strings(row[10]),
    )


def read_tree_nodes(
    connection: sqlite3.Connection,
    scope: Scope,
    *,
    level: int | None = None,
    document_id: str | None = None,
    ids: AnyCollection[str] | None = None,
) -> tuple[TreeNode, ...]:
    """Return readable tree nodes, ordered by level (highest first), then id."""
    found = connection.execute(
        "SELECT id, groups, level, parent_id, document_id, child_ids, title, sentences, made_by, "
        + _EVIDENCE_OF.format(parts="tree_node", owner="tree_nodes")
        + f" FROM tree_nodes WHERE tenant = :tenant AND {readable('tree_nodes')}"
        + ("" if level is None else _OF_LEVEL)
        + ("" if document_id is None else " AND document_id = :document_id")
        + ("" if ids is None else " AND id IN (SELECT value FROM json_each(:ids))")
        + " ORDER BY level DESC, id",
        {**with_ids(scope, ids or ()), "level": str(level), "document_id": document_id},
    )
    return tuple(_tree_node(row, scope.tenant) for row in found)


def _tree_node(row: Row, tenant: str) -> TreeNode:
    return TreeNode(
        id=row[0],
        tenant=tenant,
        groups=unpack_strings(row[1]),
        level=row[2],
        parent_id=row[3],
        document_id=row[4],
        child_ids=unpack_strings(row[5]),
        title=row[6],
        summary=unpack_sentences(row[7]),
        made_by=row[8],
        chunk_ids=unpack_strings(row[9]),
    )
