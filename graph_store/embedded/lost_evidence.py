"""What becomes of the derived layer when documents go: nothing derived exists without its evidence.

Entities, relations, mentions, homes and edges lose the part that rested on the deleted chunks, and go with the last
part. Reports and summaries lose the sentences that rested on a deleted chunk, and go with the last sentence; until the
next generation the title of one that lost something is its first sentence, for the old one may name what is gone.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graph_store.embedded.change_log import log_changes, mark_derived_changed
from graph_store.entity_names import ANY_EVIDENCE
from graph_store.packing import pack_json, pack_sentences, unpack_sentences, unpack_strings
from graph_store.records import SourcedSentence

_TITLE_LENGTH = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """Derived rows that lose evidence with some documents: row numbers as JSON lists, and the ids of their chunks."""

    chunk_ids: frozenset[str]
    chunks: str
    entities: str
    relations: str
    communities: str
    tree_nodes: str


def find_touched(connection: sqlite3.Connection, tenant: str, document_ids: Sequence[str]) -> Touched:
    """Find what rests on documents that are about to be deleted."""
    found = connection.execute(
        "SELECT chunks.row, chunks.id FROM chunks JOIN documents ON documents.row = chunks.document_row"
        " WHERE documents.tenant = ? AND documents.id IN (SELECT value FROM json_each(?))",
        (tenant, json.dumps(list(document_ids))),
    ).fetchall()
    chunks = json.dumps([row for row, _ in found])

    def rows(column: str, *tables: str) -> str:
        touched: set[int] = set()
        for table in tables:
            statement = f"SELECT {column} FROM {table} WHERE chunk_row IN (SELECT value FROM json_each(?))"
            touched.update(row for (row,) in connection.execute(statement, (chunks,)))
        return json.dumps(sorted(touched))

    return Touched(
        chunk_ids=frozenset(chunk_id for _, chunk_id in found),
        chunks=chunks,
        entities=rows("entity_row", "mentions", "homes"),
        relations=rows("relation_row", "relation_evidence"),
        communities=rows("owner_row", "community_chunks"),
        tree_nodes=rows("owner_row", "tree_node_chunks"),
    )


def mend_derived(connection: sqlite3.Connection, tenant: str, touched: Touched) -> None:
    """Remove what lost its last evidence and shorten what lost some; the documents are already deleted."""
    connection.execute(
        "DELETE FROM relations WHERE row IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM relation_evidence WHERE relation_row = relations.row)",
        (touched.relations,),
    )
    connection.execute(
        "DELETE FROM entities WHERE row IN (SELECT value FROM json_each(?)) AND NOT EXISTS"
        " (SELECT 1 FROM entity_name_support WHERE entity_row = entities.row AND ordinal = ?)",
        (touched.entities, ANY_EVIDENCE),
    )
    _mend_texts(connection, tenant, touched, kind="report")
    _mend_texts(connection, tenant, touched, kind="tree_node")
    _mend_community_members(connection, tenant, touched)
    _mend_tree_links(connection, tenant, touched)


def _mend_texts(
    connection: sqlite3.Connection, tenant: str, touched: Touched, *, kind: Literal["report", "tree_node"]
) -> None:
    owner, parts = ("communities", "community") if kind == "report" else ("tree_nodes", "tree_node")
    rows = touched.communities if kind == "report" else touched.tree_nodes
    connection.execute(
        f"DELETE FROM {parts}_chunks WHERE chunk_row IN (SELECT value FROM json_each(?))", (touched.chunks,)
    )
    found = connection.execute(
        f"SELECT row, id, sentences FROM {owner} WHERE row IN (SELECT value FROM json_each(?))", (rows,)
    ).fetchall()
    kept, gone = [], []
    for row, record_id, text in found:
        sentences = [s for s in unpack_sentences(text) if touched.chunk_ids.isdisjoint(s.chunk_ids)]
        if sentences:
            kept.append((record_id, row, sentences))
        else:
            gone.append((record_id, row))
    connection.executemany(
        f"UPDATE {owner} SET sentences = ?, title = ?, mended = 1 WHERE row = ?",
        ((pack_sentences(sentences), _title(sentences), row) for _, row, sentences in kept),
    )
    connection.executemany(f"DELETE FROM {owner} WHERE row = ?", ((row,) for _, row in gone))
    log_changes(connection, tenant, kind=kind, operation="delete", records=gone)
    log_changes(connection, tenant, kind=kind, operation="put", records=[(key, row) for key, row, _ in kept])
    if found:
        mark_derived_changed(connection, tenant)


def _title(sentences: Sequence[SourcedSentence]) -> str:
    text = sentences[0].text
    return text if len(text) <= _TITLE_LENGTH else f"{text[: _TITLE_LENGTH - 1].rstrip()}…"


def _mend_community_members(connection: sqlite3.Connection, tenant: str, touched: Touched) -> None:
    found = connection.execute(
        "SELECT row, entity_ids, key_entity_ids, key_relation_ids, parent_id FROM communities"
        " WHERE row IN (SELECT value FROM json_each(?))",
        (touched.communities,),
    ).fetchall()
    mended = [
        (
            _existing(connection, tenant, ("entities",), unpack_strings(members)),
            _existing(connection, tenant, ("entities",), unpack_strings(key_entities)),
            _existing(connection, tenant, ("relations",), unpack_strings(key_relations)),
            row,
        )
        for row, members, key_entities, key_relations, _ in found
    ]
    connection.executemany(
        "UPDATE communities SET entity_ids = ?, key_entity_ids = ?, key_relation_ids = ? WHERE row = ?", mended
    )
    _forget_parents(connection, tenant, "communities", bool(json.loads(touched.communities)))


def _existing(connection: sqlite3.Connection, tenant: str, tables: Sequence[str], ids: Sequence[str]) -> str:
    """Return as JSON those of some ids that a record of one of the tables has."""
    existing = {
        record_id
        for table in tables
        for (record_id,) in connection.execute(
            f"SELECT id FROM {table} WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
            (tenant, json.dumps(list(ids))),
        )
    }
    return pack_json([record_id for record_id in ids if record_id in existing])


def _mend_tree_links(connection: sqlite3.Connection, tenant: str, touched: Touched) -> None:
    found = connection.execute(
        "SELECT row, child_ids FROM tree_nodes WHERE row IN (SELECT value FROM json_each(?))",
        (touched.tree_nodes,),
    ).fetchall()
    mended = [
        (_existing(connection, tenant, ("chunks", "tree_nodes"), unpack_strings(children)), row)
        for row, children in found
    ]
    connection.executemany("UPDATE tree_nodes SET child_ids = ? WHERE row = ?", mended)
    _forget_parents(connection, tenant, "tree_nodes", bool(json.loads(touched.tree_nodes)))


def _forget_parents(connection: sqlite3.Connection, tenant: str, owner: str, touched: bool) -> None:
    """Cut links to parents that are gone."""
    if touched:
        connection.execute(
            f"UPDATE {owner} SET parent_id = NULL WHERE tenant = ? AND parent_id IS NOT NULL"
            " AND NOT EXISTS (SELECT 1 FROM"
            f" {owner} AS up WHERE up.tenant = {owner}.tenant AND up.id = {owner}.parent_id)",
            (tenant,),
        )
