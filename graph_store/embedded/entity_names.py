"""Which document supports which name of an entity, so that a caller sees only names from documents it may read.

Names are numbered per entity: 0 is the canonical name, i the i-th alias. Number ``ANY_EVIDENCE`` stands for a mention
or home of any name, hence for the entity itself; number ``DESCRIPTION`` for a home that states its description.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from graph_store.bundles import Generation
from graph_store.ids import name_key
from graph_store.records import Entity, Home, Mention

ANY_EVIDENCE = -1
DESCRIPTION = -2
_CUT = "\u2026"

NameSupport: TypeAlias = tuple[int, int, int]
"""(entity row, number of the name, document row)"""

_cached_key = lru_cache(maxsize=65_536)(name_key)


def names_of(entity: Entity) -> list[str]:
    """Return the name keys of an entity by number."""
    return [entity.name_key, *(_cached_key(alias) for alias in entity.aliases)]


def find_support(
    connection: sqlite3.Connection, generation: Generation, entity_rows: Mapping[str, int]
) -> set[NameSupport]:
    """Return which documents of the tenant support which names of the entities of a generation."""
    numbers = {entity.id: _numbers_by_key(entity) for entity in generation.entities}
    stated = {entity.id: entity.description.removesuffix(_CUT) for entity in generation.entities if entity.description}
    mentions = _mentions_by_chunk(generation.mentions)
    homes = _homes_by_chunk(generation.homes)
    support: set[NameSupport] = set()
    for chunk_id, document_row, text, named_mentions, named_homes in _chunk_texts(connection, generation.tenant):
        if chunk_id not in mentions and chunk_id not in homes:
            continue
        names_at = _names_by_span(named_mentions)
        for mention in mentions.get(chunk_id, ()):
            span = (mention.char_start, mention.char_end)
            names = (*names_at.get(span, ()), text[span[0] : span[1]])
            _add(support, entity_rows[mention.entity_id], document_row, numbers[mention.entity_id], names)
        names_here = [name for name, *_ in json.loads(named_homes)]
        for home in homes.get(chunk_id, ()):
            _add(support, entity_rows[home.entity_id], document_row, numbers[home.entity_id], names_here)
            if home.entity_id in stated and stated[home.entity_id] in text:
                support.add((entity_rows[home.entity_id], DESCRIPTION, document_row))
    return support


def _numbers_by_key(entity: Entity) -> dict[str, list[int]]:
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, key in enumerate(names_of(entity)):
        numbers[key].append(number)
    return dict(numbers)


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


def _chunk_texts(connection: sqlite3.Connection, tenant: str) -> Iterator[tuple[str, int, str, str, str]]:
    yield from connection.execute(
        "SELECT id, document_row, text, coalesce(mentions, '[]'), coalesce(homes, '[]') FROM chunks"
        " JOIN chunk_texts USING (row) LEFT JOIN chunk_extractions USING (row) WHERE tenant = ?",
        (tenant,),
    )


def _names_by_span(named_mentions: str) -> dict[tuple[int, int], list[str]]:
    names: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for name, _, surface, start, end in json.loads(named_mentions):
        names[start, end] += [name, surface]
    return dict(names)


def _add(
    support: set[NameSupport], entity_row: int, document_row: int, numbers: dict[str, list[int]], names: Sequence[str]
) -> None:
    support.add((entity_row, ANY_EVIDENCE, document_row))
    for name in names:
        support.update((entity_row, number, document_row) for number in numbers.get(_cached_key(name), ()))
