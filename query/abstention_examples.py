"""Makes examples of questions that the documents answer, and of twins that they do not.

Twins are of three kinds: the question with its gold and every near-duplicate of that hidden; where several documents
answer it together, with one of them hidden; and a near miss (:mod:`query.near_misses`) with all documents there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from graph_store.access import Access
from graph_store.bundles import PassageGraph
from graph_store.records import Hit
from graph_store.store import GraphStore
from model_clients.embedder import Embedder
from query.abstention import support_features
from query.fusion import z_sum
from query.local import FirstStage, LocalRanking, search_first_stage, walk_from
from query.local_answer import weigh_passages
from query.near_misses import NearMisses
from query.question import analyse
from query.readable_view import ReadableView, WholeView
from query.request import Request
from query.settings import QuerySettings

_NEAR_DUPLICATE = 0.95

Kind: TypeAlias = Literal["answerable", "hidden", "one_hidden", "near_miss"]
UNANSWERABLE: tuple[Kind, ...] = ("hidden", "one_hidden", "near_miss")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingQuestion:
    """A question with the documents that answer it, or the very chunks where those are known."""

    text: str
    gold: frozenset[str] = frozenset()
    gold_chunks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The features of a question, what kind it is, and which set and question it comes from."""

    features: Mapping[str, float]
    kind: Kind
    source: str
    number: int

    @property
    def answerable(self) -> bool:
        """Whether the documents answer."""
        return self.kind == "answerable"


class ExampleMaker:
    """Makes examples of the questions of one store."""

    def __init__(self, store: GraphStore, embedder: Embedder, settings: QuerySettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._access = Access()
        self._graph = store.passage_graph(self._access)
        self._view = WholeView(store, self._access, self._graph)
        self._near_misses = NearMisses(store, self._access, self._view.rarity)

    def examples(self, source: str, questions: Sequence[TrainingQuestion]) -> Iterator[Example]:
        """Yield each question, then its unanswerable twins."""
        for number, question in enumerate(questions):
            for kind, request, hidden in self._twins(question, number):
                features = self._features(request, hidden)
                if features is not None:
                    yield Example(features=features, kind=kind, source=source, number=number)

    def _twins(self, question: TrainingQuestion, number: int) -> Iterator[tuple[Kind, Request, frozenset[str]]]:
        request = self._request(question.text)
        gold = self._hidden_chunks(question)
        yield "answerable", request, frozenset()
        yield "hidden", request, gold
        if len(question.gold) > 1:
            one = sorted(question.gold)[number % len(question.gold)]
            yield "one_hidden", request, self._hidden_chunks(replace(question, gold=frozenset({one})))
        near_miss = self._near_misses.make(request, gold, seed=number)
        if near_miss:
            yield "near_miss", self._request(near_miss), frozenset()

    def _request(self, text: str) -> Request:
        # More hits than are used, so that enough are left when some are hidden.
        k = 2 * self._settings.local.candidates
        vectors = self._embedder.embed_question_tokens(text)
        return Request(
            question=analyse(text), vector=vectors.vector, tokens=vectors.tokens, access=self._access, filters=(), k=k
        )

    def _hidden_chunks(self, question: TrainingQuestion) -> frozenset[str]:
        of_documents = [
            chunk.id
            for document in sorted(question.gold)
            for chunk in self._store.document_chunks(self._access, document)
        ]
        chunks = [*of_documents, *sorted(question.gold_chunks)]
        hidden = set(chunks)
        for vector in self._store.chunk_vectors(self._access, chunks).values():
            near = self._store.search_vectors(self._access, vector, kind="chunk", k=20)
            hidden.update(hit.id for hit in near if hit.score >= _NEAR_DUPLICATE)
        return frozenset(hidden)

    def _features(self, request: Request, hidden: frozenset[str]) -> Mapping[str, float] | None:
        view = self._view
        if hidden:
            # Rarity and background, samples both, stay those of all passages.
            shown = graph_without(self._graph, hidden)
            view = WholeView(self._store, self._access, shown, tables=self._view.tables)
        found = search_first_stage(self._store, request, self._settings.local)
        ranking = self._ranking(request, view, _stage_without(found, hidden, self._settings.local.candidates))
        evidence = weigh_passages(self._store, request, view, ranking, self._settings.answer)
        return support_features(evidence) if evidence.scored else None

    def _ranking(self, request: Request, view: ReadableView, stage: FirstStage) -> LocalRanking:
        passages, codes = self._settings.answer.passages, self._settings.local.rarest_code
        shown = replace(request, k=passages + codes)
        ranking = walk_from(self._store, shown, view, stage, self._settings.local)
        # An identifier is looked up in the store itself, hidden passages and all.
        seen = tuple(chunk for chunk in ranking.chunks if view.place(chunk.id) is not None)
        return replace(ranking, chunks=seen[:passages])


def graph_without(graph: PassageGraph, hidden: frozenset[str]) -> PassageGraph:
    """Return ``graph`` without the hidden chunks, their edges, and names that only they mention."""
    kept = np.array([chunk_id not in hidden for chunk_id in graph.chunk_ids], dtype=bool)
    place = np.cumsum(kept) - 1
    rows = np.repeat(np.arange(len(kept)), np.diff(graph.indptr))
    edges = kept[rows] & kept[graph.indices]
    counts = np.bincount(place[rows[edges]], minlength=int(kept.sum()))

    def moved(names: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        left = {key: tuple(int(place[index]) for index in indices if kept[index]) for key, indices in names.items()}
        return {key: indices for key, indices in left.items() if indices}

    return PassageGraph(
        chunk_ids=tuple(chunk_id for chunk_id in graph.chunk_ids if chunk_id not in hidden),
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        indices=place[graph.indices[edges]].astype(np.int64),
        weights=graph.weights[edges],
        homes=moved(graph.homes),
        mentions=moved(graph.mentions),
    )


def _stage_without(stage: FirstStage, hidden: frozenset[str], count: int) -> FirstStage:
    bm25, dense = _hits_without(stage.bm25, hidden, count), _hits_without(stage.dense, hidden, count)
    fused = z_sum([{hit.id: hit.score for hit in hits} for hits in (bm25, dense)])
    return FirstStage(bm25=bm25, dense=dense, fused=fused)


def _hits_without(hits: Sequence[Hit], hidden: frozenset[str], count: int) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.id not in hidden)[:count]
