"""The nouns of the whole project, as frozen records.

Ids are derived from content or source (see :mod:`graph_store.ids`) and are the same on every run and machine.
Offsets count Python characters in the cleaned text of the document, which the store keeps; spans are half-open.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

MetadataValue: TypeAlias = str | int | float | bool | tuple[str, ...]
Metadata: TypeAlias = Mapping[str, MetadataValue]

SearchKind: TypeAlias = Literal["chunk", "report", "tree_node"]
HomeKind: TypeAlias = Literal["title", "heading", "lead_subject", "definition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One source document; its cleaned text is read with ``GraphStore.document_text``.

    ``groups`` empty means that every caller of the tenant may read it. Dates are ISO 8601 strings.
    ``updated_at`` is the modification time of the source, not of the store.
    """

    id: str
    source_uri: str
    title: str
    media_type: str
    content_hash: str
    version: int = 1
    tenant: str = "default"
    groups: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    effective_from: str | None = None
    effective_to: str | None = None
    updated_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """A larger span of a document (about 1,000 tokens) that several neighbouring chunks belong to (small-to-big)."""

    id: str
    document_id: str
    char_start: int
    char_end: int
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A retrievable span of a document: ``text == cleaned_text[char_start:char_end]``, always.

    ``context`` is text that belongs to the chunk without standing in its span (the header row of a table that goes on);
    it is indexed with the chunk and never quoted. ``position`` counts the chunks of the document from 0.
    """

    id: str
    document_id: str
    document_version: int
    text: str
    heading_path: tuple[str, ...]
    char_start: int
    char_end: int
    position: int
    page: int | None = None
    parent_id: str | None = None
    context: str = ""
    tenant: str = "default"
    groups: tuple[str, ...] = ()
    embedding_model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a chunk: ``chunk.text[char_start:char_end]`` (offsets within the chunk's text)."""

    chunk_id: str
    position: int
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMention:
    """A name found in a chunk by extraction, before entities are resolved over the whole collection.

    ``name`` is the document-level canonical form (the full name for a surname, the long form for an acronym),
    ``surface`` the text as it stands at ``chunk.text[char_start:char_end]``. ``description`` is what a language model
    says of it by this chunk alone, empty where none was asked.
    """

    chunk_id: str
    name: str
    type: str
    surface: str
    char_start: int
    char_end: int
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRelation:
    """A subject-predicate-object statement found at ``chunk.text[char_start:char_end]``, before resolution.

    The parser gives the sentence that states it, a language model the words that it rests on, and its ``strength``
    (0 to 10; 0 where none was asked).
    """

    chunk_id: str
    subject: str
    subject_type: str
    predicate: str
    object: str
    object_type: str
    char_start: int
    char_end: int
    strength: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedHome:
    """A chunk that is *about* the thing it names: its title or heading is the name, or its lead sentence defines it."""

    chunk_id: str
    name: str
    type: str
    kind: HomeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A resolved entity of a tenant. ``name_key`` is its normalised name (:func:`graph_store.ids.name_key`).

    An extractive ``description`` is a sentence of a home. One that a language model made rests on the chunks
    ``description_chunk_ids``, and is shown to those alone who may read all of them, as long as all are there.
    """

    id: str
    tenant: str
    name: str
    name_key: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    description_made_by: str = "extractive"
    description_chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An occurrence of a resolved entity at ``chunk.text[char_start:char_end]``."""

    entity_id: str
    chunk_id: str
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A home passage of a resolved entity."""

    entity_id: str
    chunk_id: str
    kind: HomeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A directed statement between two entities; ``evidence`` are the ids of the chunks that state it (never empty).

    ``weight`` is the number of sentences that state it; ``strength`` (0 to 10) the greatest that a language model gave
    it, shown to those alone who may read all of the evidence, 0 where none was asked.
    """

    id: str
    tenant: str
    source_id: str
    target_id: str
    predicate: str
    weight: float
    evidence: tuple[str, ...]
    strength: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageEdge:
    """A weighted edge of the passage graph, from a chunk to a chunk that explains something it mentions."""

    source_id: str
    target_id: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedSentence:
    """A sentence of a derived text with the chunks it rests on (never empty).

    Extractive texts quote one chunk: then ``char_start``/``char_end`` is the span in the text of ``chunk_ids[0]``.
    """

    text: str
    chunk_ids: tuple[str, ...]
    char_start: int | None = None
    char_end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """A community of entities within one audience (tenant and groups), with its report.

    Level 0 is the finest partition; ``parent_id`` points one level up (None at the top). ``chunk_ids`` is the whole
    evidence. A community is readable exactly where its audience is: it is made from chunks of that audience alone.
    """

    id: str
    tenant: str
    groups: tuple[str, ...]
    level: int
    parent_id: str | None
    entity_ids: tuple[str, ...]
    title: str
    report: tuple[SourcedSentence, ...]
    key_entity_ids: tuple[str, ...]
    key_relation_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    made_by: str = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """A node of a RAPTOR summary tree within one audience; the leaves (level 0) are chunks.

    ``document_id`` is set for nodes within one document, None for nodes across them. ``child_ids`` are node ids or,
    on level 1, chunk ids. ``chunk_ids`` are all leaves below the node, in document order.
    """

    id: str
    tenant: str
    groups: tuple[str, ...]
    level: int
    parent_id: str | None
    document_id: str | None
    child_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    title: str
    summary: tuple[SourcedSentence, ...]
    made_by: str = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result. ``score`` is a BM25 score or a cosine in [-1, 1]; higher is better."""

    id: str
    score: float
