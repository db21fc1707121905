"""Writing the derived layer of a tenant: the old one goes and the new one comes in one transaction."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence

from graph_store.bundles import FloatMatrix, Generation
from graph_store.embedded.access_sql import audience_row
from graph_store.embedded.change_log import log_changes, mark_derived_changed
from graph_store.embedded.document_rows import next_row
from graph_store.embedded.entity_names import find_support
from graph_store.entity_names import ANY_EVIDENCE, DESCRIBED, names_of
from graph_store.errors import InvalidRecord
from graph_store.evidence_checks import check_evidence
from graph_store.packing import pack_json, pack_sentences, pack_vectors
from graph_store.records import Community, TreeNode

_OF_ENTITIES = ("entity_names", "entity_name_support", "mentions", "homes")


def replace_generation(connection: sqlite3.Connection, generation: Generation) -> None:
    """Replace the derived layer of a tenant and mark it current."""
    tenant = generation.tenant
    _delete_generation(connection, tenant)
    chunk_rows = dict(connection.execute("SELECT id, row FROM chunks WHERE tenant = ?", (tenant,)).fetchall())
    check_evidence(generation, chunk_rows)
    entity_rows = _insert_entities(connection, generation)
    _insert_occurrences(connection, generation, entity_rows, chunk_rows)
    _insert_relations(connection, generation, entity_rows, chunk_rows)
    connection.executemany(
        "INSERT INTO passage_edges (source_row, target_row, weight) VALUES (?, ?, ?)",
        ((chunk_rows[e.source_id], chunk_rows[e.target_id], e.weight) for e in generation.passage_edges),
    )
    _insert_communities(connection, generation, chunk_rows)
    _insert_tree(connection, generation, chunk_rows)
    log_changes(connection, tenant, kind="generation", operation="put", records=[(generation.fingerprint, 0)])
    mark_derived_changed(connection, tenant)
    connection.execute(
        "UPDATE tenants SET fingerprint = ?1, made_with = ?1, changed_documents = iif(?2, 0, changed_documents)"
        " WHERE tenant = ?3",
        (generation.fingerprint, generation.whole, tenant),
    )


def _delete_generation(connection: sqlite3.Connection, tenant: str) -> None:
    """Delete the derived layer, children first: in bulk this is much faster than by cascading foreign keys."""
    reports = connection.execute("SELECT id, row FROM communities WHERE tenant = ?", (tenant,)).fetchall()
    nodes = connection.execute("SELECT id, row FROM tree_nodes WHERE tenant = ?", (tenant,)).fetchall()
    log_changes(connection, tenant, kind="report", operation="delete", records=reports)
    log_changes(connection, tenant, kind="tree_node", operation="delete", records=nodes)
    for table in _OF_ENTITIES:
        connection.execute(
            f"DELETE FROM {table} WHERE entity_row IN (SELECT row FROM entities WHERE tenant = ?)", (tenant,)
        )
    connection.execute(
        "DELETE FROM relation_evidence WHERE relation_row IN (SELECT row FROM relations WHERE tenant = ?)", (tenant,)
    )
    connection.execute(
        "DELETE FROM passage_edges WHERE source_row IN (SELECT row FROM chunks WHERE tenant = ?)", (tenant,)
    )
    for owner, parts in (("communities", "community"), ("tree_nodes", "tree_node")):
        rows = f"(SELECT row FROM {owner} WHERE tenant = ?)"
        connection.execute(f"DELETE FROM {parts}_chunks WHERE owner_row IN {rows}", (tenant,))
        connection.execute(f"DELETE FROM {parts}_vectors WHERE row IN {rows}", (tenant,))
    for table in ("relations", "entities", "communities", "tree_nodes"):
        connection.execute(f"DELETE FROM {table} WHERE tenant = ?", (tenant,))


def _insert_entities(connection: sqlite3.Connection, generation: Generation) -> dict[str, int]:
    """Insert entities with their names and the documents that support them; return entity id -> row number."""
    first = next_row(connection, "entities")
    rows = {entity.id: row for row, entity in enumerate(generation.entities, first)}
    support = find_support(connection, generation, rows)
    counts = Counter((entity_row, number) for entity_row, number, _ in support)
    connection.executemany(
        "INSERT INTO entities (row, tenant, id, name, name_key, type, aliases, description, description_made_by,"
        " description_chunks, documents, described) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                *(row, e.tenant, e.id, e.name, e.name_key, e.type, pack_json(e.aliases), e.description),
                *(e.description_made_by, pack_json(e.description_chunk_ids)),
                *(counts[row, ANY_EVIDENCE], counts[row, DESCRIBED]),
            )
            for row, e in enumerate(generation.entities, first)
        ),
    )
    supported = {(entity_row, number) for entity_row, number, _ in support}
    connection.executemany(
        "INSERT INTO entity_names (entity_row, ordinal, name_key, supported) VALUES (?, ?, ?, ?)",
        (
            (row, number, key, (row, number) in supported)
            for row, entity in enumerate(generation.entities, first)
            for number, key in enumerate(names_of(entity))
        ),
    )
    connection.executemany(
        "INSERT INTO entity_name_support (entity_row, ordinal, document_row) VALUES (?, ?, ?)", sorted(support)
    )
    return rows


def _insert_occurrences(
    connection: sqlite3.Connection,
    generation: Generation,
    entity_rows: Mapping[str, int],
    chunk_rows: Mapping[str, int],
) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO mentions (entity_row, chunk_row, char_start, char_end) VALUES (?, ?, ?, ?)",
        sorted(
            (entity_rows[m.entity_id], chunk_rows[m.chunk_id], m.char_start, m.char_end) for m in generation.mentions
        ),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO homes (entity_row, chunk_row, kind) VALUES (?, ?, ?)",
        sorted((entity_rows[h.entity_id], chunk_rows[h.chunk_id], h.kind) for h in generation.homes),
    )


def _insert_relations(
    connection: sqlite3.Connection,
    generation: Generation,
    entity_rows: Mapping[str, int],
    chunk_rows: Mapping[str, int],
) -> None:
    first = next_row(connection, "relations")
    evidence = [tuple(dict.fromkeys(relation.evidence)) for relation in generation.relations]
    connection.executemany(
        "INSERT INTO relations (row, tenant, id, source_row, target_row, predicate, weight, evidence, strength)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                row,
                relation.tenant,
                relation.id,
                entity_rows[relation.source_id],
                entity_rows[relation.target_id],
                relation.predicate,
                relation.weight,
                len(chunk_ids),
                relation.strength,
            )
            for row, (relation, chunk_ids) in enumerate(zip(generation.relations, evidence, strict=True), first)
        ),
    )
    connection.executemany(
        "INSERT INTO relation_evidence (relation_row, position, chunk_row) VALUES (?, ?, ?)",
        (
            (row, position, chunk_rows[chunk_id])
            for row, chunk_ids in enumerate(evidence, first)
            for position, chunk_id in enumerate(chunk_ids)
        ),
    )


def _insert_communities(connection: sqlite3.Connection, generation: Generation, chunk_rows: Mapping[str, int]) -> None:
    first = next_row(connection, "communities")
    audiences = _audiences(connection, generation.communities)
    connection.executemany(
        "INSERT INTO communities (row, tenant, id, audience, groups, level, parent_id, entity_ids, title, sentences,"
        " key_entity_ids, key_relation_ids, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                row,
                item.tenant,
                item.id,
                audiences[item.groups],
                pack_json(item.groups),
                item.level,
                item.parent_id,
                pack_json(item.entity_ids),
                item.title,
                pack_sentences(item.report),
                pack_json(item.key_entity_ids),
                pack_json(item.key_relation_ids),
                item.made_by,
            )
            for row, item in enumerate(generation.communities, first)
        ),
    )
    _insert_evidence(
        connection,
        "community",
        first=first,
        evidence=[item.chunk_ids for item in generation.communities],
        vectors=generation.community_vectors,
        chunk_rows=chunk_rows,
    )
    _check_audience(connection, "communities", "community", generation.tenant)
    records = [(item.id, row) for row, item in enumerate(generation.communities, first)]
    log_changes(connection, generation.tenant, kind="report", operation="put", records=records)


def _insert_tree(connection: sqlite3.Connection, generation: Generation, chunk_rows: Mapping[str, int]) -> None:
    first = next_row(connection, "tree_nodes")
    audiences = _audiences(connection, generation.tree_nodes)
    connection.executemany(
        "INSERT INTO tree_nodes (row, tenant, id, audience, groups, level, parent_id, document_id, child_ids, title,"
        " sentences, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                row,
                item.tenant,
                item.id,
                audiences[item.groups],
                pack_json(item.groups),
                item.level,
                item.parent_id,
                item.document_id,
                pack_json(item.child_ids),
                item.title,
                pack_sentences(item.summary),
                item.made_by,
            )
            for row, item in enumerate(generation.tree_nodes, first)
        ),
    )
    _insert_evidence(
        connection,
        "tree_node",
        first=first,
        evidence=[item.chunk_ids for item in generation.tree_nodes],
        vectors=generation.tree_vectors,
        chunk_rows=chunk_rows,
    )
    _check_audience(connection, "tree_nodes", "tree_node", generation.tenant)
    records = [(item.id, row) for row, item in enumerate(generation.tree_nodes, first)]
    log_changes(connection, generation.tenant, kind="tree_node", operation="put", records=records)


def _audiences(connection: sqlite3.Connection, items: Sequence[Community | TreeNode]) -> dict[tuple[str, ...], int]:
    return {
        groups: audience_row(connection, tenant, groups)
        for tenant, groups in sorted({(item.tenant, item.groups) for item in items})
    }


def _insert_evidence(
    connection: sqlite3.Connection,
    parts: str,
    *,
    first: int,
    evidence: Sequence[tuple[str, ...]],
    vectors: FloatMatrix,
    chunk_rows: Mapping[str, int],
) -> None:
    connection.executemany(
        f"INSERT INTO {parts}_chunks (owner_row, position, chunk_row) VALUES (?, ?, ?)",
        (
            (row, position, chunk_rows[chunk_id])
            for row, chunk_ids in enumerate(evidence, first)
            for position, chunk_id in enumerate(dict.fromkeys(chunk_ids))
        ),
    )
    connection.executemany(
        f"INSERT INTO {parts}_vectors (row, vector) VALUES (?, ?)",
        enumerate(pack_vectors(vectors) if evidence else [], first),
    )


def _check_audience(connection: sqlite3.Connection, owner: str, parts: str, tenant: str) -> None:
    """Raise where a derived text rests on a chunk that another audience reads: it would carry it across."""
    wrong = connection.execute(
        f"SELECT {owner}.id, chunks.id FROM {owner} JOIN {parts}_chunks AS part ON part.owner_row = {owner}.row"
        f" JOIN chunks ON chunks.row = part.chunk_row"
        f" WHERE {owner}.tenant = ? AND chunks.audience <> {owner}.audience LIMIT 1",
        (tenant,),
    ).fetchone()
    if wrong is not None:
        raise InvalidRecord(f"{wrong[0]!r} rests on the chunk {wrong[1]!r}, which has other groups than it has itself")
