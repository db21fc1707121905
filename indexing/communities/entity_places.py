"""Where the entities of a tenant stand in the chunks and sentences of one audience."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.records import Chunk, Entity, Home, Mention, Relation
from raptor.audience import AudienceView, IntVector, SentenceTable

FloatArray64: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """The resolved entities of a tenant by id, and their evidence by chunk id.

    Made once for all audiences, of which there can be as many as documents.
    """

    entities: Mapping[str, Entity]
    mentions: Mapping[str, Sequence[Mention]]
    homes: Mapping[str, Sequence[Home]]
    relations: Mapping[str, Sequence[Relation]]

    def relations_in(self, chunks: Iterable[Chunk]) -> tuple[Relation, ...]:
        """Return the relations that some chunks state, each once, by id."""
        found = {relation.id: relation for chunk in chunks for relation in self.relations.get(chunk.id, ())}
        return tuple(found[key] for key in sorted(found))


def gather_knowledge(
    *,
    entities: Iterable[Entity],
    mentions: Iterable[Mention],
    homes: Iterable[Home],
    relations: Iterable[Relation],
) -> Knowledge:
    """Sort what resolution found by chunk. O(n)."""
    mentions_of: defaultdict[str, list[Mention]] = defaultdict(list)
    homes_of: defaultdict[str, list[Home]] = defaultdict(list)
    relations_of: defaultdict[str, list[Relation]] = defaultdict(list)
    for mention in mentions:
        mentions_of[mention.chunk_id].append(mention)
    for home in homes:
        homes_of[home.chunk_id].append(home)
    for relation in relations:
        for chunk_id in relation.evidence:
            relations_of[chunk_id].append(relation)
    return Knowledge(
        entities={entity.id: entity for entity in entities},
        mentions=mentions_of,
        homes=homes_of,
        relations=relations_of,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Incidence:
    """Which entity stands in which unit (chunk or sentence): parallel arrays without doubles, ordered by unit.

    ``counts`` is how often it is mentioned there (at least 1).
    """

    units: IntVector
    entities: IntVector
    counts: IntVector

    def unit_groups(self) -> Iterable[IntVector]:
        """Yield the entities of each unit that has any, ascending."""
        starts = np.flatnonzero(np.diff(self.units, prepend=-1))
        return np.split(self.entities, starts[1:]) if len(starts) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPlaces:
    """The entities of one audience, numbered by id, and where they stand.

    ``homes`` are pairs of chunk row and entity number. ``rarity`` is in (0, 1]: 1 for an entity of one chunk, near 0
    for one of all chunks.
    """

    entities: tuple[Entity, ...]
    chunks: Incidence
    sentences: Incidence
    homes: tuple[tuple[int, int], ...]
    rarity: FloatArray64

    def numbers(self) -> Mapping[str, int]:
        """Return the number of each entity id."""
        return {entity.id: number for number, entity in enumerate(self.entities)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceFacts:
    """What one audience may read: its chunks, its entities, and the relations that its chunks state, by id."""

    view: AudienceView
    places: EntityPlaces
    relations: tuple[Relation, ...]


def gather_facts(view: AudienceView, knowledge: Knowledge) -> AudienceFacts:
    """Find what the chunks of an audience say. O(mentions log sentences)."""
    return AudienceFacts(
        view=view, places=place_entities(view, knowledge), relations=knowledge.relations_in(view.chunks)
    )


def place_entities(view: AudienceView, knowledge: Knowledge) -> EntityPlaces:
    """Find the entities that are mentioned or at home in the chunks of an audience. O(mentions log sentences)."""
    mentions = [(row, item) for row, chunk in enumerate(view.chunks) for item in knowledge.mentions.get(chunk.id, ())]
    homes = [(row, item) for row, chunk in enumerate(view.chunks) for item in knowledge.homes.get(chunk.id, ())]
    ids = sorted({mention.entity_id for _, mention in mentions} | {home.entity_id for _, home in homes})
    entities = tuple(knowledge.entities[entity_id] for entity_id in ids)
    numbers = {entity_id: number for number, entity_id in enumerate(ids)}
    in_chunks: defaultdict[tuple[int, int], int] = defaultdict(int)
    in_sentences: defaultdict[tuple[int, int], int] = defaultdict(int)
    for chunk, mention in mentions:
        entity = numbers[mention.entity_id]
        in_chunks[chunk, entity] += 1
        sentence = _sentence_at(view.sentences, chunk, mention.char_start)
        if sentence is not None:
            in_sentences[sentence, entity] += 1
    at_home = sorted({(chunk, numbers[home.entity_id]) for chunk, home in homes})
    for pair in at_home:
        in_chunks[pair] = max(in_chunks[pair], 1)
    chunks = _incidence(in_chunks)
    return EntityPlaces(
        entities=entities,
        chunks=chunks,
        sentences=_incidence(in_sentences),
        homes=tuple(at_home),
        rarity=_rarity(chunks, entities=len(entities), units=len(view.chunks)),
    )


def _sentence_at(table: SentenceTable, chunk: int, place: int) -> int | None:
    """Return the row of the sentence that covers a place in a chunk's text, None where no sentence does."""
    first, end = int(table.offsets[chunk]), int(table.offsets[chunk + 1])
    row = bisect_right(range(first, end), place, key=lambda row: table.sentences[row].char_start or 0) + first - 1
    if row < first or place >= (table.sentences[row].char_end or 0):
        return None
    return row


def _incidence(counts: Mapping[tuple[int, int], int]) -> Incidence:
    pairs = sorted(counts)
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Incidence(
        units=array[:, 0],
        entities=array[:, 1],
        counts=np.array([counts[pair] for pair in pairs], dtype=np.int64),
    )


def _rarity(chunks: Incidence, *, entities: int, units: int) -> FloatArray64:
    """Return log(1 + N/n) / log(1 + N) for an entity in n of N chunks."""
    found = np.bincount(chunks.entities, minlength=entities)
    rarity: FloatArray64 = np.log1p(units / np.maximum(found, 1)) / np.log1p(max(units, 1))
    return rarity
