"""Further searches beside the question, fused with it by rank; the question itself always takes part."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from model_clients.embedder import Embedder, FloatVector
from query.fusion import reciprocal_rank_fusion
from query.local import LocalRanking
from query.present_time import analyse_asked
from query.request import FurtherSearch, Request


def with_further(request: Request, searches: Sequence[FurtherSearch], embedder: Embedder) -> Request:
    """Return the request with its further searches, each with the limits of the request."""
    if not searches:
        return request
    return replace(request, further=tuple(_further(request, search, embedder) for search in searches))


def _further(request: Request, search: FurtherSearch, embedder: Embedder) -> Request:
    """Return one further search.

    The passage of "hyde" is made up, so its words are not searched for: it moves the vector of the question half the
    way. Source: Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023.
    """
    question = analyse_asked(search.text)
    vectors = embedder.embed_question_tokens(question.searched)
    if search.transformation == "hyde":
        return replace(request, vector=_mean(request.vector, vectors.vector))
    return replace(request, question=question, vector=vectors.vector, tokens=vectors.tokens)


def _mean(one: FloatVector, other: FloatVector) -> FloatVector:
    both = one + other
    length = float(np.linalg.norm(both))
    return (both / length).astype(np.float32) if length > 0.0 else one


def fused_ranking(rankings: Sequence[LocalRanking], *, k: int) -> LocalRanking:
    """Fuse rankings by reciprocal rank; what explains the fused one is what explains the first.

    Passages with an identifier of the question stay before all others.
    """
    first = rankings[0]
    fused = reciprocal_rank_fusion([[chunk.id for chunk in ranking.chunks] for ranking in rankings])
    scores = {hit.id: hit.score for hit in fused}
    chunks = {chunk.id: chunk for ranking in rankings for chunk in ranking.chunks}
    leading = [item for item in first.with_codes if item in chunks]
    order = list(dict.fromkeys([*leading, *scores]))[:k]
    best = max(scores.values(), default=0.0)
    return replace(
        first,
        chunks=tuple(chunks[item] for item in order),
        scores={item: best if item in leading else scores[item] for item in order},
    )
