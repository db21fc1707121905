"""Which reports stay as they are: those that are made from what they were made from before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.records import Community, Entity, Relation
from indexing.communities.entity_places import AudienceFacts
from indexing.communities.hierarchy import Cluster, clusters_below
from indexing.communities.previous import PreviousCommunities
from indexing.communities.telling import TellingSentences
from raptor.audience import IntVector
from raptor.told_summary import ToldSummary

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is said of a cluster: ``sentences`` are rows of the audience's sentences; entities and relations by weight,
    heaviest first. ``told`` is the report in the words of a language model, where one made it.
    """

    cluster: Cluster
    title: str
    sentences: IntVector
    key_entities: tuple[Entity, ...]
    key_relations: tuple[Relation, ...]
    told: ToldSummary | None = None


class KeptReports:
    """Finds the reports of one audience that stay.

    A report is made from the sentences of its evidence that name a member, and from the reports of the communities
    within. Where these are the same, the new report would be too, but for weights that every document shifts a little.
    Of the reports that language models made only those by ``told_by`` stay; their extractive form is made anew.
    """

    def __init__(
        self, facts: AudienceFacts, previous: PreviousCommunities, telling: TellingSentences, *, told_by: str = ""
    ) -> None:
        self._entities = facts.places.entities
        self._numbers = facts.places.numbers()
        self._relations = {relation.id: relation for relation in facts.relations}
        self._telling = telling
        self._rows = {chunk.id: row for row, chunk in enumerate(facts.view.chunks)}
        self._quoted = facts.view.sentences.places() if previous.communities else {}
        self._children = previous.children()
        self._known = {
            item.id: item
            for item in previous.communities
            if item.id not in previous.mended and item.made_by in {EXTRACTIVE, told_by}
        }

    def below(self, roots: Sequence[Cluster]) -> Mapping[str, Report]:
        """Return the reports that stay by the id of their community."""
        kept: dict[str, Report] = {}
        for root in roots:
            for cluster in clusters_below(root):
                community = self._known.get(cluster.id)
                if community is not None and self._is_unchanged(cluster, community, kept):
                    kept[cluster.id] = self._report(cluster, community)
        return kept

    def _is_unchanged(self, cluster: Cluster, community: Community, kept: Mapping[str, Report]) -> bool:
        if not {child.id for child in cluster.children} == set(self._children.get(community.id, ())) <= kept.keys():
            return False
        chunks = [self._rows.get(chunk_id, -1) for chunk_id in community.chunk_ids]
        if not np.array_equal(np.sort(chunks), cluster.chunks) or not self._is_there(community):
            return False
        return self._draws_on_the_same(cluster, community) and self._names_what_is_there(cluster, community)

    def _is_there(self, community: Community) -> bool:
        """Tell whether a report has lost nothing that it says."""
        if community.made_by != EXTRACTIVE:
            return all(key in self._rows for item in community.report for key in item.chunk_ids)
        sourced = [(item.chunk_ids, item.char_start, item.char_end) for item in community.report]
        return all(key in self._quoted for key in sourced)

    def _draws_on_the_same(self, cluster: Cluster, community: Community) -> bool:
        known = [self._numbers[entity_id] for entity_id in community.entity_ids if entity_id in self._numbers]
        before = self._telling.of(np.array(sorted(known), dtype=np.int64), cluster.chunks)
        return np.array_equal(before, self._telling.of(cluster.members, cluster.chunks))

    def _names_what_is_there(self, cluster: Cluster, community: Community) -> bool:
        members = {self._entities[number].id for number in cluster.members}
        relations = [self._relations.get(key) for key in community.key_relation_ids]
        return members.issuperset(community.key_entity_ids) and all(
            relation is not None and members.issuperset((relation.source_id, relation.target_id))
            for relation in relations
        )

    def _report(self, cluster: Cluster, community: Community) -> Report:
        is_told = community.made_by != EXTRACTIVE
        quoted = () if is_told else community.report
        rows = [self._quoted[item.chunk_ids, item.char_start, item.char_end] for item in quoted]
        told = ToldSummary(title=community.title, claims=community.report, made_by=community.made_by)
        return Report(
            cluster=cluster,
            title=community.title,
            sentences=np.array(rows, dtype=np.int64),
            key_entities=tuple(self._entities[self._numbers[key]] for key in community.key_entity_ids),
            key_relations=tuple(self._relations[key] for key in community.key_relation_ids),
            told=told if is_told else None,
        )
