"""Labelled questions as the trainer sees them: a gathered pool, and which of its passages are gold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.access import Access
from graph_store.store import GraphStore
from model_clients.embedder import QuestionVectors
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.gather import gather_evidence
from query.chain_ranking.pool import choose_pool
from query.chain_ranking.ranker import Rounds
from query.local import FirstStage, search_first_stage, walk_candidates
from query.question import analyse
from query.readable_view import WholeView
from query.request import Request
from query.settings import LocalSettings

FirstSearch: TypeAlias = Callable[[GraphStore, Request, LocalSettings], FirstStage]


class QuestionEmbedder(Protocol):
    """The part of an embedder that questions need."""

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """Embed a question and its tokens."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingQuestion:
    """A question with its gold: one set of documents, or of chunks, for each piece of evidence."""

    text: str
    gold: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPool:
    """The pool of one question of one pot. ``keys`` (n) name what is ranked: documents, or chunks where gold is chunks.

    ``is_gold`` (n,) marks passages of gold documents; ``gold`` are the groups that a ranking is judged by.
    """

    pot: str
    evidence: Evidence
    rounds: Rounds
    keys: tuple[str, ...]
    is_gold: NDArray[np.bool_]
    gold: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """Labelled questions over one store. ``by_chunk`` says that gold names chunks."""

    name: str
    store: GraphStore
    questions: Sequence[TrainingQuestion]
    by_chunk: bool = False


def gather_pools(
    pot: Pot, embedder: QuestionEmbedder, settings: LocalSettings, first_search: FirstSearch = search_first_stage
) -> Iterator[TrainingPool]:
    """Gather the pool of each question as answering would; questions without words are passed over."""
    access = Access()
    view = WholeView(pot.store, access, pot.store.passage_graph(access))
    for question in pot.questions:
        request = _request(question.text, embedder, settings, access)
        _, found = walk_candidates(request, view, first_search(pot.store, request, settings), settings)
        pool = choose_pool(pot.store, request, view, found=found, settings=settings.chains)
        evidence = gather_evidence(pot.store, request, view, found=found, pool=pool)
        if evidence.size and evidence.words.stems:
            yield _training_pool(pot, question, evidence, Rounds(evidence, view.names, settings.chains))


def _request(text: str, embedder: QuestionEmbedder, settings: LocalSettings, access: Access) -> Request:
    question = analyse(text)
    vectors = embedder.embed_question_tokens(question.searched)
    return Request(
        question=question,
        vector=vectors.vector,
        tokens=vectors.tokens,
        access=access,
        filters=(),
        k=settings.candidates,
    )


def _training_pool(pot: Pot, question: TrainingQuestion, evidence: Evidence, rounds: Rounds) -> TrainingPool:
    keys = tuple(chunk.id if pot.by_chunk else chunk.document_id for chunk in evidence.chunks)
    gold = frozenset().union(*question.gold)
    return TrainingPool(
        pot=pot.name,
        evidence=evidence,
        rounds=rounds,
        keys=keys,
        is_gold=np.array([key in gold for key in keys], dtype=bool),
        gold=question.gold,
    )
