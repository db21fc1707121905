"""The passages worth ranking: the best of every list, and what the best of them lead to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatMatrix, FloatVector
from graph_store.records import Hit
from graph_store.searches import Along, VectorSearch
from graph_store.store import GraphStore
from query.chain_ranking.names import KnownNames
from query.chain_ranking.settings import ChainSettings
from query.readable_view import ReadableView
from query.request import Request

# How strongly a passage is carried on towards what it leads to: the question stays the larger part.
_CARRIED = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What is known before the pool is chosen: hits of the first searches, and the mass of the walk by position."""

    bm25: tuple[Hit, ...]
    dense: tuple[Hit, ...]
    fused: tuple[Hit, ...]
    mass: NDArray[np.float64]


def hop_vectors(question: FloatVector, passages: FloatMatrix) -> FloatMatrix:
    """Return the question carried on through each passage: unit rows of question + 0.7 passage, (n, d).

    Asks for "what else of this question lies beyond this passage" without embedding anything again.
    """
    carried = question[None, :] + np.float32(_CARRIED) * passages
    unit: FloatMatrix = carried / np.maximum(np.linalg.norm(carried, axis=1, keepdims=True), 1e-9)
    return unit


def strongest(mass: NDArray[np.float64], count: int) -> list[int]:
    """Return the positions of the largest mass above 0, largest first, ties by position; O(n)."""
    reached = np.flatnonzero(mass > 0.0)
    if len(reached) > count:
        least = np.partition(mass[reached], len(reached) - count)[len(reached) - count]
        reached = reached[mass[reached] >= least]
    ordered: list[int] = reached[np.argsort(-mass[reached], kind="stable")][:count].tolist()
    return ordered


def choose_pool(
    store: GraphStore, request: Request, view: ReadableView, *, found: Candidates, settings: ChainSettings
) -> tuple[str, ...]:
    """Return the ids of at most ``settings.pool`` passages of the caller's graph and filters, in order of discovery."""
    ids = view.chunk_ids
    anchors = strongest(found.mass, settings.anchors)
    chosen: dict[str, None] = {}
    _add(chosen, (hit.id for hit in found.fused[: settings.pool_fused]))
    _add(chosen, (ids[position] for position in strongest(found.mass, settings.pool_walk)))
    linked = [ids[position] for position in _linked(view, anchors, found, settings)]
    starts = list(store.chunk_vectors(request.access, [ids[position] for position in anchors]).values())
    hops = hop_vectors(request.vector, np.array(starts, dtype=np.float32).reshape(-1, len(request.vector)))
    _add(chosen, _beyond(store, request, hops, settings, along=Along(vectors=tuple(linked))))
    linked_vectors = store.chunk_vectors(request.access, linked)
    _add(chosen, _nearest_linked(linked_vectors, hops, settings.pool - len(chosen)))
    _add(chosen, (hit.id for hit in found.fused))
    known = [chunk_id for chunk_id in chosen if view.place(chunk_id) is not None]
    return tuple(_filtered(store, request, known)[: settings.pool])


def _filtered(store: GraphStore, request: Request, chunk_ids: Sequence[str]) -> list[str]:
    allowed = store.filtered_documents(request.access, request.filters)
    if allowed is None:
        return list(chunk_ids)
    return [chunk.id for chunk in store.chunks(request.access, chunk_ids) if chunk.document_id in allowed]


def _add(chosen: dict[str, None], ids: Iterable[str]) -> None:
    for chunk_id in ids:
        chosen.setdefault(chunk_id)


def _beyond(
    store: GraphStore, request: Request, hops: FloatMatrix, settings: ChainSettings, *, along: Along
) -> list[str]:
    best: dict[str, float] = {}
    searches = [VectorSearch(vector=hop, kind="chunk", k=settings.hop_hits, filters=request.filters) for hop in hops]
    for hits in store.search_many(request.access, searches, along=along):
        for hit in hits:
            best[hit.id] = max(best.get(hit.id, -1.0), hit.score)
    return sorted(best, key=lambda chunk_id: (-best[chunk_id], chunk_id))[: settings.pool_hops]


def _linked(view: ReadableView, anchors: Sequence[int], found: Candidates, settings: ChainSettings) -> list[int]:
    """Return the positions that the anchors lead to by an edge or by a shared uncommon name, strongest tie first."""
    names = view.names_of(anchors, holders=settings.linked)
    ties: dict[int, float] = {}
    for anchor in anchors:
        strength = float(found.mass[anchor])
        for target, tie in (*_edges(view, anchor), *_shared_names(names, anchor, settings)):
            ties[target] = max(ties.get(target, 0.0), strength * tie)
    return sorted(ties, key=lambda position: (-ties[position], position))[: settings.linked]


def _edges(view: ReadableView, anchor: int) -> Iterator[tuple[int, float]]:
    edges = view.edges(anchor)
    yield from zip(edges.targets.tolist(), (1.0 + edges.weights).tolist(), strict=True)


def _shared_names(names: KnownNames, anchor: int, settings: ChainSettings) -> Iterator[tuple[int, float]]:
    """Yield the passages that share a name with the anchor; the rarer the name, the stronger the tie.

    Of a name with more holders than are linked in all, the first will do: the others are no nearer.
    """
    limit = most_holders(names.count, settings)
    for key in sorted(names.mentioned(anchor)):
        holders = names.holder_count(key)
        if 2 <= holders <= limit:
            yield from ((target, holders**-0.5) for target in names.holders(key))


def most_holders(passages: int, settings: ChainSettings) -> int:
    """Return the number of passages beyond which a shared name links nothing."""
    return max(settings.link_spread, round(settings.link_share * passages))


def _nearest_linked(vectors: Mapping[str, FloatVector], hops: FloatMatrix, room: int) -> list[str]:
    if room <= 0 or not vectors or not len(hops):
        return []
    ids = list(vectors)
    nearness = (np.array([vectors[chunk_id] for chunk_id in ids]) @ hops.T).max(axis=1)
    order = np.argsort(-nearness, kind="stable")[:room]
    return [ids[index] for index in order.tolist()]
