"""Collections made of short notes, with the names that extraction would find in them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.bundles import Collection
from graph_store.records import Chunk, Document, HomeKind, NamedHome, NamedMention, NamedRelation, Sentence

NO_VECTORS = np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A document of one chunk; names are (name, type) or (name, type, surface), homes (name, type, kind)."""

    id: str
    text: str = ""
    title: str = ""
    names: tuple[tuple[str, ...], ...] = ()
    homes: tuple[tuple[str, str, HomeKind], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def chunk_id(self) -> str:
        return f"chunk-{self.id}"


def mentions_of(note: Note) -> list[NamedMention]:
    return [
        NamedMention(
            chunk_id=note.chunk_id,
            name=name,
            type=kind,
            surface=surface[0] if surface else name,
            char_start=position,
            char_end=position + 1,
        )
        for position, (name, kind, *surface) in enumerate(note.names)
    ]


def relations_of(note: Note) -> list[NamedRelation]:
    types = {name: kind for name, kind, *_ in note.names}
    return [
        NamedRelation(
            chunk_id=note.chunk_id,
            subject=subject,
            subject_type=types[subject],
            predicate=predicate,
            object=target,
            object_type=types[target],
            char_start=position,
            char_end=position + 1,
        )
        for position, (subject, predicate, target) in enumerate(note.relations)
    ]


def collect(notes: Sequence[Note], tenant: str = "t") -> Collection:
    documents = [
        Document(id=note.id, source_uri=note.id, title=note.title, media_type="text/plain", content_hash=note.id)
        for note in notes
    ]
    chunks = [
        Chunk(
            id=note.chunk_id,
            document_id=note.id,
            document_version=1,
            text=note.text,
            heading_path=(),
            char_start=0,
            char_end=len(note.text),
            position=0,
            groups=note.groups,
        )
        for note in notes
    ]
    sentences = [Sentence(chunk_id=note.chunk_id, position=0, char_start=0, char_end=len(note.text)) for note in notes]
    homes = [
        NamedHome(chunk_id=note.chunk_id, name=name, type=kind, kind=how)
        for note in notes
        for name, kind, how in note.homes
    ]
    return Collection(
        tenant=tenant,
        documents=tuple(documents),
        chunks=tuple(chunks),
        chunk_vectors=NO_VECTORS,
        sentences=tuple(sentences),
        sentence_vectors=NO_VECTORS,
        mentions=tuple(mention for note in notes for mention in mentions_of(note)),
        relations=tuple(relation for note in notes for relation in relations_of(note)),
        homes=tuple(homes),
    )
