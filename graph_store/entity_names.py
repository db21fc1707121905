"""Which document supports which name of an entity, so that a caller sees only names from documents it may read.

Names are numbered per entity: 0 is the canonical name, i the i-th alias. Number ``ANY_EVIDENCE`` stands for a mention
or home of any name, hence for the entity itself; number ``DESCRIPTION`` for a home that states its description;
number ``DESCRIBED`` for a chunk that a description rests on which a language model made.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from graph_store.bundles import Generation
from graph_store.ids import name_key
from graph_store.records import Entity, Home, Mention

ANY_EVIDENCE = -1
DESCRIPTION = -2
DESCRIBED = -3
_CUT = "\u2026"

NameSupport: TypeAlias = tuple[str, int, int | str]
"""(entity id, number of the name, key of the document)"""

_cached_key = lru_cache(maxsize=65_536)(name_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedChunk:
    """A chunk with its text and, as JSON, the names and homes that extraction found in it; a backend keys documents."""

    id: str
    document: int | str
    text: str
    mentions: str
    homes: str


def names_of(entity: Entity) -> list[str]:
    """Return the name keys of an entity by number."""
    return [entity.name_key, *(_cached_key(alias) for alias in entity.aliases)]


def with_readable_names(entity: Entity, readable: Collection[int]) -> Entity | None:
    """Return the entity under the names with these numbers, None without any; the first stands for a hidden name."""
    aliases = tuple(alias for number, alias in enumerate(entity.aliases, 1) if number in readable)
    if 0 in readable:
        return replace(entity, aliases=aliases)
    if not aliases:
        return None
    return replace(entity, name=aliases[0], name_key=name_key(aliases[0]), aliases=aliases[1:])


def has_description(number: int, documents: int, *, of_evidence: int, resting_on: int) -> bool:
    """Tell whether a description is shown to one who may read so many of the ``documents`` that support ``number``.

    ``of_evidence`` is how many documents the entity had when it was made, ``resting_on`` how many a description rests
    on that a language model made: then all of them must be readable. Else one that states it will do, or all.
    """
    if resting_on:
        return number == DESCRIBED and documents == resting_on
    return number == DESCRIPTION or (number == ANY_EVIDENCE and documents == of_evidence)


def find_support(chunks: Iterable[NamedChunk], generation: Generation) -> set[NameSupport]:
    """Return which documents support which names of the entities of a generation, given all chunks of its tenant."""
    numbers = {entity.id: _numbers_by_key(entity) for entity in generation.entities}
    stated = {
        entity.id: entity.description.removesuffix(_CUT)
        for entity in generation.entities
        if entity.description and not entity.description_chunk_ids
    }
    described = _described_by_chunk(generation.entities)
    mentions = _mentions_by_chunk(generation.mentions)
    homes = _homes_by_chunk(generation.homes)
    support: set[NameSupport] = set()
    for chunk in chunks:
        support.update((entity_id, DESCRIBED, chunk.document) for entity_id in described.get(chunk.id, ()))
        if chunk.id not in mentions and chunk.id not in homes:
            continue
        names_at = _names_by_span(chunk.mentions)
        for mention in mentions.get(chunk.id, ()):
            span = (mention.char_start, mention.char_end)
            names = (*names_at.get(span, ()), chunk.text[span[0] : span[1]])
            support.update(_supported(mention.entity_id, chunk.document, numbers[mention.entity_id], names))
        names_here = [name for name, *_ in json.loads(chunk.homes)]
        for home in homes.get(chunk.id, ()):
            support.update(_supported(home.entity_id, chunk.document, numbers[home.entity_id], names_here))
            if home.entity_id in stated and stated[home.entity_id] in chunk.text:
                support.add((home.entity_id, DESCRIPTION, chunk.document))
    return support


def _numbers_by_key(entity: Entity) -> dict[str, list[int]]:
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, key in enumerate(names_of(entity)):
        numbers[key].append(number)
    return dict(numbers)


def _described_by_chunk(entities: Sequence[Entity]) -> dict[str, list[str]]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for entity in entities:
        for chunk_id in entity.description_chunk_ids:
            grouped[chunk_id].append(entity.id)
    return dict(grouped)


def _mentions_by_chunk(mentions: Sequence[Mention]) -> dict[str, list[Mention]]:
    grouped: defaultdict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        grouped[mention.chunk_id].append(mention)
    return dict(grouped)


def _homes_by_chunk(homes: Sequence[Home]) -> dict[str, list[Home]]:
    grouped: defaultdict[str, list[Home]] = defaultdict(list)
    for home in homes:
        grouped[home.chunk_id].append(home)
    return dict(grouped)


def _names_by_span(named_mentions: str) -> dict[tuple[int, int], list[str]]:
    names: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for name, _, surface, start, end, *_ in json.loads(named_mentions):
        names[start, end] += [name, surface]
    return dict(names)


def _supported(
    entity_id: str, document: int | str, numbers: dict[str, list[int]], names: Sequence[str]
) -> Iterable[NameSupport]:
    yield entity_id, ANY_EVIDENCE, document
    for name in names:
        for number in numbers.get(_cached_key(name), ()):
            yield entity_id, number, document
