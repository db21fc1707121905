"""Finding a cluster for new entities while those that have one stay where they are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from indexing.communities.entity_graph import EntityGraph
from indexing.communities.entity_places import FloatArray64
from indexing.communities.leiden import NO_CLUSTER
from raptor.audience import IntVector

# Entities settle in two or three sweeps.
_MOST_SWEEPS = 10


def settle_new(graph: EntityGraph, labels: IntVector, *, resolution: float) -> IntVector:
    """Return ``labels`` with a cluster for every linked entity that has none.

    This is the local moving of Leiden, started from the clusters that there are: each new entity begins alone and moves
    to the neighbouring cluster, known or new, that raises modularity most, until none moves. Clusters of new entities
    alone get numbers above all others. O(edges of the new entities) a sweep.
    """
    settled = labels.copy()
    strength = _strength(graph)
    new = np.flatnonzero((labels == NO_CLUSTER) & (strength > 0))
    settled[new] = int(labels.max(initial=-1)) + 1 + np.arange(len(new))
    neighbours = _neighbours(graph, new)
    mass: defaultdict[int, float] = defaultdict(float)
    for cluster, weight in zip(settled.tolist(), strength.tolist(), strict=True):
        mass[cluster] += weight
    pull = resolution / max(float(strength.sum()), 1e-12)
    for _ in range(_MOST_SWEEPS):
        moved = False
        for entity in new.tolist():
            own, weight = int(settled[entity]), float(strength[entity])
            mass[own] -= weight
            gains = {own: -pull * weight * mass[own]}
            for other, tie in neighbours[entity]:
                cluster = int(settled[other])
                gains[cluster] = gains.get(cluster, -pull * weight * mass[cluster]) + tie
            best = min(gains, key=lambda cluster: (-round(gains[cluster], 9), cluster != own, cluster))
            mass[best] += weight
            settled[entity] = best
            moved |= best != own
        if not moved:
            break
    return settled


def _strength(graph: EntityGraph) -> FloatArray64:
    """Return the weight of the edges of each entity."""
    ends = np.concatenate([graph.sources, graph.targets])
    weights = np.concatenate([graph.weights, graph.weights])
    return np.bincount(ends, weights=weights, minlength=graph.size).astype(np.float64)


def _neighbours(graph: EntityGraph, entities: IntVector) -> Mapping[int, Sequence[tuple[int, float]]]:
    """Return (neighbour, weight) of some entities."""
    wanted = np.zeros(graph.size, dtype=bool)
    wanted[entities] = True
    found: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for ends, others in ((graph.sources, graph.targets), (graph.targets, graph.sources)):
        rows = np.flatnonzero(wanted[ends])
        for end, other, weight in zip(
            ends[rows].tolist(), others[rows].tolist(), graph.weights[rows].tolist(), strict=True
        ):
            found[end].append((other, weight))
    return found
