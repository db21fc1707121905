"""Vectors of the chunks that documents had before: a changed document embeds anew only what is new in it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graph_store.access import Access
from graph_store.bundles import DocumentState, FloatMatrix, FloatVector
from graph_store.indexed_text import chunk_prefix
from graph_store.records import Chunk, Sentence
from graph_store.store import GraphStore
from indexing.passages import passages_of
from model_clients.embedder import Embedder, Passage, PassageVectors
from model_clients.embedder import TokenVectors as EmbeddedTokens

PassageKey: TypeAlias = tuple[Passage, int]
"""What is embedded for a chunk, and how much of it stands before the chunk's own text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownVectors:
    """The vectors of one passage: (d,), one (len(spans), d) matrix, and its tokens where the store keeps them."""

    passage: FloatVector
    spans: FloatMatrix
    tokens: EmbeddedTokens | None


def passage_keys(title: str, chunks: Sequence[Chunk], sentences: Sequence[Sentence]) -> list[PassageKey]:
    """Return one key for each chunk of a document: equal keys have equal vectors."""
    passages = passages_of(title, chunks, sentences)
    return [(passage, len(chunk_prefix(title, chunk))) for passage, chunk in zip(passages, chunks, strict=True)]


class StoredVectors:
    """Looks up vectors of a tenant's stored documents, as they stand in the store's own space."""

    def __init__(self, store: GraphStore, embedding_model: str, stored: Mapping[str, DocumentState]) -> None:
        self._store = store
        self._model = embedding_model
        self._stored = stored

    def of_documents(self, tenant: str, document_ids: Collection[str]) -> dict[PassageKey, KnownVectors]:
        """Return what is known for the chunks of documents as they are stored now; ids that are not stored give none.

        Sentence vectors have the store's precision: written again, they are the very same.
        """
        wanted = sorted(name for name in set(document_ids) if name in self._stored)
        groups = frozenset(group for name in wanted for group in self._stored[name].groups)
        access = Access(tenant=tenant, groups=groups)
        known: dict[PassageKey, KnownVectors] = {}
        for document in self._store.documents(access, wanted):
            chunks = self._store.document_chunks(access, document.id)
            if all(chunk.embedding_model == self._model for chunk in chunks):
                known |= self._of_chunks(access, document.title, chunks)
        return known

    def _of_chunks(self, access: Access, title: str, chunks: Sequence[Chunk]) -> dict[PassageKey, KnownVectors]:
        ids = [chunk.id for chunk in chunks]
        found = self._store.sentences(access, ids)
        vectors, tokens = self._store.chunk_vectors(access, ids), self._store.token_vectors(access, ids)
        rows: dict[str, list[int]] = {chunk_id: [] for chunk_id in ids}
        for row, sentence in enumerate(found.sentences):
            rows[sentence.chunk_id].append(row)
        known = {}
        for chunk, key in zip(chunks, passage_keys(title, chunks, found.sentences), strict=True):
            own = tokens.get(chunk.id)
            # Counted from the chunk's text in the store, from the passage's where they are embedded.
            shifted = None if own is None else EmbeddedTokens(starts=own.starts + key[1], vectors=own.vectors)
            known[key] = KnownVectors(passage=vectors[chunk.id], spans=found.vectors[rows[chunk.id]], tokens=shifted)
        return known


def embed_unknown(
    keys: Sequence[PassageKey], known: Mapping[PassageKey, KnownVectors], embedder: Embedder, *, with_tokens: bool
) -> PassageVectors:
    """Return the vectors of all passages, in order: known ones as they are, the others embedded in one call.

    Nothing is asked of the embedder where all are known, so that its model is not loaded.
    """
    usable = {key: item for key, item in known.items() if not with_tokens or item.tokens is not None}
    missing = [place for place, key in enumerate(keys) if key not in usable]
    if len(missing) == len(keys):
        return embedder.embed_passages([passage for passage, _ in keys], with_tokens=with_tokens)
    vectors: list[KnownVectors | None] = [usable.get(key) for key in keys]
    if missing:
        fresh = embedder.embed_passages([keys[place][0] for place in missing], with_tokens=with_tokens)
        for row, place in enumerate(missing):
            tokens = fresh.tokens[row] if fresh.tokens else None
            vectors[place] = KnownVectors(passage=fresh.passages[row], spans=fresh.spans[row], tokens=tokens)
    whole = [item for item in vectors if item is not None]
    return PassageVectors(
        passages=np.stack([item.passage for item in whole]),
        spans=tuple(item.spans for item in whole),
        tokens=tuple(item.tokens for item in whole if item.tokens is not None and with_tokens),
    )
