"""Putting repaired clusters back into the hierarchy that they were in."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from graph_store.bundles import FloatVector
from indexing.communities.hierarchy import Cluster, direction, is_glanceable, parent_of
from indexing.communities.previous import PreviousCommunities
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, IntVector


class HierarchyRepair:
    """The coarser levels as they stand, over the finest ``clusters`` as they are now.

    Clusters have the numbers of ``PreviousCommunities.finest``, new ones higher numbers.
    """

    def __init__(self, view: AudienceView, previous: PreviousCommunities, clusters: Mapping[int, Cluster]) -> None:
        self._view = view
        self._clusters = clusters
        finest = previous.finest()
        self._count = len(finest)
        self._numbers = {community.id: number for number, community in enumerate(finest)}
        self._levels = {community.id: community.level for community in previous.communities}
        self._parents = {
            community.id: community.parent_id if community.parent_id in self._levels else None
            for community in previous.communities
        }
        self._finest_ids = [community.id for community in finest]
        self._children = previous.children()

    def roots(self, divided: Mapping[int, int]) -> list[Cluster]:
        """Return the coarsest clusters: what stood, without what is gone.

        Parts of a divided cluster (part -> what it was divided from) stand beside it, other new clusters under the
        nearest parent. A parent that is left with one part gives way to it.
        """
        born: defaultdict[str | None, list[Cluster]] = defaultdict(list)
        for number, cluster in self._clusters.items():
            if number >= self._count:
                origin = divided.get(number, number)
                known = origin < self._count
                parent = self._parents[self._finest_ids[origin]] if known else self._nearest_parent(cluster)
                born[parent].append(cluster)
        tops = [self._rebuilt(key, born) for key, parent in sorted(self._parents.items()) if parent is None]
        return [top for top in tops if top is not None] + born[None]

    def _rebuilt(self, community_id: str, born: Mapping[str | None, Sequence[Cluster]]) -> Cluster | None:
        if community_id in self._numbers:
            return self._clusters.get(self._numbers[community_id])
        within = [self._rebuilt(key, born) for key in self._children.get(community_id, ())]
        parts = [part for part in within if part is not None] + list(born.get(community_id, ()))
        if len(parts) <= 1:
            return parts[0] if parts else None
        return replace(parent_of(parts, level=self._levels[community_id]), id=community_id)

    def _nearest_parent(self, cluster: Cluster) -> str | None:
        """Return the parent of finest clusters whose evidence is most like that of a new one; None without parents."""
        if not self._centres:
            return None
        likeness = np.stack(list(self._centres.values())) @ direction(self._view, cluster.chunks)
        return list(self._centres)[int(np.argmax(likeness))]

    @cached_property
    def _centres(self) -> Mapping[str, FloatVector]:
        """The direction of the evidence of each parent of finest clusters."""
        chunks: defaultdict[str, list[IntVector]] = defaultdict(list)
        for key, number in self._numbers.items():
            parent = self._parents[key]
            if parent is not None and number in self._clusters:
                chunks[parent].append(self._clusters[number].chunks)
        return {parent: direction(self._view, np.concatenate(rows)) for parent, rows in chunks.items()}


def under_the_highest(view: AudienceView, roots: Sequence[Cluster], settings: CommunitySettings) -> list[Cluster]:
    """Put roots of lower levels under the nearest of the highest level, where there are too many to read at a glance.

    They lost their parent with its last evidence, or are new.
    """
    highest = max((root.level for root in roots), default=0)
    if highest == 0 or is_glanceable(roots, settings):
        return list(roots)
    tops = [[root] for root in roots if root.level == highest]
    centres = np.stack([direction(view, top[0].chunks) for top in tops])
    for root in roots:
        if root.level < highest:
            tops[int(np.argmax(centres @ direction(view, root.chunks)))].append(root)
    return [
        top if not strays else replace(parent_of([*top.children, *strays], level=highest), id=top.id)
        for top, *strays in tops
    ]
