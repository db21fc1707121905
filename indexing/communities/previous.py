"""What stands of an audience's communities before documents changed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.records import Community
from indexing.communities.entity_places import EntityPlaces
from indexing.communities.leiden import NO_CLUSTER
from raptor.audience import Audience, AudienceView, IntVector


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousCommunities:
    """Communities as they stand, of a tenant or of one audience, and the ids of those that have lost evidence."""

    communities: tuple[Community, ...] = ()
    mended: frozenset[str] = frozenset()

    def by_audience(self) -> Mapping[Audience, "PreviousCommunities"]:
        """Return those of each audience."""
        found: defaultdict[Audience, list[Community]] = defaultdict(list)
        for community in self.communities:
            groups = tuple(sorted(set(community.groups)))
            found[Audience(tenant=community.tenant, groups=groups)].append(community)
        return {
            audience: PreviousCommunities(communities=tuple(chosen), mended=self.mended)
            for audience, chosen in found.items()
        }

    def finest(self) -> tuple[Community, ...]:
        """Return the communities of the finest level, ordered by id: their places here are their numbers."""
        return tuple(sorted((item for item in self.communities if item.level == 0), key=lambda item: item.id))

    def children(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of the finer communities within each, by its id."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for community in sorted(self.communities, key=lambda item: item.id):
            if community.parent_id is not None:
                found[community.parent_id].append(community.id)
        return found


def previous_labels(places: EntityPlaces, finest: Sequence[Community]) -> IntVector:
    """Return the number of the finest community of each entity, ``NO_CLUSTER`` for those that had none."""
    labels = np.full(len(places.entities), NO_CLUSTER, dtype=np.int64)
    numbers = places.numbers()
    for number, community in enumerate(finest):
        known = [numbers[entity_id] for entity_id in community.entity_ids if entity_id in numbers]
        labels[known] = number
    return labels


def previous_evidence(view: AudienceView, finest: Sequence[Community]) -> Mapping[int, Sequence[int]]:
    """Return the numbers of the finest communities that each chunk row was evidence of; other rows are left out."""
    rows = {chunk.id: row for row, chunk in enumerate(view.chunks)}
    found: defaultdict[int, list[int]] = defaultdict(list)
    for number, community in enumerate(finest):
        for chunk_id in community.chunk_ids:
            if chunk_id in rows:
                found[rows[chunk_id]].append(number)
    return found
