"""The part of a collection that one audience may read: derived texts are made within one audience alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import Collection, FloatMatrix
from graph_store.ids import name_key
from graph_store.records import Chunk, Sentence, SourcedSentence
from raptor.sentence_quality import sentence_quality

IntVector: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Audience:
    """A tenant and the groups (sorted, without doubles) that a chunk is restricted to; no groups: the whole tenant."""

    tenant: str
    groups: tuple[str, ...]

    def key(self) -> tuple[str, ...]:
        """Return parts for a stable id; the number of groups keeps them apart from what follows."""
        return (self.tenant, str(len(self.groups)), *self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTable:
    """The sentences of an audience in document order; every field has one row per sentence.

    ``chunk_rows`` are rows of the audience's chunks, ascending; the sentences of chunk i are rows
    ``offsets[i]:offsets[i+1]``. ``vectors`` is (n, d) float32 with unit rows. ``quality`` is in [0, 1], 0 for
    fragments; ``lead`` is 1 for the first sentence of a document that is no fragment, else 0. Sentences with one
    ``keys`` value say the same.
    """

    sentences: tuple[SourcedSentence, ...]
    keys: tuple[str, ...]
    chunk_rows: IntVector
    offsets: IntVector
    vectors: FloatMatrix
    quality: FloatArray
    lead: FloatArray

    def rows_of(self, chunk_rows: IntVector) -> IntVector:
        """Return the sentence rows of some chunks, ascending."""
        spans = [np.arange(self.offsets[row], self.offsets[row + 1]) for row in np.sort(chunk_rows)]
        return np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)

    def places(self) -> Mapping[tuple[tuple[str, ...], int | None, int | None], int]:
        """Return the row of each sentence by its chunks and its span. O(sentences)."""
        return {(item.chunk_ids, item.char_start, item.char_end): row for row, item in enumerate(self.sentences)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceView:
    """The chunks of one audience, ordered by document id and position, with (n, d) unit vectors and their sentences."""

    audience: Audience
    titles: Mapping[str, str]
    chunks: tuple[Chunk, ...]
    chunk_vectors: FloatMatrix
    sentences: SentenceTable

    def title_of(self, row: int) -> str:
        """Return the title of the document that a chunk row belongs to ("" where it has none)."""
        return self.titles.get(self.chunks[row].document_id, "")

    def document_rows(self) -> tuple[IntVector, ...]:
        """Return the chunk rows of each document, in order."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, chunk in enumerate(self.chunks):
            rows[chunk.document_id].append(row)
        return tuple(np.array(group, dtype=np.int64) for group in rows.values())


def audience_views(collection: Collection) -> tuple[AudienceView, ...]:
    """Split a collection by audience, sorted; the order of its records does not matter. O(chunks + sentences)."""
    members: dict[Audience, list[int]] = defaultdict(list)
    for row, chunk in enumerate(collection.chunks):
        members[Audience(tenant=chunk.tenant, groups=tuple(sorted(set(chunk.groups))))].append(row)
    sentence_rows: dict[str, list[int]] = defaultdict(list)
    for row, sentence in enumerate(collection.sentences):
        sentence_rows[sentence.chunk_id].append(row)
    titles = {document.id: document.title for document in collection.documents}
    return tuple(_view(collection, audience, members[audience], sentence_rows, titles) for audience in sorted(members))


def _view(
    collection: Collection,
    audience: Audience,
    rows: Sequence[int],
    sentence_rows: Mapping[str, Sequence[int]],
    titles: Mapping[str, str],
) -> AudienceView:
    chunks = collection.chunks
    ordered = sorted(rows, key=lambda row: (chunks[row].document_id, chunks[row].position, chunks[row].id))
    own = tuple(chunks[row] for row in ordered)
    return AudienceView(
        audience=audience,
        titles={chunk.document_id: titles.get(chunk.document_id, "") for chunk in own},
        chunks=own,
        chunk_vectors=collection.chunk_vectors[np.array(ordered, dtype=np.int64)],
        sentences=_sentence_table(collection, own, sentence_rows),
    )


def _sentence_table(
    collection: Collection, chunks: Sequence[Chunk], sentence_rows: Mapping[str, Sequence[int]]
) -> SentenceTable:
    picked: list[int] = []
    sourced: list[SourcedSentence] = []
    counts: list[int] = []
    for chunk in chunks:
        rows = sorted(sentence_rows.get(chunk.id, ()), key=lambda row: collection.sentences[row].char_start)
        picked.extend(rows)
        sourced.extend(_sourced(chunk, collection.sentences[row]) for row in rows)
        counts.append(len(rows))
    quality = np.array([sentence_quality(sentence.text) for sentence in sourced], dtype=np.float32)
    chunk_rows = np.repeat(np.arange(len(chunks), dtype=np.int64), counts)
    return SentenceTable(
        sentences=tuple(sourced),
        keys=tuple(name_key(sentence.text) for sentence in sourced),
        chunk_rows=chunk_rows,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        vectors=collection.sentence_vectors[np.array(picked, dtype=np.int64)],
        quality=quality,
        lead=_lead(chunks, chunk_rows, quality),
    )


def _sourced(chunk: Chunk, sentence: Sentence) -> SourcedSentence:
    return SourcedSentence(
        text=chunk.text[sentence.char_start : sentence.char_end],
        chunk_ids=(chunk.id,),
        char_start=sentence.char_start,
        char_end=sentence.char_end,
    )


def _lead(chunks: Sequence[Chunk], chunk_rows: IntVector, quality: FloatArray) -> FloatArray:
    lead = np.zeros(len(quality), dtype=np.float32)
    seen: set[str] = set()
    for row in np.flatnonzero(quality > 0):
        document_id = chunks[int(chunk_rows[row])].document_id
        if document_id not in seen:
            seen.add(document_id)
            lead[row] = 1.0
    return lead
