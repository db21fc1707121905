from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from model_clients.embedder import FloatVector
from model_clients.errors import ModelCorrupt
from model_clients.reranker import OverlapReranker
from query.engine import QueryEngine
from query.local import LocalRanking, rank_local
from query.request import AskOptions
from query.reranking import rerank
from query.settings import LocalSettings, QuerySettings, RerankSettings
from query.view_cache import ViewCache
from tests.query.small_store import EMBEDDER, request_of

QUESTION = "Who built Skerry Rock Lighthouse?"


class Fixed:
    """Gives the passages scores in turn, and remembers what it was asked."""

    model_id = "fixed"

    def __init__(self, *scores: float) -> None:
        self._scores = scores
        self.asked: list[str] = []

    def scores(self, question: str, passages: Sequence[str]) -> FloatVector:
        self.asked += [question, *passages]
        return np.resize(np.array(self._scores, dtype=np.float32), len(passages))


class Broken:
    model_id = "broken"

    def scores(self, question: str, passages: Sequence[str]) -> FloatVector:
        raise ModelCorrupt(f"no scores for {question!r} and {len(passages)} passages")


def ranked(store: EmbeddedStore, text: str = QUESTION, trust: float | None = None) -> LocalRanking:
    ranking = rank_local(store, request_of(text, k=8), ViewCache(store).view(Access()), LocalSettings())
    if trust is None:
        return replace(ranking, chains=None)
    assert ranking.chains is not None
    return replace(ranking, chains=replace(ranking.chains, trust=trust))


def order(ranking: LocalRanking) -> list[str]:
    return [chunk.id for chunk in ranking.chunks]


def test_with_all_weight_the_scores_alone_order_the_candidates(small_store: EmbeddedStore) -> None:
    before = ranked(small_store)
    rising = Fixed(*range(len(before.chunks)))
    after, judged = rerank(small_store, request_of(QUESTION), before, rising, RerankSettings(weight=1.0))
    assert order(after) == order(before)[::-1]
    assert [judged[chunk_id].rank for chunk_id in order(after)] == list(range(1, len(before.chunks) + 1))


def test_without_weight_and_with_equal_scores_the_order_stays(small_store: EmbeddedStore) -> None:
    before = ranked(small_store)
    for weight, scores in ((0.0, (0.0, 9.0)), (1.0, (3.0,)), (0.6, (3.0,))):
        after, _ = rerank(small_store, request_of(QUESTION), before, Fixed(*scores), RerankSettings(weight=weight))
        assert order(after) == order(before)


def test_a_trusted_chain_keeps_its_order(small_store: EmbeddedStore) -> None:
    before = ranked(small_store, trust=1.0)
    after, judged = rerank(small_store, request_of(QUESTION), before, Fixed(0, 5, 9), RerankSettings(weight=1.0))
    assert order(after) == order(before)
    assert {entry.weight for entry in judged.values()} == {0.0}
    doubted = ranked(small_store, trust=0.25)
    _, half = rerank(small_store, request_of(QUESTION), doubted, Fixed(0, 5, 9), RerankSettings(weight=0.8))
    assert {round(entry.weight, 6) for entry in half.values()} == {0.6}


def test_passages_with_an_exact_identifier_stay_first(small_store: EmbeddedStore) -> None:
    before = ranked(small_store, "What does PMP-2041 mean?")
    against = Fixed(*range(len(before.chunks)))
    after, judged = rerank(
        small_store, request_of("What does PMP-2041 mean?"), before, against, RerankSettings(weight=1.0)
    )
    assert order(after)[0] == "default/pump-manual/0"
    assert "default/pump-manual/0" not in judged


def test_what_follows_the_candidates_stays_where_it_is(small_store: EmbeddedStore) -> None:
    before = ranked(small_store)
    settings = replace(RerankSettings(weight=1.0), candidates=3)
    after, judged = rerank(small_store, request_of(QUESTION), before, Fixed(1, 2, 3), settings)
    assert order(after) == [*order(before)[:3][::-1], *order(before)[3:]]
    assert len(judged) == 3


def test_the_reranker_reads_title_and_passage_and_only_what_the_caller_may_read(small_store: EmbeddedStore) -> None:
    reranker = Fixed(1.0)
    QueryEngine(small_store, EMBEDDER, reranker=reranker).search("The reef beside the tower")
    assert reranker.asked
    assert "platinum" not in "\n".join(reranker.asked)
    assert any(text.startswith("Skerry Rock Lighthouse") for text in reranker.asked)


def test_results_tell_what_the_reranker_said(small_store: EmbeddedStore) -> None:
    engine = QueryEngine(small_store, EMBEDDER, reranker=OverlapReranker())
    outcome = engine.search(QUESTION, AskOptions(route="local"))
    for result in outcome.results:
        assert {"cross_encoder", "cross_encoder_rank", "cross_encoder_weight"} <= result.signals.keys()
    plain = QueryEngine(small_store, EMBEDDER).search(QUESTION, AskOptions(route="local"))
    assert all("cross_encoder" not in result.signals for result in plain.results)


def test_rankings_for_evaluation_are_reranked_too(small_store: EmbeddedStore) -> None:
    settings = QuerySettings(rerank=RerankSettings(weight=1.0))
    reranked = QueryEngine(small_store, EMBEDDER, settings, reranker=Fixed(*range(20)))
    plain = QueryEngine(small_store, EMBEDDER, settings)
    one, two = (engine.rank_chunks(QUESTION, "ppr", 3) for engine in (reranked, plain))
    assert len(one) == len(two) == 3
    assert [hit.id for hit in one] != [hit.id for hit in two]


def test_a_reranker_that_fails_is_not_passed_over(small_store: EmbeddedStore) -> None:
    engine = QueryEngine(small_store, EMBEDDER, reranker=Broken())
    with pytest.raises(ModelCorrupt):
        engine.search(QUESTION, AskOptions(route="local"))
    assert engine.search("?!", AskOptions(route="local")).results
