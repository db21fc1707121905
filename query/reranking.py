"""Reranks the best passages by a cross-encoder, as far as chains do not know better."""

from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from graph_store.access import Access
from graph_store.indexed_text import indexed_text
from graph_store.records import Chunk
from graph_store.store import GraphStore
from model_clients.reranker import Reranker
from query.final_scores import raised
from query.local import LocalRanking
from query.request import Request
from query.settings import RerankSettings

_Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a reranker said of one passage: its score, its place by that score, and how far the score counted."""

    score: float
    rank: int
    weight: float

    def signals(self) -> dict[str, float]:
        """Return it as signals of a result."""
        return {"cross_encoder": self.score, "cross_encoder_rank": self.rank, "cross_encoder_weight": self.weight}


def rerank(
    store: GraphStore, request: Request, ranking: LocalRanking, reranker: Reranker, settings: RerankSettings
) -> tuple[LocalRanking, dict[str, Judged]]:
    """Return the ranking with its first candidates in a new order, and what the reranker said of each.

    The order before (minus the logarithm of the rank) and the scores are standardised within the candidates and mixed.
    A cross-encoder reads the question with one passage, so a passage that only leads to the answer looks bad to it: its
    weight is multiplied by 1 - trust where chains ranked. Passages with a rare identifier stay first, and what comes
    after the candidates stays where it is. Equal sums keep their order.
    """
    head = [chunk for chunk in ranking.chunks if chunk.id in ranking.with_codes]
    rest = [chunk for chunk in ranking.chunks if chunk.id not in ranking.with_codes]
    candidates, tail = rest[: settings.candidates], rest[settings.candidates :]
    if len(candidates) < 2:
        return ranking, {}
    scores = reranker.scores(request.question.searched, _texts(store, request.access, candidates)).astype(np.float64)
    trust = ranking.chains.trust if ranking.chains is not None else 0.0
    weight = settings.weight * (1.0 - trust)
    before = np.array([-log(rank) for rank in range(1, len(candidates) + 1)])
    mixed = (1.0 - weight) * _standard(before) + weight * _standard(scores)
    order = [candidates[index] for index in np.argsort(-mixed, kind="stable").tolist()]
    judged = {
        candidates[index].id: Judged(score=float(scores[index]), rank=rank, weight=weight)
        for rank, index in enumerate(np.argsort(-scores, kind="stable").tolist(), start=1)
    }
    chunks = (*head, *order, *tail)
    # What comes after the candidates keeps its distance to the last of them.
    shift = float(mixed.min()) - ranking.scores.get(candidates[-1].id, 0.0)
    scored = {chunk.id: ranking.scores.get(chunk.id, 0.0) + shift for chunk in chunks}
    scored.update({chunk.id: score for chunk, score in zip(candidates, mixed.tolist(), strict=True)})
    return replace(ranking, chunks=chunks, scores=raised(scored)), judged


def _texts(store: GraphStore, access: Access, chunks: list[Chunk]) -> list[str]:
    ids = list(dict.fromkeys(chunk.document_id for chunk in chunks))
    titles = {document.id: document.title for document in store.documents(access, ids)}
    return [indexed_text(titles.get(chunk.document_id, ""), chunk) for chunk in chunks]


def _standard(values: _Vector) -> _Vector:
    spread = float(values.std())
    return np.zeros_like(values) if spread < 1e-12 else (values - values.mean()) / spread
