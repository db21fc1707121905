"""What a copy of a store needs beside the rest of its contract: whole documents, whole layers, and a mark.

A copy carries over what callers could be shown. Names and sentences that were hidden because their evidence was deleted
stay behind.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeVar

import numpy as np

from graph_store.bundles import ChunkSentences, DocumentBundle, FloatMatrix, FloatVector, Generation, TokenVectors
from graph_store.records import Chunk, Document, NamedHome, NamedMention, NamedRelation, Parent
from graph_store.spaces import LiveSpace

_OfChunk = TypeVar("_OfChunk", NamedMention, NamedRelation, NamedHome)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStanding:
    """How a tenant's derived layer stands (see ``PreviousGeneration``).

    ``fingerprint`` is None where the layer is stale, ``made_with`` where the next one must be made whole.
    """

    fingerprint: str | None = None
    made_with: str | None = None
    changed_documents: int = 0
    mended: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLayer:
    """The whole derived layer of a tenant as it stands, everything in it ordered by id or by what it connects."""

    generation: Generation
    standing: LayerStanding


class StoreCopies(Protocol):
    """The part of a store's contract that copying to and from it needs. Whoever may read what makes no difference."""

    def unfinished_copy(self) -> str | None:
        """Return the note of the copy that was begun into this store and not ended, None where there is none.

        Such a store is not to be asked or written to by anything but that copy.
        """
        ...

    def begin_copy(self, note: str, live: LiveSpace) -> None:
        """Mark the store as an unfinished copy, and keep what is known of the live space elsewhere.

        Raises ``StoreMismatch`` where the vectors of this store are in another space.
        """
        ...

    def end_copy(self) -> None:
        """Take the mark away: the store is whole. Nothing happens where there is none."""
        ...

    def document_bundles(self, tenant: str, document_ids: Sequence[str]) -> tuple[DocumentBundle, ...]:
        """Read whole documents in the order asked; those that are not there are left out.

        Writing one gives the document that was read, to the last bit. Chunks, parents and sentences are ordered by
        position, what was found in a chunk as it was written.
        """
        ...

    def stored_layer(self, tenant: str) -> StoredLayer:
        """Read the derived layer of a tenant as it stands; memory is about that of its records and vectors."""
        ...

    def write_layer(self, layer: StoredLayer) -> None:
        """Replace the derived layer of a tenant as ``publish`` does, and let it stand as it stood elsewhere."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentParts:
    """The parts of some documents as a backend reads them; chunks and parents are ordered within each document."""

    documents: Sequence[Document]
    texts: Mapping[str, str]
    parents: Iterable[Parent]
    chunks: Iterable[Chunk]
    vectors: Mapping[str, FloatVector]
    sentences: ChunkSentences
    tokens: Mapping[str, TokenVectors]
    mentions: Iterable[NamedMention]
    relations: Iterable[NamedRelation]
    homes: Iterable[NamedHome]

    def bundles(self, dimension: int) -> tuple[DocumentBundle, ...]:
        """Put the parts together, in the order of ``documents``."""
        parents: defaultdict[str, list[Parent]] = defaultdict(list)
        for parent in self.parents:
            parents[parent.document_id].append(parent)
        chunks: defaultdict[str, list[Chunk]] = defaultdict(list)
        for chunk in self.chunks:
            chunks[chunk.document_id].append(chunk)
        found = (_by_chunk(self.mentions), _by_chunk(self.relations), _by_chunk(self.homes))
        places = self._sentence_places()
        return tuple(
            self._bundle(document, parents[document.id], chunks[document.id], places=places, found=found, d=dimension)
            for document in self.documents
        )

    def _sentence_places(self) -> dict[str, list[int]]:
        numbered = enumerate(self.sentences.sentences)
        return {
            chunk_id: [place for place, _ in part]
            for chunk_id, part in groupby(numbered, key=lambda item: item[1].chunk_id)
        }

    def _bundle(
        self,
        document: Document,
        parents: Sequence[Parent],
        chunks: Sequence[Chunk],
        *,
        places: Mapping[str, Sequence[int]],
        found: tuple[
            Mapping[str, list[NamedMention]], Mapping[str, list[NamedRelation]], Mapping[str, list[NamedHome]]
        ],
        d: int,
    ) -> DocumentBundle:
        own = [place for chunk in chunks for place in places.get(chunk.id, ())]
        vectors = [self.vectors[chunk.id] for chunk in chunks]
        sentence_vectors: FloatMatrix = self.sentences.vectors[own] if own else np.zeros((0, d), dtype=np.float32)
        mentions, relations, homes = found
        return DocumentBundle(
            document=document,
            text=self.texts[document.id],
            parents=tuple(parents),
            chunks=tuple(chunks),
            chunk_vectors=np.array(vectors, dtype=np.float32).reshape(len(chunks), d),
            sentences=tuple(self.sentences.sentences[place] for place in own),
            sentence_vectors=sentence_vectors,
            token_vectors=tuple(self.tokens[chunk.id] for chunk in chunks if chunk.id in self.tokens),
            mentions=tuple(item for chunk in chunks for item in mentions.get(chunk.id, ())),
            relations=tuple(item for chunk in chunks for item in relations.get(chunk.id, ())),
            homes=tuple(item for chunk in chunks for item in homes.get(chunk.id, ())),
        )


def _by_chunk(items: Iterable[_OfChunk]) -> dict[str, list[_OfChunk]]:
    grouped: defaultdict[str, list[_OfChunk]] = defaultdict(list)
    for item in items:
        grouped[item.chunk_id].append(item)
    return dict(grouped)
