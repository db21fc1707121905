"""Scores that fall with the rank, whatever put a passage where it stands."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from model_clients.reranker import OverlapReranker
from query.chain_ranking.settings import ChainSettings
from query.engine import QueryEngine
from query.final_scores import lowered, raised, ranking_scores
from query.local import LocalRanking, rank_local
from query.request import AskOptions
from query.reranking import rerank
from query.settings import DiversitySettings, LocalSettings, QuerySettings, RerankSettings
from query.view_cache import ViewCache
from tests.query.small_store import EMBEDDER, request_of

QUESTIONS = (
    "In which year did the engineer who built Skerry Rock Lighthouse die of pneumonia?",
    "Who built Skerry Rock Lighthouse?",
    "When did the lamp of the lighthouse become electric?",
    "lamp",
)
SCORES = st.dictionaries(st.text(max_size=3), st.floats(-5, 5), max_size=9)


def falls(scores: list[float]) -> bool:
    return all(before >= after for before, after in pairwise(scores))


def ranked(store: EmbeddedStore, question: str, *, chains: bool) -> LocalRanking:
    settings = LocalSettings(chains=ChainSettings(enabled=chains))
    return rank_local(store, request_of(question), ViewCache(store).view(Access()), settings)


@given(SCORES)
def test_raised_and_lowered_scores_fall_and_change_no_more_than_they_must(scores: dict[str, float]) -> None:
    for changed, is_above in ((raised(scores), True), (lowered(scores), False)):
        assert list(changed) == list(scores)
        assert falls(list(changed.values()))
        assert all((changed[name] >= score) if is_above else (changed[name] <= score) for name, score in scores.items())
        if falls(list(scores.values())):
            assert changed == scores


def test_where_nothing_was_pooled_the_share_of_the_walk_is_the_score(small_store: EmbeddedStore) -> None:
    chunks = ranked(small_store, "lamp", chains=True).chunks[:3]
    mass = {chunks[0].id: 1.0, chunks[1].id: 0.25}
    assert list(ranking_scores(chunks, None, mass).values()) == [1.0, 0.25, 0.0]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("chains", [True, False])
def test_a_ranking_has_a_score_for_each_passage(small_store: EmbeddedStore, question: str, *, chains: bool) -> None:
    ranking = ranked(small_store, question, chains=chains)
    assert list(ranking.scores) == [chunk.id for chunk in ranking.chunks]
    assert falls(list(ranking.scores.values()))
    if ranking.chains is not None:
        pooled = ranking.chains.score_of()
        assert any(ranking.scores[name] == pytest.approx(score) for name, score in pooled.items())


@pytest.mark.parametrize("candidates", [2, 3, 50])
def test_scores_fall_after_reranking_too(small_store: EmbeddedStore, candidates: int) -> None:
    before = ranked(small_store, QUESTIONS[0], chains=True)
    settings = RerankSettings(weight=0.6, candidates=candidates)
    after, judged = rerank(small_store, request_of(QUESTIONS[0]), before, OverlapReranker(), settings)
    assert len(judged) >= 2
    assert list(after.scores) == [chunk.id for chunk in after.chunks]
    assert falls(list(after.scores.values()))


@pytest.mark.parametrize("mmr_lambda", [1.0, 0.3])
@pytest.mark.parametrize("question", QUESTIONS)
def test_scores_of_results_fall_with_their_rank(small_store: EmbeddedStore, question: str, mmr_lambda: float) -> None:
    settings = QuerySettings(diversity=DiversitySettings(mmr_lambda=mmr_lambda))
    engine = QueryEngine(small_store, EMBEDDER, settings)
    for results in (
        engine.search(question, AskOptions(route="local", k=9)).results,
        engine.ask(question, AskOptions(route="local", k=9)).results,
    ):
        scores = [result.score for result in results]
        assert len(scores) > 1
        assert falls(scores)
        assert scores[0] > scores[-1]
