"""Names, statements and homes as extraction found them, read back from the JSON that a chunk keeps of them."""

import json

from graph_store.records import NamedHome, NamedMention, NamedRelation


def unpack_mentions(chunk_id: str, text: str) -> list[NamedMention]:
    """Read back the names found in a chunk."""
    return [
        NamedMention(chunk_id=chunk_id, name=name, type=kind, surface=surface, char_start=start, char_end=end)
        for name, kind, surface, start, end in json.loads(text)
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
        )
        for subject, subject_type, predicate, target, target_type, start, end in json.loads(text)
    ]


def unpack_homes(chunk_id: str, text: str) -> list[NamedHome]:
    """Read back what a chunk is a home of."""
    return [NamedHome(chunk_id=chunk_id, name=name, type=type_, kind=kind) for name, type_, kind in json.loads(text)]
