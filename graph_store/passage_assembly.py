"""Putting a passage graph together from its chunks, edges and names."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatVector, PassageGraph, PassageLinks

_Key = TypeVar("_Key", int, str)
_Places: TypeAlias = NDArray[np.int64]


def assemble_graph(
    chunks: Sequence[tuple[_Key, str]],
    *,
    edges: Iterable[tuple[_Key, _Key, float]],
    homes: Iterable[tuple[str, _Key]],
    mentions: Iterable[tuple[str, _Key]],
) -> PassageGraph:
    """Return the graph over ``chunks``, (key, id) in their order; O(chunks + homes + mentions + edges log edges).

    ``edges`` are (source key, target key, weight), ``homes`` and ``mentions`` (name key, chunk key), in any order;
    those of other chunks, which the caller may not read, are left out.
    """
    place = {key: index for index, (key, _) in enumerate(chunks)}
    inside = sorted(
        (place[source], place[target], weight)
        for source, target, weight in edges
        if source in place and target in place
    )
    indptr, indices, weights = _compressed(inside, len(place))
    return PassageGraph(
        chunk_ids=tuple(chunk_id for _, chunk_id in chunks),
        indptr=indptr,
        indices=indices,
        weights=weights,
        homes=_by_name(homes, place),
        mentions=_by_name(mentions, place),
    )


def strongest_links(
    rows: Iterable[tuple[str, Sequence[str], Sequence[float], float]],
) -> dict[str, PassageLinks]:
    """Return chunk id -> links from rows of chunk id, targets, their weights and the weight of all edges."""
    return {
        source: PassageLinks(targets=tuple(targets), weights=np.array(weights, dtype=np.float32), total=total)
        for source, targets, weights, total in rows
    }


def _compressed(edges: list[tuple[int, int, float]], size: int) -> tuple[_Places, _Places, FloatVector]:
    sources = np.array([source for source, _, _ in edges], dtype=np.int64)
    counts = np.bincount(sources, minlength=size) if edges else np.zeros(size, dtype=np.int64)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    indices = np.array([target for _, target, _ in edges], dtype=np.int64)
    weights = np.array([weight for _, _, weight in edges], dtype=np.float32)
    return indptr, indices, weights


def _by_name(occurrences: Iterable[tuple[str, _Key]], place: dict[_Key, int]) -> dict[str, tuple[int, ...]]:
    """Return name key -> sorted places of the chunks."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for key, chunk in occurrences:
        found = place.get(chunk)
        if found is not None:
            places[key].add(found)
    return {key: tuple(sorted(places[key])) for key in sorted(places) if key}
