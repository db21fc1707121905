"""The engine: a question in, ranked results or an answer with verified citations out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

from graph_store.access import Access
from graph_store.filters import Filters
from graph_store.records import Hit
from graph_store.store import GraphStore
from graph_store.valid_text import check_question
from model_clients.embedder import Embedder
from model_clients.reranker import Reranker
from query.chain_ranking.explanation import ExplainedRanking, explain_ranking
from query.citations import CitedText, DraftBlock, cite
from query.further_searches import with_further
from query.llm_answers.gathered import Gathered, gather_materials
from query.llm_answers.kept_reports import KeptReports
from query.local import rank_local, search_first_stage
from query.local_answer import LocalDraft, draft_answer
from query.outcome import NOT_FOUND, Answer, SearchOutcome, ShortAnswer, Trace
from query.packing.pack import Packer
from query.packing.packed_context import PackedContext
from query.present_time import analyse_asked
from query.readable_view import ReadableView
from query.request import AskOptions, Request
from query.retrieval import Found, Retriever, first_results
from query.settings import QuerySettings
from query.timing import StepTimes
from query.view_cache import ViewCache

System: TypeAlias = Literal["bm25", "dense", "hybrid", "ppr", "local"]

_MADE_BY = "extractive"
# An estimate is enough to compare answers, and counting exactly would take as long as searching.
_CHARACTERS_PER_TOKEN = 4

P = ParamSpec("P")
T = TypeVar("T")


def _in_one_state(method: Callable[Concatenate["QueryEngine", P], T]) -> Callable[Concatenate["QueryEngine", P], T]:
    """Let a method see one state of the store: what is deleted while it works would leave it half-read.

    A store that keeps no snapshots may have the method called again.
    """

    @wraps(method)
    def steady(engine: "QueryEngine", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return engine._store.in_one_state(lambda: method(engine, *args, **kwargs))

    return steady


class QueryEngine:
    """Answers questions from a store; holds no state but tables derived from it, so threads may share one engine.

    A question sees one state of the store from its first read to its last. The embedder must be the one that the store
    was made with.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: Embedder,
        settings: QuerySettings | None = None,
        *,
        reranker: Reranker | None = None,
        kept_reports: KeptReports | None = None,
    ) -> None:
        """With ``kept_reports``, searching and packing show reports in the words of a model where these are kept."""
        self._store = store
        self._embedder = embedder
        self._settings = settings if settings is not None else QuerySettings()
        self._views = ViewCache(store, self._settings.local)
        self._retriever = Retriever(store, self._settings, reranker)
        self._kept_reports = kept_reports
        self._packer = Packer(store, embedder, self._settings.packing)

    @_in_one_state
    def search(self, question: str, options: AskOptions | None = None) -> SearchOutcome:
        """Retrieve without answering. Raises ``FilterMistake`` for a filter that the documents do not suit."""
        options = options if options is not None else AskOptions()
        times = StepTimes()
        request, view = self._prepare(question, options, times)
        found = self._shown(request, view, options, times)
        return SearchOutcome(
            question=question,
            route=found.decision.route,
            route_reason=found.decision.reason,
            results=found.results,
            timings_ms=times.milliseconds(),
            trace=found.trace(request),
        )

    @_in_one_state
    def ask(self, question: str, options: AskOptions | None = None) -> Answer:
        """Answer with source sentences, each with a citation that was checked; or say that nothing was found.

        Raises as ``search`` does.
        """
        options = options if options is not None else AskOptions()
        times = StepTimes()
        request, view = self._prepare(question, options, times)
        found = self._retriever.retrieve(request, view, options.route, times)
        return self._answered(request, view, found, times)

    @_in_one_state
    def gather(
        self, question: str, options: AskOptions | None = None, *, budget: int, with_evidence: bool = False
    ) -> Gathered:
        """Answer as ``ask`` does, and hand out what a language model needs to answer in at most ``budget`` tokens.

        All of it is read here, so that nothing of the store is open while the model thinks; ``with_evidence`` adds what
        reports can be told from. Raises as ``search`` does.
        """
        options = options if options is not None else AskOptions()
        times = StepTimes()
        request, view = self._prepare(question, options, times)
        wide = replace(request, k=max(request.k, self._settings.packing.passages))
        found = self._retriever.retrieve(wide, view, options.route, times)
        with times.step("pack"):
            packed = self._packer.pack(wide, view, found, budget)
        context = self._packer.context(request, found, packed, {}, budget)
        found = replace(found, results=first_results(found.results, request.k))
        answer = self._answered(request, view, found, times)
        return gather_materials(self._store, request.access, answer, context, with_evidence=with_evidence)

    @_in_one_state
    def cited(self, blocks: Sequence[DraftBlock], access: Access) -> CitedText:
        """Check the quotations of ``blocks`` as the store is now, and write them with their citations."""
        return cite(self._store, access, blocks)

    def _answered(self, request: Request, view: ReadableView, found: Found, times: StepTimes) -> Answer:
        with times.step("answer"):
            draft = self._draft(request, view, found)
        with times.step("citations"):
            lead = draft.short.lead if draft is not None and draft.short is not None else None
            cited = cite(self._store, request.access, _blocks(found, draft), lead=lead)
        return _answer(request, found, draft, cited=cited, times=times)

    @_in_one_state
    def context(self, question: str, options: AskOptions | None = None, *, budget: int | None = None) -> PackedContext:
        """Retrieve, and pack what was found for a reader of at most ``budget`` tokens (None: as the settings say).

        ``options.k`` limits the passages, reports or summaries that are packed from. Raises as ``search`` does, and
        ValueError for a budget below 1.
        """
        tokens = self._settings.packing.budget if budget is None else budget
        if tokens < 1:
            raise ValueError(f"cannot pack into {tokens!r} tokens: the budget must be 1 or more")
        options = options if options is not None else AskOptions()
        options = replace(options, k=self._settings.packing.passages if options.k is None else options.k)
        times = StepTimes()
        request, view = self._prepare(question, options, times)
        found = self._shown(request, view, options, times)
        with times.step("pack"):
            packed = self._packer.pack(request, view, found, tokens)
        return self._packer.context(request, found, packed, times.milliseconds(), tokens)

    @_in_one_state
    def rank_chunks(self, question: str, system: System, k: int, options: AskOptions | None = None) -> tuple[Hit, ...]:
        """Rank chunks by one system, for evaluation: at most ``k`` hits, best first; none for a question without words.

        "ppr" is the local route without chains. The score of both is 1 / rank: several rankings follow each other.
        """
        options = replace(options if options is not None else AskOptions(), k=k)
        request, view = self._prepare(question, options, StepTimes())
        if not request.question.words:
            return ()
        if system in {"local", "ppr"}:
            settings = self._settings.local
            chains = replace(settings.chains, enabled=settings.chains.enabled and system == "local")
            ranking, _ = self._retriever.rank(request, view, replace(settings, chains=chains))
            return tuple(Hit(id=chunk.id, score=1.0 / rank) for rank, chunk in enumerate(ranking.chunks[:k], start=1))
        first_stage = search_first_stage(self._store, request, self._settings.local)
        lists = {"bm25": first_stage.bm25, "dense": first_stage.dense, "hybrid": first_stage.fused}
        return lists[system][:k]

    @_in_one_state
    def explain_ranking(self, question: str, k: int, options: AskOptions | None = None) -> ExplainedRanking:
        """Tell by which chains the best ``k`` passages of the local route were ranked."""
        options = options if options is not None else AskOptions()
        request, view = self._prepare(question, options, StepTimes())
        if not request.question.words:
            return explain_ranking(question, None, k=k)
        ranking = rank_local(self._store, request, view, self._settings.local)
        return explain_ranking(question, ranking.chains, k=k)

    def _prepare(self, question: str, options: AskOptions, times: StepTimes) -> tuple[Request, ReadableView]:
        check_question(question)
        with times.step("analyse"):
            analysed = analyse_asked(question)
        with times.step("embed"):
            vectors = self._embedder.embed_question_tokens(analysed.searched)
        with times.step("view"):
            view = self._views.view(options.access)
        k = options.k if options.k is not None else self._settings.answer.results
        request = Request(
            question=analysed,
            vector=vectors.vector,
            tokens=vectors.tokens,
            access=options.access,
            filters=_conditions(options, view),
            k=k,
        )
        return with_further(request, options.further, self._embedder), view

    def _shown(self, request: Request, view: ReadableView, options: AskOptions, times: StepTimes) -> Found:
        """Retrieve what is shown as it is: with reports in the words of a model, where these are kept."""
        found = self._retriever.retrieve(request, view, options.route, times)
        if self._kept_reports is None:
            return found
        with times.step("reports"):
            return self._kept_reports.shown_in(self._store, request.access, found)

    def _draft(self, request: Request, view: ReadableView, found: Found) -> LocalDraft | None:
        if found.ranking is None:
            return None
        return draft_answer(self._store, request, view, found.ranking, self._settings.answer)


def _conditions(options: AskOptions, view: ReadableView) -> Filters:
    """Return the filters, with the versions where they hide anything: most collections supersede nothing."""
    hides = options.versions.as_of is not None or (not options.versions.all_versions and view.superseded)
    return (*options.filters, options.versions) if hides else options.filters


def _blocks(found: Found, draft: LocalDraft | None) -> Sequence[DraftBlock]:
    if draft is not None:
        return draft.blocks
    return found.finding.blocks if found.finding is not None else ()


def _answer(
    request: Request,
    found: Found,
    draft: LocalDraft | None,
    *,
    cited: CitedText,
    times: StepTimes,
) -> Answer:
    abstained = not cited.citations
    return Answer(
        question=request.question.text,
        answer=NOT_FOUND if abstained else cited.text,
        abstained=abstained,
        route=found.decision.route,
        route_reason=found.decision.reason,
        made_by=_MADE_BY,
        citations=cited.citations,
        evidence=draft.evidence if draft is not None else (),
        results=found.results,
        timings_ms=times.milliseconds(),
        tokens=_tokens(found, draft, cited),
        trace=_full_trace(request, found, draft),
        short_answer=_short_answer(draft, cited),
    )


def _short_answer(draft: LocalDraft | None, cited: CitedText) -> ShortAnswer | None:
    if draft is None or draft.short is None or not cited.lead:
        return None
    short = draft.short
    return ShortAnswer(text=short.text, kind=short.kind, citations=cited.lead, confidence=short.confidence)


def _tokens(found: Found, draft: LocalDraft | None, cited: CitedText) -> Mapping[str, int]:
    weighed = [entry.text for entry in draft.evidence] if draft is not None else [item.text for item in found.results]
    return {
        "context": sum(len(text) for text in weighed) // _CHARACTERS_PER_TOKEN,
        "answer": len(cited.text) // _CHARACTERS_PER_TOKEN,
    }


def _full_trace(request: Request, found: Found, draft: LocalDraft | None) -> Trace:
    trace = found.trace(request)
    if draft is None:
        return trace
    return replace(
        trace,
        support=draft.support.probability,
        support_needed=draft.support.needed,
        support_features=dict(draft.support.features),
    )
