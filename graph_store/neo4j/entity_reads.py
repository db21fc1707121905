"""Reading entities under the names that the caller may see, and where they are mentioned."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from neo4j import Record

from graph_store.entity_names import has_description, with_readable_names
from graph_store.ids import name_key
from graph_store.in_order import in_order
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.derived_rows import name_token
from graph_store.neo4j.names import text_index
from graph_store.neo4j.scope import Scope, readable
from graph_store.records import Entity, Mention

# An entity with the numbers of its names that readable documents support, one list a document; none: not readable.
_SUPPORTED = (
    "MATCH (e:__Entity__ {{tenant: $tenant, generation: $generation}}){chosen}"
    f" MATCH (d:Document)-[s:SUPPORTS]->(e) WHERE {readable('d')} WITH e, collect(s.numbers) AS support"
)


def visible_numbers(supported: Sequence[bool], documents: int, support: Sequence[Sequence[int]]) -> list[int]:
    """Return the numbers of the readable names of an entity.

    A name is readable through a document that supports it. One that no document supports as it stands (a resolver may
    have normalised it) is readable to those who may read all ``documents`` that the entity was made from, as long as
    none of them was deleted.
    """
    seen = {number for numbers in support for number in numbers}
    whole = len(support) == documents
    return [number for number, known in enumerate(supported) if number in seen or (not known and whole)]


def read_entities(
    transaction: Transaction, scope: Scope, entity_ids: Sequence[str] | None = None
) -> tuple[Entity, ...]:
    """Return readable entities: those asked for, in the order asked, or all, ordered by id."""
    chosen = "" if entity_ids is None else " WHERE e.id IN $ids"
    found = transaction.rows(
        f"{_SUPPORTED.format(chosen=chosen)} RETURN e.id AS id, e.name AS name, e.name_key AS name_key, e.type AS type,"
        " e.aliases AS aliases, e.description AS description,"
        " coalesce(e.description_made_by, 'extractive') AS made_by,"
        " coalesce(e.description_chunk_ids, []) AS resting_on, coalesce(e.described, 0) AS described,"
        " e.supported AS supported, e.documents AS documents,"
        " support ORDER BY id",
        ids=list(entity_ids or ()),
        **scope.parameters,
    )
    entities: dict[str, Entity] = {}
    for row in found:
        stored = _entity(row, scope.tenant)
        numbers = visible_numbers(row["supported"], row["documents"], row["support"])
        shown = with_readable_names(stored, numbers) or _named_by_mention(transaction, scope, stored)
        if shown is not None:
            entities[shown.id] = shown
    return tuple(entities.values()) if entity_ids is None else in_order(entity_ids, entities)


def _entity(row: Record, tenant: str) -> Entity:
    counts = Counter(number for numbers in row["support"] for number in numbers)
    described = any(
        has_description(number, documents, of_evidence=row["documents"], resting_on=row["described"])
        for number, documents in counts.items()
    )
    stored = Entity(
        id=row["id"],
        tenant=tenant,
        name=row["name"],
        name_key=row["name_key"],
        type=row["type"],
        aliases=tuple(row["aliases"]),
    )
    if not described:
        return stored
    return replace(
        stored,
        description=row["description"],
        description_made_by=row["made_by"],
        description_chunk_ids=tuple(row["resting_on"]),
    )


def _named_by_mention(transaction: Transaction, scope: Scope, entity: Entity) -> Entity | None:
    """Return the entity named as the first readable mention has it."""
    found = transaction.rows(
        "MATCH (c:Chunk)-[r:HAS_ENTITY]->(e:__Entity__ {tenant: $tenant, generation: $generation, id: $id})"
        f" WHERE size(r.starts) > 0 AND {readable('c')}"
        " RETURN substring(c.text, r.starts[0], r.ends[0] - r.starts[0]), c.text, r.starts[0], r.ends[0]"
        " ORDER BY c.id, r.starts[0] LIMIT 1",
        id=entity.id,
        **scope.parameters,
    )
    if not found:
        return None
    _, text, start, end = found[0]
    surface = text[start:end]
    return replace(entity, name=surface, name_key=name_key(surface), aliases=())


def find_entities(transaction: Transaction, scope: Scope, name: str) -> tuple[Entity, ...]:
    """Return the readable entities with a readable name of the same name key, most readable mentions first."""
    wanted = name_key(name)
    found = transaction.rows(
        "CALL db.index.fulltext.queryNodes($index, $wanted) YIELD node AS e"
        " WHERE e:__Entity__ AND e.tenant = $tenant AND e.generation = $generation"
        f" OPTIONAL MATCH (c:Chunk)-[r:HAS_ENTITY]->(e) WHERE {readable('c')}"
        " RETURN e.id, coalesce(sum(size(r.starts)), 0)",
        index=text_index(scope.tenant),
        wanted=f"name_tokens:{name_token(wanted)}",
        **scope.parameters,
    )
    mentions: Counter[str] = Counter({entity_id: number for entity_id, number in found})
    matching = [
        entity
        for entity in read_entities(transaction, scope, list(mentions))
        if wanted in {entity.name_key, *(name_key(alias) for alias in entity.aliases)}
    ]
    return tuple(sorted(matching, key=lambda entity: (-mentions[entity.id], entity.id)))


def read_mentions(transaction: Transaction, scope: Scope, entity_id: str) -> tuple[Mention, ...]:
    """Return the readable mentions of an entity, ordered by chunk id and offset."""
    found = transaction.rows(
        "MATCH (c:Chunk)-[r:HAS_ENTITY]->(e:__Entity__ {tenant: $tenant, generation: $generation, id: $id})"
        f" WHERE {readable('c')} RETURN c.id, r.starts, r.ends ORDER BY c.id",
        id=entity_id,
        **scope.parameters,
    )
    return tuple(
        Mention(entity_id=entity_id, chunk_id=chunk_id, char_start=start, char_end=end)
        for chunk_id, starts, ends in found
        for start, end in zip(starts, ends, strict=True)
    )


def count_entities(transaction: Transaction, scope: Scope) -> int:
    """Count the readable entities."""
    found = transaction.rows(f"{_SUPPORTED.format(chosen='')} RETURN count(e)", **scope.parameters)
    number: int = found[0].value()
    return number


def read_names_and_chunks(
    transaction: Transaction, scope: Scope
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return (name key, chunk id) of all readable names: of what chunks are homes of, and of what they mention."""
    keys = {
        entity_id: {name_keys[number] for number in visible_numbers(supported, documents, support)}
        for entity_id, name_keys, supported, documents, support in transaction.rows(
            f"{_SUPPORTED.format(chosen='')} RETURN e.id, e.name_keys, e.supported, e.documents, support",
            **scope.parameters,
        )
    }
    homes: list[tuple[str, str]] = []
    mentions: list[tuple[str, str]] = []
    for entity_id, chunk_id, is_home, is_mentioned in transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE {readable('c')} MATCH (c)-[r:HAS_ENTITY]->(e:__Entity__)"
        " WHERE e.generation = $generation RETURN e.id, c.id, size(r.homes) > 0, size(r.starts) > 0",
        **scope.parameters,
    ):
        for key in sorted(keys.get(entity_id, ())):
            if is_home:
                homes.append((key, chunk_id))
            if is_mentioned:
                mentions.append((key, chunk_id))
    return homes, mentions
