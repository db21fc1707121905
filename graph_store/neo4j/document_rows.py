"""The rows that a document becomes: nodes for itself, its parents and its chunks, and what belongs to a chunk."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import DocumentBundle
from graph_store.indexed_text import indexed_text
from graph_store.keyword_analysis import analyzer, spread_unspaced
from graph_store.metadata_values import comparable_values
from graph_store.named_records import pack_homes, pack_mentions, pack_relations
from graph_store.neo4j.batching import Row
from graph_store.neo4j.scope import record_tokens
from graph_store.neo4j.slots import Slot
from graph_store.neo4j.vectors import sendable_rows
from graph_store.packing import pack_metadata, pack_spans, pack_tokens, quantise
from graph_store.records import Chunk, NamedHome, NamedMention, NamedRelation
from graph_store.version_circles import SUPERSEDES

_Named = TypeVar("_Named", NamedMention, NamedRelation, NamedHome)


def document_row(bundle: DocumentBundle) -> Row:
    """Return the properties of a document."""
    document = bundle.document
    superseded = [text for _, text in comparable_values(document.metadata.get(SUPERSEDES, ())) if text is not None]
    return {
        "tenant": document.tenant,
        "id": document.id,
        "source_uri": document.source_uri,
        "title": document.title,
        "media_type": document.media_type,
        "content_hash": document.content_hash,
        "version": document.version,
        "groups": list(document.groups),
        "acl": record_tokens(document.tenant, document.groups),
        "metadata": pack_metadata(document.metadata),
        "has_metadata": bool(document.metadata),
        "supersedes": superseded or None,
        "effective_from": document.effective_from,
        "effective_to": document.effective_to,
        "updated_at": document.updated_at,
        "text": bundle.text,
    }


def parent_rows(bundle: DocumentBundle) -> Iterator[Row]:
    """Yield the properties of the parents of a document."""
    for parent in bundle.parents:
        yield {
            "tenant": bundle.document.tenant,
            "id": parent.id,
            "document_id": bundle.document.id,
            "char_start": parent.char_start,
            "char_end": parent.char_end,
            "position": parent.position,
        }


def chunk_rows(bundle: DocumentBundle, slot: Slot, *, as_vector: bool) -> Iterator[Row]:
    """Yield properties, vector and further data of each chunk of a document, and whether it is the first of it."""
    data = _data_by_chunk(bundle, slot)
    vectors = sendable_rows(bundle.chunk_vectors, as_vector=as_vector)
    first = min(bundle.chunks, key=lambda chunk: (chunk.position, chunk.id), default=None)
    for chunk, vector in zip(bundle.chunks, vectors, strict=True):
        yield {
            "document": bundle.document.id,
            "first": chunk is first,
            "properties": {**_chunk_properties(bundle, chunk), slot.embedding_model: chunk.embedding_model},
            "vector": vector,
            "data": {"tenant": bundle.document.tenant, **data[chunk.id]},
        }


def _chunk_properties(bundle: DocumentBundle, chunk: Chunk) -> Row:
    document = bundle.document
    return {
        "tenant": document.tenant,
        "id": chunk.id,
        "document_id": document.id,
        "document_version": chunk.document_version,
        "text": chunk.text,
        "heading_path": list(chunk.heading_path),
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "position": chunk.position,
        "page": chunk.page,
        "parent_id": chunk.parent_id,
        "context": chunk.context,
        "groups": list(document.groups),
        "acl": record_tokens(document.tenant, document.groups),
        "chunk_terms": index_terms(indexed_text(document.title, chunk)),
    }


def index_terms(text: str) -> str:
    """Return the terms of a text as both backends index them, separated by blanks; each as often as it stands there."""
    return " ".join(analyzer().analyze(spread_unspaced(text)))


def _data_by_chunk(bundle: DocumentBundle, slot: Slot) -> dict[str, dict[str, Any]]:
    mentions = _by_chunk(bundle.mentions)
    relations = _by_chunk(bundle.relations)
    homes = _by_chunk(bundle.homes)
    sentences = _sentences_by_chunk(bundle)
    empty = (pack_spans([]), b"")
    data: dict[str, dict[str, Any]] = {}
    for chunk in bundle.chunks:
        spans, vectors = sentences.get(chunk.id, empty)
        data[chunk.id] = {
            "sentence_spans": spans,
            slot.sentence_vectors: vectors,
            "mentions": pack_mentions(mentions[chunk.id]),
            "relations": pack_relations(relations[chunk.id]),
            "homes": pack_homes(homes[chunk.id]),
        }
    for chunk, tokens in zip(bundle.chunks, bundle.token_vectors, strict=False):
        starts, token_vectors = pack_tokens(tokens)
        data[chunk.id] |= {slot.token_starts: starts, slot.token_vectors: token_vectors}
    return data


def _sentences_by_chunk(bundle: DocumentBundle) -> dict[str, tuple[bytes, bytes]]:
    """Return chunk id -> spans and int8 vectors of its sentences by position."""
    quantised: NDArray[np.int8] = quantise(bundle.sentence_vectors)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(bundle.sentences):
        places[sentence.chunk_id].append(place)
    packed = {}
    for chunk_id, chosen in places.items():
        chosen.sort(key=lambda place: bundle.sentences[place].position)
        sentences = [bundle.sentences[place] for place in chosen]
        spans = pack_spans([(item.position, item.char_start, item.char_end) for item in sentences])
        packed[chunk_id] = (spans, quantised[chosen].tobytes())
    return packed


def _by_chunk(items: Iterable[_Named]) -> defaultdict[str, list[_Named]]:
    grouped: defaultdict[str, list[_Named]] = defaultdict(list)
    for item in items:
        grouped[item.chunk_id].append(item)
    return grouped


def chunk_links(bundles: Sequence[DocumentBundle]) -> Iterator[Row]:
    """Yield (first, second) ids of chunks that follow each other in a document."""
    for bundle in bundles:
        ordered = sorted(bundle.chunks, key=lambda chunk: (chunk.position, chunk.id))
        for first, second in pairwise(ordered):
            yield {"first": first.id, "second": second.id}
