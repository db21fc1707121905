"""Results that do not repeat each other: near-duplicates collapsed, and maximal marginal relevance where it is on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph_store.records import Chunk
from graph_store.store import GraphStore
from model_clients.embedder import FloatVector
from query.request import Request
from query.settings import DiversitySettings
from raptor.text_words import tokens

_SHINGLE = 5
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctChunk:
    """A passage with the ids of those that say the same and are ranked below it, best first."""

    chunk: Chunk
    duplicates: tuple[str, ...] = ()


def distinct_chunks(
    store: GraphStore, request: Request, chunks: Sequence[Chunk], pinned: Sequence[str], settings: DiversitySettings
) -> list[DistinctChunk]:
    """Return ranked chunks without near-duplicates, then by marginal relevance; ``pinned`` ones stay in front.

    Two passages are near-duplicates where their vectors are near, most of their runs of five words are shared, and all
    numbers, those of titles too, are the same: a form filled in twice tells two things. O(n * kept) for n chunks.
    """
    vectors = store.chunk_vectors(request.access, [chunk.id for chunk in chunks])
    kept = [DistinctChunk(chunk=chunk) for chunk in chunks]
    if settings.collapse:
        wanted = list(dict.fromkeys(chunk.document_id for chunk in chunks))
        titles = {document.id: document.title for document in store.documents(request.access, wanted)}
        kept = _collapsed(chunks, vectors, titles, settings)
    if settings.mmr_lambda >= 1.0:
        return kept
    front = [entry for entry in kept if entry.chunk.id in pinned]
    return [*front, *_marginal([entry for entry in kept if entry not in front], vectors, settings.mmr_lambda)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Print:
    shingles: frozenset[tuple[str, ...]]
    numbers: frozenset[str]


def _print(chunk: Chunk, title: str) -> _Print:
    words = tokens(chunk.text)
    shingles = frozenset(tuple(words[i : i + _SHINGLE]) for i in range(max(1, len(words) - _SHINGLE + 1)))
    headed = [*words, *tokens(" ".join([title, *chunk.heading_path, chunk.context]))]
    return _Print(shingles=shingles, numbers=frozenset(word for word in headed if _NUMBER.search(word)))


def _collapsed(
    chunks: Sequence[Chunk],
    vectors: Mapping[str, FloatVector],
    titles: Mapping[str, str],
    settings: DiversitySettings,
) -> list[DistinctChunk]:
    prints: dict[str, _Print] = {}
    kept: list[Chunk] = []
    repeats: dict[str, list[str]] = {}
    for chunk in chunks:
        same = next((one for one in kept if _is_near(one, chunk, vectors, settings.duplicate_cosine)), None)
        if same is not None:
            for item in (same, chunk):
                prints.setdefault(item.id, _print(item, titles.get(item.document_id, "")))
            one, other = prints[same.id], prints[chunk.id]
            if one.numbers == other.numbers and _jaccard(one, other) >= settings.duplicate_shingles:
                repeats.setdefault(same.id, []).append(chunk.id)
                continue
        kept.append(chunk)
    return [DistinctChunk(chunk=chunk, duplicates=tuple(repeats.get(chunk.id, ()))) for chunk in kept]


def _is_near(one: Chunk, other: Chunk, vectors: Mapping[str, FloatVector], least: float) -> bool:
    if one.id not in vectors or other.id not in vectors:
        return False
    return float(vectors[one.id] @ vectors[other.id]) >= least


def _jaccard(one: _Print, other: _Print) -> float:
    return len(one.shingles & other.shingles) / len(one.shingles | other.shingles)


def _marginal(
    entries: Sequence[DistinctChunk], vectors: Mapping[str, FloatVector], mmr_lambda: float
) -> list[DistinctChunk]:
    """Order by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998); relevance falls evenly with the rank.

    Each step takes what is best by lambda * relevance - (1 - lambda) * its largest cosine with what was taken; ties by
    rank. O(n * n).
    """
    if not entries:
        return []
    zero = np.zeros_like(next(iter(vectors.values()))) if vectors else np.zeros(1, dtype=np.float32)
    matrix = np.stack([vectors.get(entry.chunk.id, zero) for entry in entries])
    relevance: NDArray[np.float64] = 1.0 - np.arange(len(entries)) / len(entries)
    nearest = np.zeros(len(entries))
    left = list(range(len(entries)))
    order: list[int] = []
    while left:
        values = mmr_lambda * relevance[left] - (1.0 - mmr_lambda) * nearest[left]
        best = left.pop(int(np.argmax(values)))
        order.append(best)
        nearest = np.maximum(nearest, matrix @ matrix[best])
    return [entries[index] for index in order]
