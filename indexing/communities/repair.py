"""Repairing a hierarchy of communities, so that adding a document does not shatter them.

Entities stay in the community that they are in, and the chunks of a community stay its evidence. New entities join the
community that they are tied to most, or make new ones; what grew too large is partitioned again; what is left with
nothing vanishes, and a coarse community that is left with one part gives way to it. A community keeps its id for as
long as it lives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.records import Community
from indexing.communities.entity_graph import EntityGraph
from indexing.communities.entity_places import EntityPlaces
from indexing.communities.evidence import attach_isolated, evidence_chunks
from indexing.communities.grouping import rows_by_group
from indexing.communities.hierarchy import Cluster, coarsen
from indexing.communities.hierarchy_repair import HierarchyRepair, under_the_highest
from indexing.communities.leiden import NO_CLUSTER, Partition, join_clusters, partition_graph
from indexing.communities.local_moving import settle_new
from indexing.communities.previous import PreviousCommunities, previous_evidence, previous_labels
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, IntVector


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finest:
    """The finest clusters: a label per entity, and for the parts of a divided cluster the number that it had."""

    labels: IntVector
    divided: Mapping[int, int]


def repaired_roots(
    view: AudienceView,
    places: EntityPlaces,
    graph: EntityGraph,
    previous: PreviousCommunities,
    settings: CommunitySettings,
) -> tuple[Cluster, ...]:
    """Return the coarsest clusters, each with the finer ones within; those that live on have their ids."""
    finest = previous.finest()
    repaired = _repaired_partition(places, graph, finest, settings)
    labels = attach_isolated(view, places, repaired.labels, settings)
    before = previous_labels(places, finest)
    evidence = _held_evidence(view, places, labels, previous_evidence(view, finest), before, settings)
    members = rows_by_group(labels)
    members.pop(NO_CLUSTER, None)
    clusters = {
        number: Cluster(
            level=0,
            members=rows,
            chunks=evidence[number],
            id=finest[number].id if number < len(finest) else "",
        )
        for number, rows in members.items()
    }
    roots = HierarchyRepair(view, previous, clusters).roots(repaired.divided)
    return coarsen(view, under_the_highest(view, roots, settings), settings)


def _repaired_partition(
    places: EntityPlaces, graph: EntityGraph, finest: Sequence[Community], settings: CommunitySettings
) -> _Finest:
    before = previous_labels(places, finest)
    labels = settle_new(graph, _without_unlinked(graph, before), resolution=settings.resolution)
    numbers, sizes = np.unique(labels[labels != NO_CLUSTER], return_counts=True)
    evidence = evidence_chunks(places, labels, settings)
    alone = numbers[sizes == 1].tolist()
    thin = [number for number in numbers.tolist() if number >= len(finest) and len(evidence[number]) == 1]
    partition = Partition(labels=labels, parents=dict.fromkeys(numbers.tolist()))
    joined = join_clusters(graph, partition, frozenset(alone + thin), across=True).labels
    return _divided(graph, joined, finest, settings)


def _without_unlinked(graph: EntityGraph, labels: IntVector) -> IntVector:
    """Return labels without clusters that no edge leads to any more: their entities are isolated."""
    linked = np.zeros(graph.size, dtype=bool)
    linked[graph.sources] = True
    linked[graph.targets] = True
    return np.where(np.isin(labels, labels[linked]), labels, NO_CLUSTER)


def _divided(
    graph: EntityGraph, labels: IntVector, finest: Sequence[Community], settings: CommunitySettings
) -> _Finest:
    """Partition clusters that grew above ``max_cluster_size`` again; the largest part goes on as the cluster."""
    result, divided = labels.copy(), dict[int, int]()
    free = max(int(labels.max(initial=-1)) + 1, len(finest))
    for number, members in rows_by_group(labels).items():
        had = len(finest[number].entity_ids) if 0 <= number < len(finest) else 0
        if number == NO_CLUSTER or len(members) <= max(settings.max_cluster_size, had):
            continue
        for part in _parts(graph, members, settings)[1:]:
            result[part] = free
            divided[free] = number
            free += 1
    return _Finest(labels=result, divided=divided)


def _parts(graph: EntityGraph, members: IntVector, settings: CommunitySettings) -> list[IntVector]:
    """Partition some entities by the edges between them: the largest part first, with all that no edge leads to."""
    inside = np.full(graph.size, -1, dtype=np.int64)
    inside[members] = np.arange(len(members))
    sources, targets = inside[graph.sources], inside[graph.targets]
    real = (sources >= 0) & (targets >= 0)
    own = EntityGraph(size=len(members), sources=sources[real], targets=targets[real], weights=graph.weights[real])
    groups = rows_by_group(partition_graph(own, settings).labels)
    isolated = groups.pop(NO_CLUSTER, np.zeros(0, dtype=np.int64))
    parts = sorted(groups.values(), key=lambda rows: (-len(rows), int(rows[0]))) or [np.zeros(0, dtype=np.int64)]
    return [members[np.concatenate([parts[0], isolated])], *(members[rows] for rows in parts[1:])]


def _held_evidence(
    view: AudienceView,
    places: EntityPlaces,
    labels: IntVector,
    held: Mapping[int, Sequence[int]],
    before: IntVector,
    settings: CommunitySettings,
) -> Mapping[int, IntVector]:
    """Return the evidence of each cluster: chunks go on telling what they told; all others vote."""
    now = _lives_on(before, labels)
    fixed = {
        row: {now[number] for number in numbers}
        for row, numbers in held.items()
        if all(number in now for number in numbers)
    }
    inside = np.zeros(len(view.chunks), dtype=bool)
    inside[list(fixed)] = True
    told: dict[int, list[int]] = {}
    for row, numbers in fixed.items():
        for number in numbers:
            told.setdefault(number, []).append(row)
    voted = evidence_chunks(places, labels, settings)
    found = {}
    for number, chunks in voted.items():
        own = np.union1d(np.array(told.get(number, ()), dtype=np.int64), chunks[~inside[chunks]])
        found[number] = own if len(own) else chunks
    return found


def _lives_on(before: IntVector, labels: IntVector) -> Mapping[int, int]:
    """Return the present number of each earlier cluster whose entities are all in one."""
    found = {}
    for number, members in rows_by_group(before).items():
        numbers = np.unique(labels[members])
        if number != NO_CLUSTER and len(numbers) == 1 and numbers[0] != NO_CLUSTER:
            found[number] = int(numbers[0])
    return found
