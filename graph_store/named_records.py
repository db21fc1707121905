"""Names, statements and homes as extraction found them, as the JSON that a chunk keeps of them, and back.

What a language model adds stands last, and only where it added something: without one the JSON is that of every format.
"""

import json
from collections.abc import Iterable

from graph_store.packing import pack_json
from graph_store.records import NamedHome, NamedMention, NamedRelation


def pack_mentions(mentions: Iterable[NamedMention]) -> str:
    """Return the names found in a chunk as JSON, one list a mention: name, type, surface, start, end, description."""
    return pack_json(
        [
            [m.name, m.type, m.surface, m.char_start, m.char_end, *([m.description] if m.description else [])]
            for m in mentions
        ]
    )


def pack_relations(relations: Iterable[NamedRelation]) -> str:
    """Return the statements found in a chunk as JSON, one list each."""
    return pack_json(
        [
            [
                *(r.subject, r.subject_type, r.predicate, r.object, r.object_type, r.char_start, r.char_end),
                *([r.strength] if r.strength else []),
            ]
            for r in relations
        ]
    )


def pack_homes(homes: Iterable[NamedHome]) -> str:
    """Return what a chunk is a home of as JSON, one list each."""
    return pack_json([[home.name, home.type, home.kind] for home in homes])


def unpack_mentions(chunk_id: str, text: str) -> list[NamedMention]:
    """Read back the names found in a chunk."""
    return [
        NamedMention(
            chunk_id=chunk_id,
            name=name,
            type=kind,
            surface=surface,
            char_start=start,
            char_end=end,
            description=added[0] if added else "",
        )
        for name, kind, surface, start, end, *added in json.loads(text)
    ]


def unpack_relations(chunk_id: str, text: str) -> list[NamedRelation]:
    """Read back the statements found in a chunk."""
    return [
        NamedRelation(
            chunk_id=chunk_id,
            subject=subject,
            subject_type=subject_type,
            predicate=predicate,
            object=target,
            object_type=target_type,
            char_start=start,
            char_end=end,
            strength=added[0] if added else 0.0,
        )
        for subject, subject_type, predicate, target, target_type, start, end, *added in json.loads(text)
    ]


def unpack_homes(chunk_id: str, text: str) -> list[NamedHome]:
    """Read back what a chunk is a home of."""
    return [NamedHome(chunk_id=chunk_id, name=name, type=type_, kind=kind) for name, type_, kind in json.loads(text)]
