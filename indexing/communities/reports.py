"""Reports of communities, made bottom-up of sentences from their evidence."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from graph_store.records import Relation
from indexing.communities.entity_graph import EntityGraph, evidence_within
from indexing.communities.entity_places import AudienceFacts, EntityPlaces, FloatArray64
from indexing.communities.grouping import rows_by_group
from indexing.communities.hierarchy import Cluster
from indexing.communities.kept_reports import Report
from indexing.communities.settings import CommunitySettings
from indexing.communities.telling import TellingSentences
from raptor.audience import AudienceView, IntVector
from raptor.audience_reader import AudienceReader
from raptor.summariser import choose_parent_sentences
from raptor.theme_titles import ThemeTitles

# How much a sentence gains by each key entity that it names, for the first three.
_NAMED_BONUS = 0.25


class ReportWriter:
    """Writes the reports of one audience, but for those that are ``kept``, by the id of their community."""

    def __init__(
        self,
        facts: AudienceFacts,
        graph: EntityGraph,
        settings: CommunitySettings,
        *,
        telling: TellingSentences,
        reader: AudienceReader,
        kept: Mapping[str, Report],
    ) -> None:
        self._view = facts.view
        self._places = facts.places
        self._settings = settings
        self._telling = telling
        self._reader = reader
        self._kept = kept
        self._ties = _Ties(graph)
        self._presence = _Presence(facts.view, facts.places)
        self._relations = _relations_by_source(facts)

    def write(self, cluster: Cluster) -> list[Report]:
        """Return the reports of a cluster and of all within it, children before their parents, its own last.

        A report of the finest level is made of the sentences of its evidence; any other of its children's sentences and
        of what they leave out. Those that are kept are not made again; of one that a language model told, only the
        sentences are chosen again, for the communities above it.
        """
        reports: list[Report] = []
        chosen = [np.zeros(0, dtype=np.int64)]
        for child in cluster.children:
            below = self.write(child)
            reports.extend(below)
            chosen.append(below[-1].sentences)
        kept = self._kept.get(cluster.id)
        drawn = np.unique(np.concatenate(chosen))
        if kept is None:
            reports.append(self._made(cluster, drawn))
        elif kept.told is None:
            reports.append(kept)
        else:
            reports.append(replace(kept, sentences=self._sentences(cluster, drawn, self._key_entities(cluster))))
        return reports

    def _made(self, cluster: Cluster, chosen: IntVector) -> Report:
        entities = self._key_entities(cluster)
        return Report(
            cluster=cluster,
            title=self._titles.title(cluster.chunks, [self._places.entities[number].name for number in entities]),
            sentences=self._sentences(cluster, chosen, entities),
            key_entities=tuple(self._places.entities[number] for number in entities),
            key_relations=self._key_relations(cluster),
        )

    def _sentences(self, cluster: Cluster, chosen: IntVector, entities: IntVector) -> IntVector:
        return choose_parent_sentences(
            self._view.sentences,
            chosen,
            self._telling.of(cluster.members, cluster.chunks),
            limit=self._settings.max_report_sentences,
            emphasis=1.0 + _NAMED_BONUS * np.minimum(self._telling.named(entities), 3).astype(np.float32),
        )

    @cached_property
    def _titles(self) -> ThemeTitles:
        # Only now: reading themes takes a good part of the time of a repair, which may have nothing to name.
        return ThemeTitles(self._reader.themes(self._view), taken=[report.title for report in self._kept.values()])

    def _key_entities(self, cluster: Cluster) -> IntVector:
        """Return the members by how much and how solely they stand in the evidence, then by the weight of their edges
        within the cluster.
        """
        strength = self._ties.within(cluster.members)
        presence = self._presence.within(cluster.members, cluster.chunks)
        order = np.lexsort((cluster.members, -np.round(strength, 9), -np.round(presence, 9)))
        return cluster.members[order[: self._settings.key_entities]]

    def _key_relations(self, cluster: Cluster) -> tuple[Relation, ...]:
        members = set(cluster.members.tolist())
        found = [
            (-weight, relation.id, relation)
            for source in cluster.members.tolist()
            for target, weight, relation in self._relations.get(source, ())
            if target in members
        ]
        return tuple(
            relation for *_, relation in sorted(found, key=lambda item: item[:2])[: self._settings.key_relations]
        )


class _Ties:
    """The edges of the graph by both their ends."""

    def __init__(self, graph: EntityGraph) -> None:
        ends = np.concatenate([graph.sources, graph.targets])
        order = np.argsort(ends, kind="stable")
        self._others = np.concatenate([graph.targets, graph.sources])[order]
        self._weights = np.concatenate([graph.weights, graph.weights])[order]
        self._offsets = np.searchsorted(ends[order], np.arange(graph.size + 1))
        self._inside = np.zeros(graph.size, dtype=bool)

    def within(self, members: IntVector) -> FloatArray64:
        """Return for each member the weight of its edges to other members. O(edges of the members)."""
        self._inside[members] = True
        strength = np.zeros(len(members), dtype=np.float64)
        for position, member in enumerate(members):
            edges = slice(self._offsets[member], self._offsets[member + 1])
            strength[position] = self._weights[edges][self._inside[self._others[edges]]].sum()
        self._inside[members] = False
        return strength


class _Presence:
    """In how many chunks each entity stands."""

    def __init__(self, view: AudienceView, places: EntityPlaces) -> None:
        self._inside = np.zeros(len(view.chunks), dtype=bool)
        homes = set(places.homes)
        pairs = list(zip(places.chunks.units.tolist(), places.chunks.entities.tolist(), strict=True))
        # A chunk that is about an entity counts double.
        self._weights = np.array([2.0 if pair in homes else 1.0 for pair in pairs], dtype=np.float64)
        self._units = places.chunks.units
        self._rows = rows_by_group(places.chunks.entities)

    def within(self, members: IntVector, chunks: IntVector) -> FloatArray64:
        """Return for each member its chunks among ``chunks``, times the share of all its chunks that these are."""
        self._inside[chunks] = True
        presence = np.zeros(len(members), dtype=np.float64)
        for position, member in enumerate(members.tolist()):
            rows = self._rows[member]
            own = self._weights[rows][self._inside[self._units[rows]]].sum()
            presence[position] = own * own / self._weights[rows].sum()
        self._inside[chunks] = False
        return presence


def _relations_by_source(facts: AudienceFacts) -> dict[int, list[tuple[int, float, Relation]]]:
    """Return (target, weight, relation) by source, for the relations that this audience has evidence of."""
    numbers = facts.places.numbers()
    own = {chunk.id for chunk in facts.view.chunks}
    found: defaultdict[int, list[tuple[int, float, Relation]]] = defaultdict(list)
    for relation in facts.relations:
        weight = evidence_within(relation, own)
        if weight > 0 and relation.source_id in numbers and relation.target_id in numbers:
            found[numbers[relation.source_id]].append((numbers[relation.target_id], weight, relation))
    return found
