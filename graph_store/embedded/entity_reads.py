"""Reading entities under the names that the caller may see."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.document_reads import with_ids
from graph_store.embedded.schema_upgrades import keeps_model_facts
from graph_store.entity_names import ANY_EVIDENCE, DESCRIBED, DESCRIPTION, has_description, with_readable_names
from graph_store.ids import name_key
from graph_store.in_order import in_order
from graph_store.packing import unpack_strings
from graph_store.records import Entity

VisibleNames: TypeAlias = dict[int, dict[int, str]]
"""entity row -> number of a readable name -> its name key; an entity without readable evidence is missing."""


def visible_names(connection: sqlite3.Connection, scope: Scope, rows: Sequence[int] | None = None) -> VisibleNames:
    """Return the readable names of entities (of all where ``rows`` is None).

    A name is readable through a document that supports it. One that no document supports as it stands (a resolver may
    have normalised it) is readable to those who may read all evidence of the entity, as long as none was deleted.
    """
    # The order of joins is fixed: of a few entities nothing but what is theirs must be looked at.
    chosen = (
        "entities" if rows is None else "json_each(:rows) AS wanted CROSS JOIN entities ON entities.row = wanted.value"
    )
    parameters = {**scope.parameters, "rows": json.dumps(rows or [])}
    support: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for row, number, documents in connection.execute(
        f"SELECT part.entity_row, part.ordinal, count(*) FROM {chosen}"
        " CROSS JOIN entity_name_support AS part ON part.entity_row = entities.row"
        " CROSS JOIN documents ON documents.row = part.document_row"
        f" WHERE entities.tenant = :tenant AND {readable('documents')} GROUP BY 1, 2",
        parameters,
    ):
        support[row][number] = documents
    visible: VisibleNames = {row: {} for row in support}
    for row, number, key, supported, documents in connection.execute(
        f"SELECT names.entity_row, names.ordinal, names.name_key, names.supported, entities.documents FROM {chosen}"
        " CROSS JOIN entity_names AS names ON names.entity_row = entities.row WHERE entities.tenant = :tenant"
        " ORDER BY 1, 2",
        parameters,
    ):
        of_entity = support.get(row, {})
        if number in of_entity or (not supported and of_entity.get(ANY_EVIDENCE) == documents):
            visible[row][number] = key
    return visible


def read_entities(
    connection: sqlite3.Connection, scope: Scope, entity_ids: Sequence[str] | None = None
) -> tuple[Entity, ...]:
    """Return readable entities: those asked for, in the order asked, or all, ordered by id."""
    chosen = "" if entity_ids is None else " AND id IN (SELECT value FROM json_each(:ids))"
    told = "description_made_by, description_chunks" if keeps_model_facts(connection) else "'extractive', '[]'"
    found = connection.execute(
        f"SELECT row, id, name, name_key, type, aliases, description, {told} FROM entities"
        f" WHERE tenant = :tenant{chosen} ORDER BY id",
        with_ids(scope, entity_ids or ()),
    ).fetchall()
    rows = None if entity_ids is None else [row for row, *_ in found]
    visible = visible_names(connection, scope, rows)
    described = _with_readable_description(connection, scope, rows)
    entities: dict[str, Entity] = {}
    for row, record_id, name, key, kind, aliases, description, made_by, chunk_ids in found:
        if row not in visible:
            continue
        stored = Entity(
            id=record_id,
            tenant=scope.tenant,
            name=name,
            name_key=key,
            type=kind,
            aliases=unpack_strings(aliases),
        )
        if row in described:
            stored = replace(
                stored,
                description=description,
                description_made_by=made_by,
                description_chunk_ids=unpack_strings(chunk_ids),
            )
        shown = with_readable_names(stored, visible[row]) or _named_by_mention(connection, scope, row, stored)
        if shown is not None:
            entities[record_id] = shown
    return tuple(entities.values()) if entity_ids is None else in_order(entity_ids, entities)


def _with_readable_description(connection: sqlite3.Connection, scope: Scope, rows: Sequence[int] | None) -> set[int]:
    """Return the entities that a readable document describes as they are described, or that rest on those alone.

    A description that a language model made rests on some documents, of which all must be there and readable.
    """
    chosen = "" if rows is None else " AND entities.row IN (SELECT value FROM json_each(:rows))"
    described = "entities.described" if keeps_model_facts(connection) else "0"
    found = connection.execute(
        f"SELECT entities.row, part.ordinal, entities.documents, {described}, count(*) FROM entities"
        " JOIN entity_name_support AS part ON part.entity_row = entities.row"
        f" AND part.ordinal IN ({ANY_EVIDENCE}, {DESCRIPTION}, {DESCRIBED})"
        " JOIN documents ON documents.row = part.document_row"
        f" WHERE entities.tenant = :tenant AND {readable('documents')}{chosen} GROUP BY 1, 2",
        {**scope.parameters, "rows": json.dumps(rows or [])},
    )
    return {
        row
        for row, number, whole, resting_on, documents in found
        if has_description(number, documents, of_evidence=whole, resting_on=resting_on)
    }


def _named_by_mention(connection: sqlite3.Connection, scope: Scope, row: int, entity: Entity) -> Entity | None:
    """Return the entity named as the first readable mention has it."""
    found = connection.execute(
        "SELECT text, mentions.char_start, mentions.char_end FROM mentions"
        f" JOIN chunks ON chunks.row = mentions.chunk_row"
        f" JOIN chunk_texts ON chunk_texts.row = chunks.row WHERE entity_row = :row AND {readable('chunks')}"
        " ORDER BY chunks.id, mentions.char_start LIMIT 1",
        {**scope.parameters, "row": row},
    ).fetchone()
    if found is None:
        return None
    text, start, end = found
    surface = text[start:end]
    return replace(entity, name=surface, name_key=name_key(surface), aliases=())


def find_entities(connection: sqlite3.Connection, scope: Scope, name: str) -> tuple[Entity, ...]:
    """Return the readable entities with a readable name of the same name key, most readable mentions first."""
    wanted = name_key(name)
    found = connection.execute(
        "SELECT entities.id, count(chunks.row) FROM entity_names"
        " JOIN entities ON entities.row = entity_names.entity_row"
        " LEFT JOIN mentions ON mentions.entity_row = entities.row"
        f" LEFT JOIN chunks ON chunks.row = mentions.chunk_row AND {readable('chunks')}"
        " WHERE entity_names.name_key = :key AND entities.tenant = :tenant GROUP BY entities.id, entity_names.ordinal",
        {**scope.parameters, "key": wanted},
    )
    mentions: dict[str, int] = dict(found.fetchall())
    matching = [
        entity
        for entity in read_entities(connection, scope, list(mentions))
        if wanted in {entity.name_key, *(name_key(alias) for alias in entity.aliases)}
    ]
    return tuple(sorted(matching, key=lambda entity: (-mentions[entity.id], entity.id)))
