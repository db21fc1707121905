"""Communities of the entities of a collection, with their reports: the story from top to bottom."""

from collections.abc import Mapping, Sequence

from graph_store.bundles import Collection
from graph_store.ids import stable_id
from graph_store.records import Community, Entity, Home, Mention, Relation
from indexing.communities.entity_graph import EntityGraph, build_entity_graph
from indexing.communities.entity_places import EntityPlaces, Knowledge, gather_knowledge, place_entities
from indexing.communities.evidence import attach_isolated, evidence_chunks
from indexing.communities.hierarchy import Cluster, clusters_below, coarsen, nested_clusters
from indexing.communities.leiden import Partition, join_clusters, partition_graph
from indexing.communities.reports import Report, ReportWriter
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, audience_views
from raptor.summariser import quote


def build_communities(
    collection: Collection,
    *,
    entities: Sequence[Entity],
    mentions: Sequence[Mention],
    homes: Sequence[Home],
    relations: Sequence[Relation],
    settings: CommunitySettings,
) -> tuple[Community, ...]:
    """Partition the entities of each audience (tenant and groups) and report on each part, from its own chunks alone.

    Level 0 is the finest; a community without a parent belongs to the top, which has about ``top_communities``. An
    entity that nothing links to another is in no community, unless its text is told nowhere else and is like that of
    one. Ordered by audience, then level, then evidence (most first), then id; depends on the records, not their order.
    """
    knowledge = gather_knowledge(entities=entities, mentions=mentions, homes=homes, relations=relations)
    return tuple(
        community
        for view in audience_views(collection)
        for community in _audience_communities(view, knowledge, settings)
    )


def _audience_communities(view: AudienceView, knowledge: Knowledge, settings: CommunitySettings) -> list[Community]:
    places = place_entities(view, knowledge)
    relations = knowledge.relations_in(view.chunks)
    graph = build_entity_graph(view, places, relations, settings)
    partition = _with_evidence(view, places, graph, settings)
    evidence = evidence_chunks(places, partition.labels, settings)
    roots = coarsen(view, nested_clusters(partition, evidence), settings)
    if not roots:
        return []
    writer = ReportWriter(view, places, graph, relations, settings)
    reports = [report for root in roots for report in writer.write(root)]
    ids = {id(report.cluster): _community_id(view, places, report.cluster) for report in reports}
    parents = {
        id(child): ids[id(cluster)] for root in roots for cluster in clusters_below(root) for child in cluster.children
    }
    communities = [_record(view, places, report, ids, parents) for report in reports]
    return sorted(communities, key=lambda item: (item.level, -len(item.chunk_ids), item.id))


def _with_evidence(
    view: AudienceView, places: EntityPlaces, graph: EntityGraph, settings: CommunitySettings
) -> Partition:
    """Partition the graph so that, where it can be, every community sums up more than one chunk and none is untold."""
    partition = partition_graph(graph, settings)
    evidence = evidence_chunks(places, partition.labels, settings)
    thin = frozenset(cluster for cluster, chunks in evidence.items() if len(chunks) == 1)
    joined = join_clusters(graph, partition, thin, across=False)
    return Partition(labels=attach_isolated(view, places, joined.labels, settings), parents=partition.parents)


def _community_id(view: AudienceView, places: EntityPlaces, cluster: Cluster) -> str:
    members = (places.entities[number].id for number in cluster.members)
    return stable_id("com-", *view.audience.key(), str(cluster.level), *members)


def _record(
    view: AudienceView, places: EntityPlaces, report: Report, ids: Mapping[int, str], parents: Mapping[int, str]
) -> Community:
    cluster = report.cluster
    return Community(
        id=ids[id(cluster)],
        tenant=view.audience.tenant,
        groups=view.audience.groups,
        level=cluster.level,
        parent_id=parents.get(id(cluster)),
        entity_ids=tuple(places.entities[number].id for number in cluster.members),
        title=report.title,
        report=quote(view.sentences, report.sentences),
        key_entity_ids=tuple(entity.id for entity in report.key_entities),
        key_relation_ids=tuple(relation.id for relation in report.key_relations),
        chunk_ids=tuple(view.chunks[row].id for row in cluster.chunks),
    )
