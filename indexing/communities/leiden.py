"""Hierarchical Leiden (Traag, Waltman and van Eck 2019) over the entity graph."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from indexing.communities.entity_graph import EntityGraph
from indexing.communities.settings import CommunitySettings
from raptor.audience import IntVector

NO_CLUSTER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """The finest cluster of each entity (``NO_CLUSTER`` for isolated ones), and the coarser cluster above each."""

    labels: IntVector
    parents: Mapping[int, int | None]


def partition_graph(graph: EntityGraph, settings: CommunitySettings) -> Partition:
    """Partition the graph; clusters above ``max_cluster_size`` are partitioned again, level by level.

    All components of two entities or more are kept; only isolated entities are in no cluster, and no cluster has a
    single entity. A graph without edges has no cluster. The same on every run of one version of the engine (1.2 and 1.3
    give different partitions for one seed).
    """
    labels = np.full(graph.size, NO_CLUSTER, dtype=np.int64)
    if len(graph.weights) == 0:  # the engine raises EmptyNetworkError
        return Partition(labels=labels, parents={})
    from graspologic_native import hierarchical_leiden  # type: ignore[import-untyped]  # noqa: PLC0415 - compiled engine, only when used

    edges = zip(graph.sources.tolist(), graph.targets.tolist(), graph.weights.tolist(), strict=True)
    parents: dict[int, int | None] = {}
    for place in hierarchical_leiden(
        [(str(source), str(target), weight) for source, target, weight in edges],
        resolution=settings.resolution,
        iterations=2,
        max_cluster_size=settings.max_cluster_size,
        seed=settings.seed,
    ):
        parents[place.cluster] = place.parent_cluster
        if place.is_final_cluster:
            labels[int(place.node)] = place.cluster
    partition = Partition(labels=labels, parents=parents)
    numbers, sizes = np.unique(labels[labels != NO_CLUSTER], return_counts=True)
    return join_clusters(graph, partition, frozenset(numbers[sizes == 1].tolist()), across=True)


def join_clusters(graph: EntityGraph, partition: Partition, thin: frozenset[int], *, across: bool) -> Partition:
    """Return the partition with each ``thin`` cluster joined to the one that most weight of edges leads to.

    Clusters under the same parent come first; others only where ``across`` is true. What nothing leads to stays. A thin
    cluster that another was joined to is thin no more.
    """
    joined: dict[int, int] = {}
    grown: set[int] = set()
    for cluster, partner in _partners(graph, partition, thin, across=across):
        end = _end_of(joined, partner)
        if cluster not in grown and end != cluster:
            joined[cluster] = end
            grown.add(end)
    labels = np.array([joined.get(label, label) for label in partition.labels.tolist()], dtype=np.int64)
    return Partition(labels=labels, parents=partition.parents)


def _end_of(joined: Mapping[int, int], cluster: int) -> int:
    while cluster in joined:
        cluster = joined[cluster]
    return cluster


def _partners(
    graph: EntityGraph, partition: Partition, thin: frozenset[int], *, across: bool
) -> Iterator[tuple[int, int]]:
    """Yield each thin cluster that has a partner with the best one, by cluster."""
    ties: dict[tuple[int, int], float] = defaultdict(float)
    ends = zip(partition.labels[graph.sources].tolist(), partition.labels[graph.targets].tolist(), strict=True)
    for (one, other), weight in zip(ends, graph.weights.tolist(), strict=True):
        if one != other:
            ties[one, other] += weight
            ties[other, one] += weight
    best: dict[int, tuple[bool, float, int]] = {}
    for (cluster, partner), weight in ties.items():
        far = partition.parents[cluster] != partition.parents[partner]
        if cluster in thin and (across or not far):
            best[cluster] = min(best.get(cluster, (True, 0.0, 0)), (far, -round(weight, 9), partner))
    for cluster in sorted(best):
        yield cluster, best[cluster][2]
