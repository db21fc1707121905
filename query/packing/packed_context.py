"""What packing returns: a text within a budget of tokens, and where each sentence of it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from query.outcome import Route, Trace

PackedKind: TypeAlias = Literal["passage", "chain", "digest", "report", "tree_node"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedSentence:
    """A sentence of a source, word by word: ``text`` is ``document_text[char_start:char_end]`` of the cleaned text."""

    chunk_id: str
    char_start: int
    char_end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedSource:
    """Sentences of one place in a document, in the order of the document, under one number.

    ``columns`` is the header row where they are rows of a table; ``page`` that of the first sentence.
    """

    number: int
    document_id: str
    title: str
    source_uri: str
    heading_path: tuple[str, ...]
    page: int | None
    columns: str
    sentences: tuple[PackedSentence, ...]

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The chunks that the sentences stand in, in order."""
        return tuple(dict.fromkeys(sentence.chunk_id for sentence in self.sentences))


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedBlock:
    """Sources that belong together: a passage, the passages of a chain in the order of its hops, or what a digest,
    report or tree node (``title``) rests on. ``strength`` is the place of the block by strength, from 1.
    """

    kind: PackedKind
    title: str
    strength: int
    sources: tuple[PackedSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedContext:
    """The context of a question, to be put before a reader.

    ``text`` has at most ``budget`` tokens; ``tokens`` says how many, counted by the tokenizer of the embedding model
    ``counted_by``. Blocks stand as in the text: the strongest first, the second strongest last, the others in between
    with the weaker ones in the middle; sources are numbered from 1 in that order. ``left_out`` counts the sentences of
    the weighed passages that were not packed.
    """

    question: str
    route: Route
    route_reason: str
    text: str
    budget: int
    tokens: int
    counted_by: str
    blocks: tuple[PackedBlock, ...]
    left_out: int
    timings_ms: Mapping[str, float]
    trace: Trace

    @property
    def sources(self) -> tuple[PackedSource, ...]:
        """All sources, by number."""
        return tuple(source for block in self.blocks for source in block.sources)


def packed_documents(context: PackedContext) -> frozenset[str]:
    """Return the ids of the documents that have a sentence in a packed context."""
    return frozenset(source.document_id for source in context.sources)
