"""An entity as a person wants to see it: with the names of what it is related to, and where it is told of."""

from collections.abc import Iterable
from dataclasses import dataclass

from graph_store.access import Access
from graph_store.records import Entity, Relation
from graph_store.store import GraphStore


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationView:
    """One statement, with the names of both ends; ``evidence`` are the ids of the chunks that state it."""

    source: str
    predicate: str
    target: str
    weight: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityView:
    """An entity, its relations (strongest first) and how often each document mentions it (most often first)."""

    entity: Entity
    relations: tuple[RelationView, ...]
    mentions_by_document: dict[str, int]


def view_entity(store: GraphStore, access: Access, entity: Entity) -> EntityView:
    """Gather what the caller may read about an entity."""
    relations = store.entity_relations(access, entity.id)
    names = _names(store, access, relations)
    return EntityView(
        entity=entity,
        relations=tuple(_view(relation, names) for relation in relations if _ends(relation) <= names.keys()),
        mentions_by_document=_mentions_by_document(store, access, entity.id),
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
