"""What is written to a store in one piece, and what is read from it in bulk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.records import (
    Chunk,
    Community,
    Document,
    Entity,
    Home,
    Mention,
    NamedHome,
    NamedMention,
    NamedRelation,
    Parent,
    PassageEdge,
    Relation,
    Sentence,
    TreeNode,
)

FloatMatrix: TypeAlias = NDArray[np.float32]
FloatVector: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVectors:
    """The t tokens of a chunk as it is indexed, in reading order, for late interaction with a question's tokens.

    ``starts`` is (t,) int32: where each token begins in ``Chunk.text``, -1 for those of the title, headings and context
    before it; never falling. ``vectors`` is (t, e) int8: unit vectors times 127, rounded. For cosines, make
    them float32 and of unit length first: products of int8 overflow.
    """

    starts: NDArray[np.int32]
    vectors: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentBundle:
    """Everything that belongs to one document: written, replaced and deleted as a whole.

    ``chunk_vectors`` is (len(chunks), d), ``sentence_vectors`` (len(sentences), d); rows have unit length.
    ``token_vectors`` has one record per chunk, or none at all in a store without token vectors.
    """

    document: Document
    text: str
    parents: tuple[Parent, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: FloatMatrix
    sentences: tuple[Sentence, ...]
    sentence_vectors: FloatMatrix
    token_vectors: tuple[TokenVectors, ...] = ()
    mentions: tuple[NamedMention, ...] = ()
    relations: tuple[NamedRelation, ...] = ()
    homes: tuple[NamedHome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """What indexing must know of a stored document to tell whether it changed, and who may read it."""

    source_uri: str
    content_hash: str
    version: int
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """What a source file gave when it was read last, so that it need not be read again while it stays the same.

    ``mark`` tells its bytes and how they were read. ``failures`` are (uri, sentence) of what could not be read;
    ``whole`` says that nothing of the file was left out, so what it did not give is known not to be in it.
    """

    mark: str
    document_ids: tuple[str, ...]
    failures: tuple[tuple[str, str], ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """All of one tenant that the derived layer is made from, ordered by document id, then chunk position.

    ``chunk_vectors`` is (len(chunks), d), unit rows, in the order of ``chunks``; sentences likewise, ordered by chunk
    and position.
    """

    tenant: str
    documents: tuple[Document, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: FloatMatrix
    sentences: tuple[Sentence, ...]
    sentence_vectors: FloatMatrix
    mentions: tuple[NamedMention, ...]
    relations: tuple[NamedRelation, ...]
    homes: tuple[NamedHome, ...]


def _no_vectors() -> FloatMatrix:
    return np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """The derived layer of one tenant, published in one step: readers see the old one or the new one.

    Vector rows follow ``communities`` and ``tree_nodes``. ``fingerprint`` names the settings it was made with;
    ``whole`` is false for one that was repaired from the generation before it, where it was not made from nothing.
    """

    tenant: str
    fingerprint: str = ""
    whole: bool = True
    entities: tuple[Entity, ...] = ()
    mentions: tuple[Mention, ...] = ()
    homes: tuple[Home, ...] = ()
    relations: tuple[Relation, ...] = ()
    passage_edges: tuple[PassageEdge, ...] = ()
    communities: tuple[Community, ...] = ()
    community_vectors: FloatMatrix = field(default_factory=_no_vectors)
    tree_nodes: tuple[TreeNode, ...] = ()
    tree_vectors: FloatMatrix = field(default_factory=_no_vectors)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousGeneration:
    """The reports and tree nodes of one tenant as they stand, for the next generation to be repaired from.

    ``fingerprint`` names the settings they were made with, whatever documents changed since; None where the next
    generation must be made whole. ``changed_documents`` counts the documents that were written or deleted since the
    last whole one. ``mended`` are the ids of reports and nodes that lost evidence since they were published: their
    texts were shortened, their vectors are still those of the whole texts. Vector rows follow the records.
    ``described_entities`` are those that a language model described, and whose descriptions still stand.
    """

    fingerprint: str | None = None
    changed_documents: int = 0
    communities: tuple[Community, ...] = ()
    community_vectors: FloatMatrix = field(default_factory=_no_vectors)
    tree_nodes: tuple[TreeNode, ...] = ()
    tree_vectors: FloatMatrix = field(default_factory=_no_vectors)
    mended: frozenset[str] = frozenset()
    described_entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageGraph:
    """The readable part of the passage graph, in compressed sparse row form.

    Row i of the matrix lists the chunks that ``chunk_ids[i]`` leads to: columns ``indices[indptr[i]:indptr[i+1]]`` with
    ``weights`` (not normalised). ``homes`` maps a name key to the indices of its home passages, ``mentions`` a name key
    to the indices of all chunks that mention it.
    """

    chunk_ids: tuple[str, ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    weights: NDArray[np.float32]
    homes: Mapping[str, tuple[int, ...]]
    mentions: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSample:
    """How many chunks the caller may read, and the ids of some of them, evenly over their document order."""

    count: int
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePlaces:
    """Where a name stands: the first of its home passages and of the chunks that mention it, in document order.

    The counts are those of all readable ones, of those that were left out as well.
    """

    homes: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    home_count: int = 0
    mention_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesOfPassages:
    """Chunk id -> the keys of names that it mentions, and of those that it is a home of; and where these names stand.

    A chunk without such names is missing.
    """

    mentioned: Mapping[str, frozenset[str]]
    about: Mapping[str, frozenset[str]]
    places: Mapping[str, NamePlaces]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLinks:
    """What one chunk leads to: the strongest of its edges to readable chunks, strongest first, ties by id.

    ``weights`` (len(targets),) are not normalised; ``total`` is the weight of all edges to readable chunks, of those
    that were left out as well.
    """

    targets: tuple[str, ...]
    weights: FloatVector
    total: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSentences:
    """Sentences of some chunks with their vectors: (len(sentences), d) float32, unit rows (int8 precision)."""

    sentences: tuple[Sentence, ...]
    vectors: FloatMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCounts:
    """How many records of each kind the caller may read."""

    documents: int
    chunks: int
    entities: int
    relations: int
    communities: int
    tree_nodes: int
