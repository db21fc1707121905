"""The community route: the main themes of the collection, or points on the theme that the question asks for."""

from collections.abc import Mapping

from graph_store.records import Community
from graph_store.store import GraphStore
from query.digest import DerivedText, DigestShape, SourceReader, digest
from query.global_finding import DerivedHits, FoundTexts, GlobalFinding, is_on_topic, joined_text, search_kinds
from query.hierarchy import Place, top_items, without_relatives
from query.outcome import RankedResult
from query.readable_view import ReadableView
from query.request import Request
from query.settings import CommunitySettings
from query.theme_points import find_points, point_blocks
from query.theme_words import is_contentless

# A filter admits a report only where all its chunks pass; so many are asked for to know which do.
_ALL_REPORTS = 10_000
_LEAST_TOP_THEMES = 4


def find_themes(store: GraphStore, request: Request, view: ReadableView, settings: CommunitySettings) -> GlobalFinding:
    """Find the reports that answer a question about themes, and draft the answer.

    A question about nothing in particular ("What are the main themes?") is answered with the top level, largest
    communities first; any other with points on its subject, of several documents, under the themes they belong to, and
    with nothing where neither a report nor a passage is about it. The results of both are reports.
    """
    if is_contentless(request.question):
        return _overview(store, request, settings)
    hits, passages = search_kinds(store, request, {"report": settings.candidates, "chunk": settings.passages})
    known = {community.id: community for community in store.communities(request.access)}
    ranked = _near_reports(known, hits, settings)
    results = tuple(_result(rank, community, hits) for rank, community in enumerate(ranked[: request.k], start=1))
    found = find_points(store, request, passages, view.rarity, settings)
    texts = FoundTexts(
        texts=[*(result.text for result in results), *found.passages], nearest=max(hits.nearest, found.hits.nearest)
    )
    if not is_on_topic(request.question, texts, view.rarity, settings.topic):
        return GlobalFinding(results=results, blocks=())
    communities = [item for item in known.values() if item.report]
    blocks = point_blocks(found.points, communities, hits.dense, chunks=view.count)
    return GlobalFinding(results=results, blocks=blocks)


def _overview(store: GraphStore, request: Request, settings: CommunitySettings) -> GlobalFinding:
    ranked = _top_reports(store, request)
    nothing = DerivedHits(fused=(), bm25={}, dense={})
    results = tuple(_result(rank, community, nothing) for rank, community in enumerate(ranked[: request.k], start=1))
    themes = [DerivedText(title=item.title, sentences=item.report) for item in ranked[: settings.themes]]
    shape = DigestShape(per_text=settings.sentences_per_theme, of_many_documents=True, as_points=True)
    return GlobalFinding(results=results, blocks=digest(SourceReader(store, request.access, themes), themes, shape))


def _top_reports(store: GraphStore, request: Request) -> list[Community]:
    communities = {community.id: community for community in store.communities(request.access) if community.report}
    if request.filters:
        passing = store.search_vectors(
            request.access, request.vector, kind="report", k=_ALL_REPORTS, filters=request.filters
        )
        communities = {hit.id: communities[hit.id] for hit in passing if hit.id in communities}
    places = [
        Place(id=community.id, parent_id=community.parent_id, size=len(community.chunk_ids))
        for community in communities.values()
    ]
    return [communities[item] for item in top_items(places, least=_LEAST_TOP_THEMES)]


def _near_reports(known: Mapping[str, Community], hits: DerivedHits, settings: CommunitySettings) -> list[Community]:
    near = [hit.id for hit in hits.fused if hits.dense.get(hit.id, -1.0) >= settings.share_of_best * hits.nearest]
    parents = {community.id: community.parent_id for community in known.values()}
    readable = [item for item in near if item in known and known[item].report]
    return [known[item] for item in without_relatives(readable, parents)]


def _result(rank: int, community: Community, hits: DerivedHits) -> RankedResult:
    return RankedResult(
        rank=rank,
        kind="report",
        id=community.id,
        document_id="",
        title=community.title,
        score=hits.score(community.id),
        signals={**hits.signals(community.id), "level": community.level, "chunks": len(community.chunk_ids)},
        text=joined_text(community.report),
        made_by=community.made_by,
    )
