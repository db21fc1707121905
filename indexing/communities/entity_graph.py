"""The weighted graph of the entities of one audience."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.records import Relation
from indexing.communities.entity_places import EntityPlaces, FloatArray64, Incidence
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, IntVector

# Edges whose vectors are compared at once (d floats each, twice).
_BLOCK = 16_384
# Unlike texts weaken an edge, they do not cut it.
_LEAST_COSINE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityGraph:
    """An undirected graph without loops over ``size`` entities, isolated ones included.

    Edges are parallel arrays, each pair once with ``sources < targets``, ordered; ``weights`` are positive.
    """

    size: int
    sources: IntVector
    targets: IntVector
    weights: FloatArray64

    def isolated(self) -> IntVector:
        """Return the entities that no edge leads to, ascending."""
        return np.setdiff1d(np.arange(self.size, dtype=np.int64), np.union1d(self.sources, self.targets))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edges:
    sources: IntVector
    targets: IntVector
    weights: FloatArray64


def build_entity_graph(
    view: AudienceView, places: EntityPlaces, relations: Sequence[Relation], settings: CommunitySettings
) -> EntityGraph:
    """Link entities that are named together, related, or at home where others are named.

    A sentence or chunk of m entities gives each pair 1/(m - 1) of its weight (Newman 2001): a list of names does not
    outweigh a statement. Parallel and reversed edges are summed. Every edge is damped by the rarity of both ends and by
    the squared cosine of the texts they stand in, so that names which are everywhere do not hold everything together.
    O(sum of m² over sentences and chunks + d times edges).
    """
    parts = [
        *_together(places.sentences, settings.sentence_weight),
        *_together(places.chunks, settings.chunk_weight),
        *_about(places, settings.home_weight),
        _related(view, places.numbers(), relations, settings.relation_weight),
    ]
    sources = np.concatenate([part.sources for part in parts])
    targets = np.concatenate([part.targets for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    size = len(places.entities)
    keys, positions = np.unique(low * size + high, return_inverse=True)
    totals = np.bincount(positions, weights=weights, minlength=len(keys))
    first, second = keys // max(size, 1), keys % max(size, 1)
    damped = totals * places.rarity[first] * places.rarity[second] * _coherence(view, places, first, second)
    real = (first != second) & (damped > 0)
    return EntityGraph(size=size, sources=first[real], targets=second[real], weights=damped[real])


def _coherence(view: AudienceView, places: EntityPlaces, first: IntVector, second: IntVector) -> FloatArray64:
    """Return the squared cosine of the mean chunk vectors of both ends of each edge: 1 for two names of one chunk."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy import, only when used

    ones = np.ones(len(places.chunks.units), dtype=np.float32)
    shape = (len(places.entities), len(view.chunks))
    vectors = csr_array((ones, (places.chunks.entities, places.chunks.units)), shape=shape) @ view.chunk_vectors
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    cosines = np.zeros(len(first), dtype=np.float64)
    for start in range(0, len(first), _BLOCK):
        block = slice(start, start + _BLOCK)
        cosines[block] = np.einsum("ij,ij->i", vectors[first[block]], vectors[second[block]])
    return np.square(np.maximum(cosines, _LEAST_COSINE))


def _together(units: Incidence, weight: float) -> Iterator[_Edges]:
    for entities in units.unit_groups():
        count = len(entities)
        if count > 1:
            first, second = np.triu_indices(count, k=1)
            shares = np.full(len(first), weight / (count - 1))
            yield _Edges(sources=entities[first], targets=entities[second], weights=shares)


def _about(places: EntityPlaces, weight: float) -> Iterator[_Edges]:
    for chunk, entity in places.homes:
        start, end = np.searchsorted(places.chunks.units, [chunk, chunk + 1])
        named = places.chunks.entities[start:end]
        yield _Edges(sources=np.full_like(named, entity), targets=named, weights=np.full(len(named), weight))


def _related(view: AudienceView, numbers: Mapping[str, int], relations: Iterable[Relation], weight: float) -> _Edges:
    """Return an edge per relation, weighted by the part of its evidence that this audience has."""
    own = {chunk.id for chunk in view.chunks}
    rows = [
        (numbers[relation.source_id], numbers[relation.target_id], weight * evidence_within(relation, own))
        for relation in relations
        if relation.source_id in numbers and relation.target_id in numbers
    ]
    array = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return _Edges(sources=array[:, 0].astype(np.int64), targets=array[:, 1].astype(np.int64), weights=array[:, 2])


def evidence_within(relation: Relation, chunk_ids: set[str]) -> float:
    """Return the weight of a relation that rests on some chunks alone: 0 where none of its evidence is among them."""
    return relation.weight * sum(chunk in chunk_ids for chunk in relation.evidence) / len(relation.evidence)
