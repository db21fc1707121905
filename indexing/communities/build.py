"""Communities of the entities of a collection, with their reports: the story from top to bottom."""

from collections.abc import Mapping, Sequence

from graph_store.bundles import Collection
from graph_store.ids import stable_id
from graph_store.records import Community
from indexing.communities.entity_graph import EntityGraph, build_entity_graph
from indexing.communities.entity_places import AudienceFacts, EntityPlaces, Knowledge, gather_facts
from indexing.communities.evidence import attach_isolated, evidence_chunks
from indexing.communities.hierarchy import Cluster, clusters_below, coarsen, nested_clusters
from indexing.communities.kept_reports import EXTRACTIVE, KeptReports, Report
from indexing.communities.leiden import Partition, join_clusters, partition_graph
from indexing.communities.previous import PreviousCommunities
from indexing.communities.repair import repaired_roots
from indexing.communities.reports import ReportWriter
from indexing.communities.settings import CommunitySettings
from indexing.communities.telling import TellingSentences
from indexing.communities.told_reports import ReportTeller
from raptor.audience import AudienceView
from raptor.audience_reader import AudienceReader
from raptor.summariser import quote

_NOTHING = PreviousCommunities()


def build_communities(
    collection: Collection | AudienceReader,
    *,
    knowledge: Knowledge,
    settings: CommunitySettings,
    previous: PreviousCommunities = _NOTHING,
    teller: ReportTeller | None = None,
) -> tuple[Community, ...]:
    """Partition the entities of each audience (tenant and groups) and report on each part, from its own chunks alone.

    Level 0 is the finest; a community without a parent belongs to the top, which has about ``top_communities``. An
    entity that nothing links to another is in no community, unless its text is told nowhere else and is like that of
    one. Ordered by audience, then level, then evidence (most first), then id; depends on the records, not their order.

    Where an audience has ``previous`` communities, these are repaired (see :mod:`indexing.communities.repair`).
    A reader of the collection may stand for it, where others read it too. With a ``teller`` the reports are told by a
    language model, as far as it can; raises ``EndpointUnusable``.
    """
    known = previous.by_audience()
    reader = AudienceReader(collection) if isinstance(collection, Collection) else collection
    return tuple(
        community
        for view in reader.views()
        for community in _audience_communities(
            gather_facts(view, knowledge), settings, reader, known.get(view.audience, _NOTHING), teller
        )
    )


def _audience_communities(
    facts: AudienceFacts,
    settings: CommunitySettings,
    reader: AudienceReader,
    previous: PreviousCommunities,
    teller: ReportTeller | None,
) -> list[Community]:
    view, places = facts.view, facts.places
    graph = build_entity_graph(view, places, facts.relations, settings)
    if previous.finest():
        roots = repaired_roots(view, places, graph, previous, settings)
    else:
        partition = _with_evidence(view, places, graph, settings)
        evidence = evidence_chunks(places, partition.labels, settings)
        roots = coarsen(view, nested_clusters(partition, evidence), settings)
    if not roots:
        return []
    telling = TellingSentences(view, places)
    told_by = teller.made_by if teller is not None and teller.keeps else ""
    kept = KeptReports(facts, previous, telling, told_by=told_by).below(roots)
    writer = ReportWriter(facts, graph, settings, telling=telling, reader=reader, kept=kept)
    reports = [report for root in roots for report in writer.write(root)]
    if teller is not None:
        reports = teller.tell(view, reports, telling)
    ids = _ids(view, places, [report.cluster for report in reports], previous)
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


def _ids(
    view: AudienceView, places: EntityPlaces, clusters: Sequence[Cluster], previous: PreviousCommunities
) -> dict[int, str]:
    """Return the id of each cluster (by its object's identity): its own, or one made of its members where it is new."""
    taken = {community.id for community in previous.communities}
    ids = {}
    for cluster in clusters:
        wanted = cluster.id or _community_id(view, places, cluster)
        while not cluster.id and wanted in taken:  # a community born with the same members has others now
            wanted = stable_id("com-", wanted)
        ids[id(cluster)] = wanted
    return ids


def _community_id(view: AudienceView, places: EntityPlaces, cluster: Cluster) -> str:
    members = (places.entities[number].id for number in cluster.members)
    return stable_id("com-", *view.audience.key(), str(cluster.level), *members)


def _record(
    view: AudienceView, places: EntityPlaces, report: Report, ids: Mapping[int, str], parents: Mapping[int, str]
) -> Community:
    cluster, told = report.cluster, report.told
    return Community(
        id=ids[id(cluster)],
        tenant=view.audience.tenant,
        groups=view.audience.groups,
        level=cluster.level,
        parent_id=parents.get(id(cluster)),
        entity_ids=tuple(places.entities[number].id for number in cluster.members),
        title=(told.title if told else "") or report.title,
        report=told.claims if told else quote(view.sentences, report.sentences),
        key_entity_ids=tuple(entity.id for entity in report.key_entities),
        key_relation_ids=tuple(relation.id for relation in report.key_relations),
        chunk_ids=tuple(view.chunks[row].id for row in cluster.chunks),
        made_by=told.made_by if told else EXTRACTIVE,
    )
