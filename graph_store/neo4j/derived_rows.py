"""The rows that a derived layer becomes: nodes and relationships, sorted, so that locks are taken in one order."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from graph_store.bundles import Generation
from graph_store.entity_names import ANY_EVIDENCE, DESCRIBED, NameSupport, names_of
from graph_store.ids import stable_id
from graph_store.neo4j.batching import Row
from graph_store.neo4j.document_rows import index_terms
from graph_store.neo4j.names import type_label
from graph_store.neo4j.scope import record_tokens
from graph_store.neo4j.vectors import sendable_rows
from graph_store.packing import pack_sentences
from graph_store.records import Community, Entity, SourcedSentence, TreeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Which document supports which names: entity id -> document id -> numbers of names, ascending."""

    numbers: Mapping[str, Mapping[str, list[int]]]


def support_of(found: Iterable[NameSupport]) -> Support:
    """Group what ``find_support`` found."""
    numbers: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for entity_id, number, document in sorted(found, key=lambda item: (item[0], str(item[2]), item[1])):
        numbers[entity_id][str(document)].append(number)
    return Support(numbers=numbers)


def name_token(key: str) -> str:
    """Return the term under which a name is found: any text may be a name, and this is one term of an index."""
    return stable_id("n", key)


def entity_rows(generation: Generation, support: Support) -> Iterator[Row]:
    """Yield the properties and the type label of each entity."""
    for entity in sorted(generation.entities, key=lambda entity: entity.id):
        keys = names_of(entity)
        of_documents = support.numbers.get(entity.id, {})
        supported = {number for numbers in of_documents.values() for number in numbers}
        yield {
            "id": entity.id,
            "labels": [type_label(entity.type)],
            "properties": {
                **_entity_properties(entity),
                "name_keys": keys,
                "name_tokens": sorted({name_token(key) for key in keys}),
                "supported": [number in supported for number in range(len(keys))],
                "documents": sum(ANY_EVIDENCE in numbers for numbers in of_documents.values()),
                "described": sum(DESCRIBED in numbers for numbers in of_documents.values()),
            },
        }


def _entity_properties(entity: Entity) -> Row:
    return {
        "name": entity.name,
        "name_key": entity.name_key,
        "type": entity.type,
        "aliases": list(entity.aliases),
        "description": entity.description,
        "description_made_by": entity.description_made_by,
        "description_chunk_ids": list(entity.description_chunk_ids),
    }


def support_rows(support: Support) -> Iterator[Row]:
    """Yield one row per document and entity: the numbers of the names that the document supports."""
    for entity_id in sorted(support.numbers):
        for document_id, numbers in sorted(support.numbers[entity_id].items()):
            assert ANY_EVIDENCE in numbers
            yield {"entity": entity_id, "document": document_id, "numbers": numbers}


def occurrence_rows(generation: Generation) -> Iterator[Row]:
    """Yield one row per chunk and entity: where it is mentioned, and how the chunk is its home."""
    spans: defaultdict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    kinds: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for mention in generation.mentions:
        spans[mention.chunk_id, mention.entity_id].add((mention.char_start, mention.char_end))
    for home in generation.homes:
        kinds[home.chunk_id, home.entity_id].add(home.kind)
    for chunk_id, entity_id in sorted({*spans, *kinds}):
        places = sorted(spans.get((chunk_id, entity_id), ()))
        yield {
            "chunk": chunk_id,
            "entity": entity_id,
            "starts": [start for start, _ in places],
            "ends": [end for _, end in places],
            "homes": sorted(kinds.get((chunk_id, entity_id), ())),
        }


def relation_rows(generation: Generation) -> Iterator[Row]:
    """Yield one row per relation; ``stated`` is how many chunks stated it when it was published."""
    for relation in sorted(generation.relations, key=lambda relation: relation.id):
        evidence = list(dict.fromkeys(relation.evidence))
        yield {
            "source": relation.source_id,
            "target": relation.target_id,
            "id": relation.id,
            "properties": {
                "type": relation.predicate,
                "weight": relation.weight,
                "strength": relation.strength,
                "evidence": evidence,
                "stated": len(evidence),
            },
        }


def statement_rows(generation: Generation) -> Iterator[Row]:
    """Yield one row per chunk and source entity: the relations of the entity that the chunk states."""
    stated: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for relation in generation.relations:
        for chunk_id in relation.evidence:
            stated[chunk_id, relation.source_id].add(relation.id)
    for (chunk_id, entity_id), relations in sorted(stated.items()):
        yield {"chunk": chunk_id, "entity": entity_id, "relations": sorted(relations)}


def edge_rows(generation: Generation) -> Iterator[Row]:
    """Yield the edges of the passage graph."""
    weights = {(edge.source_id, edge.target_id): edge.weight for edge in generation.passage_edges}
    for (source, target), weight in sorted(weights.items()):
        yield {"source": source, "target": target, "weight": weight}


def community_rows(generation: Generation, documents: Mapping[str, str], *, as_vector: bool) -> Iterator[Row]:
    """Yield the properties and vector of each community; ``documents`` is chunk id -> document id."""
    vectors = sendable_rows(generation.community_vectors, as_vector=as_vector) if generation.communities else []
    for item, vector in sorted(zip(generation.communities, vectors, strict=True), key=lambda pair: pair[0].id):
        yield {
            "id": item.id,
            "vector": vector,
            "properties": {
                **_text_properties(item, item.report, documents),
                "report_terms": index_terms(_report_text(item.title, item.report)),
                "level": item.level,
                "entity_ids": list(item.entity_ids),
                "key_entity_ids": list(item.key_entity_ids),
                "key_relation_ids": list(item.key_relation_ids),
            },
        }


def summary_rows(generation: Generation, documents: Mapping[str, str], *, as_vector: bool) -> Iterator[Row]:
    """Yield the properties and vector of each tree node; ``documents`` is chunk id -> document id."""
    vectors = sendable_rows(generation.tree_vectors, as_vector=as_vector) if generation.tree_nodes else []
    for item, vector in sorted(zip(generation.tree_nodes, vectors, strict=True), key=lambda pair: pair[0].id):
        yield {
            "id": item.id,
            "vector": vector,
            "properties": {
                **_text_properties(item, item.summary, documents),
                "summary_terms": index_terms(_report_text(item.title, item.summary)),
                "level": item.level,
                "document_id": item.document_id,
                "child_ids": list(item.child_ids),
            },
        }


def _text_properties(
    item: Community | TreeNode, sentences: tuple[SourcedSentence, ...], documents: Mapping[str, str]
) -> Row:
    chunk_ids = list(dict.fromkeys(item.chunk_ids))
    return {
        "groups": list(item.groups),
        "acl": record_tokens(item.tenant, item.groups),
        "parent_id": item.parent_id,
        "title": item.title,
        "text": " ".join(sentence.text for sentence in sentences),
        "sentences": pack_sentences(sentences),
        "made_by": item.made_by,
        "chunk_ids": chunk_ids,
        "document_ids": sorted({documents[chunk_id] for chunk_id in chunk_ids}),
    }


def _report_text(title: str, sentences: tuple[SourcedSentence, ...]) -> str:
    return derived_text(title, " ".join(sentence.text for sentence in sentences))


def derived_text(title: str, text: str) -> str:
    """Return the text of a report or summary as it is indexed."""
    return f"{title}\n{text}"


def member_rows(generation: Generation) -> Iterator[Row]:
    """Yield which entity is in which community, for entities that there are."""
    known = {entity.id for entity in generation.entities}
    for community in sorted(generation.communities, key=lambda item: item.id):
        for entity_id in sorted(known.intersection(community.entity_ids)):
            yield {"entity": entity_id, "community": community.id}


def parent_links(items: Iterable[Community | TreeNode]) -> Iterator[Row]:
    """Yield (child, parent) ids, for parents that there are."""
    kept = {item.id: item.parent_id for item in items}
    for child, parent in sorted(kept.items()):
        if parent in kept:
            yield {"child": child, "parent": parent}


def evidence_rows(items: Iterable[Community | TreeNode]) -> Iterator[Row]:
    """Yield which report or summary rests on which chunk."""
    for item in sorted(items, key=lambda item: item.id):
        for chunk_id in sorted(set(item.chunk_ids)):
            yield {"text": item.id, "chunk": chunk_id}


def child_rows(generation: Generation) -> tuple[list[Row], list[Row]]:
    """Return which summary sums up which chunk, and which other summary."""
    nodes = {node.id for node in generation.tree_nodes}
    over_chunks: list[Row] = []
    over_nodes: list[Row] = []
    for node in sorted(generation.tree_nodes, key=lambda node: node.id):
        for child in sorted(set(node.child_ids)):
            row = {"summary": node.id, "child": child}
            if child in nodes:
                over_nodes.append(row)
            elif child in node.chunk_ids:
                over_chunks.append(row)
    return over_chunks, over_nodes
