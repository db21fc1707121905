"""Retrieval: the route is decided, followed, and its findings are listed as results."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from graph_store.records import SourcedSentence
from graph_store.store import GraphStore
from model_clients.reranker import Reranker
from query.community import find_themes
from query.diversity import distinct_chunks
from query.document_summary import named_document
from query.final_scores import lowered
from query.further_searches import fused_ranking
from query.fusion import reciprocal_rank_fusion
from query.global_finding import GlobalFinding
from query.local import LocalRanking, rank_local
from query.outcome import RankedResult, Route, Trace
from query.passages import read_passages
from query.readable_view import ReadableView
from query.request import Request, RouteChoice
from query.reranking import Judged, rerank
from query.router import RouteDecision, RouteEvidence, decide_route
from query.settings import LocalSettings, QuerySettings
from query.timing import StepTimes
from query.tree import find_summaries

# Passages ranked beyond those asked for, to fill the places of near-duplicates.
_SPARE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found: a ranking of passages on the local route, else a finding of derived texts; and the results.

    ``told`` are reports among the results that are shown in other words than the stored ones, by their ids.
    """

    decision: RouteDecision
    ranking: LocalRanking | None
    finding: GlobalFinding | None
    results: tuple[RankedResult, ...]
    told: Mapping[str, tuple[SourcedSentence, ...]] = field(default_factory=dict)

    def trace(self, request: Request) -> Trace:
        """Return how the results came about."""
        return Trace(
            route_scores=self.decision.scores,
            names=tuple(name.key for name in self.ranking.names) if self.ranking is not None else (),
            identifiers=request.question.identifiers,
            chain_trust=self.ranking.chains.trust if self.ranking is not None and self.ranking.chains else None,
        )


class Retriever:
    """Decides the route of a request and follows it."""

    def __init__(self, store: GraphStore, settings: QuerySettings, reranker: Reranker | None = None) -> None:
        self._store = store
        self._settings = settings
        self._reranker = reranker

    def retrieve(self, request: Request, view: ReadableView, choice: RouteChoice, times: StepTimes) -> Found:
        """Follow the chosen route, or the one that the question's words and the collection call for."""
        with times.step("route"):
            decision = self._decide(request, view, choice)
        with times.step("retrieve"):
            if decision.route == "local":
                return self._local(request, view, decision)
            finding = self._global(request, view, decision.route)
            return Found(decision=decision, ranking=None, finding=finding, results=finding.results)

    def _decide(self, request: Request, view: ReadableView, choice: RouteChoice) -> RouteDecision:
        if choice != "auto":
            return RouteDecision(route=choice, reason=f"The caller chose the route {choice}.", scores={})

        def gather() -> RouteEvidence:
            document = named_document(self._store, request, view, self._settings.summary)
            return RouteEvidence(
                counts=self._store.counts(request.access),
                named_document=document.title if document is not None else None,
            )

        return decide_route(request.question, gather, self._settings.router)

    def _local(self, request: Request, view: ReadableView, decision: RouteDecision) -> Found:
        # The answer weighs more passages than a caller may want to see.
        weighed = replace(request, k=max(request.k + _SPARE, self._settings.answer.passages))
        ranking, judged = self.rank(weighed, view, self._settings.local)
        results = self._passage_results(request, ranking, judged)
        if decision.undecided:
            results = (*results, *self._further_results(request, view, len(results)))
        return Found(decision=decision, ranking=ranking, finding=None, results=results)

    def rank(
        self, request: Request, view: ReadableView, settings: LocalSettings
    ) -> tuple[LocalRanking, dict[str, Judged]]:
        """Rank passages, by the reranker too where there is one; return what it said of each that it judged.

        Where the request has further searches, their rankings are fused with its own.
        """
        ranking, judged = self._rank_one(request, view, settings)
        if not request.further:
            return ranking, judged
        others = [self._rank_one(replace(other, k=request.k), view, settings)[0] for other in request.further]
        return fused_ranking([ranking, *others], k=request.k), judged

    def _rank_one(
        self, request: Request, view: ReadableView, settings: LocalSettings
    ) -> tuple[LocalRanking, dict[str, Judged]]:
        if self._reranker is None or not request.question.words:
            return rank_local(self._store, request, view, settings), {}
        asked = replace(request, k=max(request.k, self._settings.rerank.candidates))
        ranking = rank_local(self._store, asked, view, settings)
        return rerank(self._store, request, ranking, self._reranker, self._settings.rerank)

    def _global(self, request: Request, view: ReadableView, route: Route) -> GlobalFinding:
        if not request.question.words:
            return GlobalFinding(results=(), blocks=())
        if route == "community":
            return find_themes(self._store, request, view, self._settings.community)
        return find_summaries(self._store, request, view, self._settings.summary)

    def _passage_results(
        self, request: Request, ranking: LocalRanking, judged: Mapping[str, Judged]
    ) -> tuple[RankedResult, ...]:
        distinct = distinct_chunks(self._store, request, ranking.chunks, ranking.with_codes, self._settings.diversity)[
            : request.k
        ]
        duplicates = {entry.chunk.id: entry.duplicates for entry in distinct}
        # Marginal relevance may have put what scores less before what scores more.
        scores = lowered({entry.chunk.id: ranking.scores.get(entry.chunk.id, 0.0) for entry in distinct})
        return tuple(
            RankedResult(
                rank=passage.rank,
                kind="chunk",
                id=passage.chunk.id,
                document_id=passage.document.id,
                title=passage.document.title,
                score=scores[passage.chunk.id],
                signals={**ranking.signals(passage.chunk.id), **_judged_signals(judged, passage.chunk.id)},
                text=passage.chunk.text,
                chain=ranking.chain(passage.chunk.id),
                duplicates=duplicates[passage.chunk.id],
            )
            for passage in read_passages(self._store, request.access, [entry.chunk for entry in distinct])
        )

    def _further_results(self, request: Request, view: ReadableView, shown: int) -> list[RankedResult]:
        """Return the best reports and tree nodes, whose scores cannot be compared, fused by their ranks."""
        found = [self._global(request, view, route).results for route in ("community", "tree")]
        by_id = {result.id: result for results in found for result in results}
        fused = reciprocal_rank_fusion([[result.id for result in results] for results in found])
        listed = [by_id[hit.id] for hit in fused if by_id[hit.id].kind != "chunk"]
        return [
            replace(result, rank=shown + place)
            for place, result in enumerate(listed[: self._settings.router.extra_results], start=1)
        ]


def _judged_signals(judged: Mapping[str, Judged], chunk_id: str) -> dict[str, float]:
    return judged[chunk_id].signals() if chunk_id in judged else {}


def first_results(results: tuple[RankedResult, ...], k: int) -> tuple[RankedResult, ...]:
    """Return the first ``k`` passages, or derived texts of a global route, with what was appended to passages."""
    if all(result.kind != "chunk" for result in results):
        return results[:k]
    passages = [result for result in results if result.kind == "chunk"][:k]
    appended = [result for result in results if result.kind != "chunk"]
    return tuple(replace(result, rank=rank) for rank, result in enumerate([*passages, *appended], start=1))
