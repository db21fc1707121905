"""Entities, statements and home passages of documents, read by a local parser."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graph_store.ids import name_key
from graph_store.records import Chunk, Document, NamedHome, NamedMention, NamedRelation
from indexing.extraction.document_names import BlockReading, DocumentNames
from indexing.extraction.homes import find_homes, lead_block, lead_subject
from indexing.extraction.known_names import known_names
from indexing.extraction.names import TOPIC
from indexing.extraction.plain_text import Block, split_blocks
from indexing.extraction.reading import Reading, TextReader
from indexing.extraction.settings import ExtractionSettings
from indexing.extraction.statements import Statement

_PERSONAL = frozenset({"he", "she"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in one document, in the order of its text."""

    mentions: tuple[NamedMention, ...]
    relations: tuple[NamedRelation, ...]
    homes: tuple[NamedHome, ...]


class EntityExtractor:
    """Reads names, statements and home passages from chunks. Deterministic; the parser is loaded on first use."""

    def __init__(self, settings: ExtractionSettings) -> None:
        self._settings = settings
        self._reader = TextReader(settings)

    def extract(self, documents: Sequence[tuple[Document, tuple[Chunk, ...]]]) -> list[Extraction]:
        """Return one extraction per document, in order. Overlapping chunks each keep their own mentions."""
        blocks = [[(chunk, block) for chunk in chunks for block in split_blocks(chunk.text)] for _, chunks in documents]
        texts = []
        for (document, chunks), found in zip(documents, blocks, strict=True):
            known = known_names(document, chunks)
            texts += [(block.text, tuple(name for name in known if name in block.text)) for _, block in found]
        readings = self._reader.read(texts)
        return [
            self._document(document, chunks, [(chunk, block, next(readings)) for chunk, block in found])
            for (document, chunks), found in zip(documents, blocks, strict=True)
        ]

    def _document(
        self, document: Document, chunks: tuple[Chunk, ...], readings: list[tuple[Chunk, Block, Reading]]
    ) -> Extraction:
        names = DocumentNames(document, readings)
        return Extraction(
            mentions=tuple(mention for entry in names.blocks for mention in _mentions(entry, names)),
            relations=tuple(_relations(names, self._settings.pronoun_sentences)),
            homes=find_homes(names, chunks),
        )


def _mentions(entry: BlockReading, names: DocumentNames) -> Iterator[NamedMention]:
    for name, accepted in zip(entry.names, entry.accepted, strict=True):
        if accepted:
            start, end = entry.block.origin(name.start, name.end)
            yield NamedMention(
                chunk_id=entry.chunk.id,
                name=names.canonical(entry.block.text[name.start : name.end], name.type),
                type=name.type,
                surface=entry.chunk.text[start:end],
                char_start=start,
                char_end=end,
            )


def _relations(names: DocumentNames, pronoun_sentences: int) -> Iterator[NamedRelation]:
    topic = _topic(names)
    lead = lead_block(names.blocks)
    for entry in names.blocks:
        if entry.block.kind in {"heading", "row"}:
            continue
        for statement in entry.reading.statements:
            leading = entry is lead and statement.sentence < pronoun_sentences
            subject = _subject(statement, entry, names, topic if leading else None)
            relation = None if subject is None else _relation(entry, statement, names, subject)
            if relation is not None:
                yield relation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Topic:
    """What a document is about, and the noun that its lead sentence gives for it ("film")."""

    name: str
    type: str
    noun: str


def _topic(names: DocumentNames) -> _Topic | None:
    lead = lead_block(names.blocks)
    name = names.title.name if names.title else lead_subject(names)
    if lead is None or name is None:
        return None
    nouns = [definition.noun for definition in lead.reading.definitions if definition.sentence == 0]
    return _Topic(name=name, type=names.type_of(name), noun=nouns[0] if nouns else "")


def _subject(
    statement: Statement, entry: BlockReading, names: DocumentNames, topic: _Topic | None
) -> tuple[str, str] | None:
    """Return (name, type) of a statement's subject; a pronoun stands for the topic where there is one."""
    if statement.subject is not None:
        span = entry.names[statement.subject]
        return names.canonical(entry.block.text[span.start : span.end], span.type), span.type
    if topic is None:
        return None
    if statement.subject_word in _PERSONAL:
        return (topic.name, "PERSON") if topic.type in {"PERSON", TOPIC} else None
    if statement.subject_word == "it":
        return (topic.name, topic.type) if topic.type != "PERSON" else None
    return (topic.name, topic.type) if statement.subject_word == topic.noun else None


def _relation(
    entry: BlockReading, statement: Statement, names: DocumentNames, subject: tuple[str, str]
) -> NamedRelation | None:
    span = entry.names[statement.object]
    target = names.canonical(entry.block.text[span.start : span.end], span.type)
    if name_key(target) == name_key(subject[0]):
        return None
    start, end = entry.block.origin(*entry.reading.sentences[statement.sentence])
    return NamedRelation(
        chunk_id=entry.chunk.id,
        subject=subject[0],
        subject_type=subject[1],
        predicate=statement.predicate,
        object=target,
        object_type=span.type,
        char_start=start,
        char_end=end,
    )
