"""From a partition to a hierarchy of communities with a top level that can be read at a glance."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.bundles import FloatVector
from indexing.communities.grouping import rows_by_group
from indexing.communities.leiden import NO_CLUSTER, Partition
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, IntVector
from raptor.branch import unit
from raptor.clustering import KMeansSettings, cluster_points

# Communities that one step of coarsening puts together.
_STEP = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A set of entities (numbers, ascending), the chunk rows it rests on (ascending), and the finer clusters within.

    Level 0 has no children; a parent has at least two and a higher level than any, and holds what they hold. ``id`` is
    that of the community which the cluster goes on from, "" for a new one.
    """

    level: int
    members: IntVector
    chunks: IntVector
    children: tuple["Cluster", ...] = ()
    id: str = ""


def clusters_below(cluster: Cluster) -> Iterator[Cluster]:
    """Yield a cluster and all within it, children before their parents."""
    for child in cluster.children:
        yield from clusters_below(child)
    yield cluster


def nested_clusters(partition: Partition, evidence: Mapping[int, IntVector]) -> tuple[Cluster, ...]:
    """Return the coarsest clusters of a partition, each with the finer ones within; ordered by first entity.

    A level that divides nothing is left out.
    """
    children: defaultdict[int | None, list[int]] = defaultdict(list)
    for cluster, parent in partition.parents.items():
        children[parent].append(cluster)
    members = rows_by_group(partition.labels)
    members.pop(NO_CLUSTER, None)

    def nested(parent: int | None) -> list[Cluster]:
        found = []
        for number in children[parent]:
            within = nested(number)
            if number in members:
                within.append(Cluster(level=0, members=members[number], chunks=evidence[number]))
            if within:
                found.append(within[0] if len(within) == 1 else parent_of(within))
        return found

    return _ordered(nested(None))


def parent_of(children: Sequence[Cluster], *, level: int | None = None) -> Cluster:
    """Return the cluster that holds ``children``, one level above the highest of them where ``level`` is not given."""
    return Cluster(
        level=1 + max(child.level for child in children) if level is None else level,
        members=np.unique(np.concatenate([child.members for child in children])),
        chunks=np.unique(np.concatenate([child.chunks for child in children])),
        children=_ordered(children),
    )


def _ordered(clusters: Sequence[Cluster]) -> tuple[Cluster, ...]:
    return tuple(sorted(clusters, key=lambda cluster: int(cluster.members[0])))


def coarsen(view: AudienceView, roots: Sequence[Cluster], settings: CommunitySettings) -> tuple[Cluster, ...]:
    """Put clusters together, level by level, until about ``top_communities`` are left.

    Leiden cannot do this: components without an edge between them, which most collections of articles have by the
    hundred, stay apart at any resolution. So clusters are joined by the likeness of their evidence (mean chunk vectors,
    k-means); clusters that share chunks, as linked ones do, are alike by that. Of a large graph modularity sees only
    coarse parts, whose themes are mixed (its resolution limit, Fortunato and Barthélemy 2007): what is larger than half
    the share of a top community is taken apart first.
    """
    if is_glanceable(roots, settings):
        return _ordered(roots)
    most = max(1, len(view.chunks) // (2 * settings.top_communities))
    top = [part for root in roots for part in _parts(root, most)]
    while not is_glanceable(top, settings):
        level = 1 + max(cluster.level for cluster in top)
        points = np.stack([direction(view, cluster.chunks) for cluster in top])
        size = _step_size(len(top), settings.top_communities)
        evidence = np.array([len(cluster.chunks) for cluster in top], dtype=np.float32)
        groups = cluster_points(points, KMeansSettings(seed=settings.seed), size=size, weights=evidence)
        top = [parent_of([top[row] for row in group], level=level) for group in groups]
    return _ordered(top)


def _parts(cluster: Cluster, most: int) -> list[Cluster]:
    """Return a cluster, or its largest parts of at most ``most`` chunks where it has parts."""
    if len(cluster.chunks) <= most or not cluster.children:
        return [cluster]
    return [part for child in cluster.children for part in _parts(child, most)]


def _step_size(count: int, wanted: int) -> int:
    """Return how many clusters to put together so that even steps of about ``_STEP`` end in ``wanted``."""
    ratio = count / wanted
    steps = max(1, round(math.log(ratio, _STEP)))
    return max(2, math.ceil(math.pow(ratio, 1 / steps) - 1e-9))


def is_glanceable(roots: Sequence[Cluster], settings: CommunitySettings) -> bool:
    """Tell whether there are so few roots that they need not be put together."""
    return len(roots) <= 1.5 * settings.top_communities


def direction(view: AudienceView, chunks: IntVector) -> FloatVector:
    """Return the unit mean vector (d,) of some chunks."""
    vectors = view.chunk_vectors[chunks]
    return unit(vectors.mean(axis=0), fallback=vectors[0])
