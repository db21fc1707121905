"""An entity as a person wants to see it: with the names of what it is related to, and where it is told of."""

from collections.abc import Iterable
from dataclasses import dataclass

from graph_store.access import Access
from graph_store.ids import name_key
from graph_store.records import Entity, Relation
from graph_store.store import GraphStore

_ALL = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationView:
    """One statement, with the names of both ends; ``evidence`` are the ids of the chunks that state it."""

    source: str
    predicate: str
    target: str
    weight: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeView:
    """A passage that is about the entity."""

    chunk_id: str
    document_id: str
    title: str
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityView:
    """An entity with its home passages, its relations (strongest first), and its mentions.

    ``mentions_by_document`` says how often each document mentions it, most often first.
    """

    entity: Entity
    homes: tuple[HomeView, ...]
    relations: tuple[RelationView, ...]
    mentions_by_document: dict[str, int]


def view_entity(store: GraphStore, access: Access, entity: Entity) -> EntityView:
    """Gather what the caller may read about an entity."""
    relations = store.entity_relations(access, entity.id)
    names = _names(store, access, relations)
    return EntityView(
        entity=entity,
        homes=_homes(store, access, entity),
        relations=tuple(_view(relation, names) for relation in relations if _ends(relation) <= names.keys()),
        mentions_by_document=_mentions_by_document(store, access, entity.id),
    )


def _homes(store: GraphStore, access: Access, entity: Entity) -> tuple[HomeView, ...]:
    """Return the home passages of the entity's names, by document and place."""
    keys = dict.fromkeys((entity.name_key, *map(name_key, entity.aliases)))
    places = store.name_places(access, keys, most=_ALL)
    found = store.chunks(access, list(dict.fromkeys(home for own in places.values() for home in own.homes)))
    titles = {document.id: document.title for document in store.documents(access, [c.document_id for c in found])}
    return tuple(
        HomeView(
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            title=titles.get(chunk.document_id, ""),
            heading_path=chunk.heading_path,
        )
        for chunk in sorted(found, key=lambda chunk: (chunk.document_id, chunk.position))
    )


def _names(store: GraphStore, access: Access, relations: Iterable[Relation]) -> dict[str, str]:
    ends = dict.fromkeys(end for relation in relations for end in (relation.source_id, relation.target_id))
    return {entity.id: entity.name for entity in store.entities(access, list(ends))}


def _ends(relation: Relation) -> set[str]:
    return {relation.source_id, relation.target_id}


def _view(relation: Relation, names: dict[str, str]) -> RelationView:
    return RelationView(
        source=names[relation.source_id],
        predicate=relation.predicate,
        target=names[relation.target_id],
        weight=relation.weight,
        evidence=relation.evidence,
    )


def _mentions_by_document(store: GraphStore, access: Access, entity_id: str) -> dict[str, int]:
    mentions = store.entity_mentions(access, entity_id)
    chunk_ids = list(dict.fromkeys(mention.chunk_id for mention in mentions))
    document_of = {chunk.id: chunk.document_id for chunk in store.chunks(access, chunk_ids)}
    counts: dict[str, int] = {}
    for mention in mentions:
        document_id = document_of.get(mention.chunk_id)
        if document_id is not None:
            counts[document_id] = counts.get(document_id, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
