import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.chain_ranking.gate import gate_features, gated
from query.chain_ranking.passage_features import plain_search
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.rounds import RoundResult
from query.chain_ranking.weights import chain_weights
from tests.query.chain_ranking.hand_made import HandMade, Told, hand_made

SCORES = st.lists(st.integers(-20, 20), min_size=2, max_size=12, unique=True)


def pool_of(*passages: Told) -> HandMade:
    return hand_made("Where was the keeper of Skerry Tower born?", passages)


PAIR = (
    Told(title="Otto Krag", sentences=("He was born here.",), about=("Otto Krag",), document_id="a"),
    Told(title="Skerry Tower", sentences=("Its keeper was Otto Krag.",), mentions=("Otto Krag",), document_id="b"),
    Told(title="Grass", sentences=("It is green.",), document_id="b"),
)


def result_of(pool: HandMade, scores: list[float]) -> RoundResult:
    data = pool.rounds().first()
    links = np.arange(len(data.links.anchor), dtype=np.float64) - 2.0
    return RoundResult(scores=np.array(scores), columns={}, links=data.links, link_scores=links)


@given(SCORES, st.integers(0, 99))
def test_no_trust_keeps_the_order_of_the_searches_and_full_trust_that_of_the_chains(
    scores: list[int], seed: int
) -> None:
    chains = np.array(scores, dtype=np.float64)
    searched = np.random.default_rng(seed).permutation(len(scores)).astype(np.float64)
    np.testing.assert_array_equal(np.argsort(gated(chains, searched, 0.0)), np.argsort(searched))
    kept = np.argsort(-searched)[:2]
    ordered = [index for index in np.argsort(-gated(chains, searched, 1.0)) if index not in kept]
    assert ordered == [index for index in np.argsort(-chains) if index not in kept]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(0, 99), st.floats(0.0, 1.0))
def test_the_two_best_of_the_searches_stay_among_the_first_five(scores: list[int], seed: int, trust: float) -> None:
    searched = np.random.default_rng(seed).permutation(len(scores)).astype(np.float64)
    order = np.argsort(-gated(np.array(scores, dtype=np.float64), searched, trust), kind="stable")
    assert set(np.argsort(-searched)[:2].tolist()) <= set(order[:5].tolist())


def test_what_is_kept_in_sight_takes_the_last_of_the_first_five_places() -> None:
    chains = np.arange(8.0, 0.0, -1.0)
    searched = np.arange(8.0)
    order = np.argsort(-gated(chains, searched, 1.0), kind="stable").tolist()
    assert order == [0, 1, 2, 7, 6, 3, 4, 5]


def test_one_that_stands_fifth_is_not_pushed_out_by_one_that_is_brought_back() -> None:
    chains = np.arange(8.0, 0.0, -1.0)
    searched = np.array([0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0])
    order = np.argsort(-gated(chains, searched, 1.0), kind="stable").tolist()
    assert order == [0, 1, 2, 4, 7, 3, 5, 6]


def test_a_mixture_weighs_standardised_scores() -> None:
    np.testing.assert_allclose(gated(np.array([0.0, 2.0]), np.array([100.0, 0.0]), 0.75), [-0.75 + 0.25, 0.75 - 0.25])


def test_each_feature_by_its_meaning() -> None:
    pool = pool_of(*PAIR).changed(
        fused=np.array([0.0, 4.0, 1.0]), dense=np.array([1.0, 2.5, -1.0]), mass=np.array([0.5, 1.0, 0.0])
    )
    searched = plain_search(pool.evidence)
    features = gate_features(pool.evidence, result_of(pool, [3.0, 2.0, -5.0]), searched)
    assert features["best_score"] == 3.0
    assert features["lead"] == 1.0
    assert features["dense_best"] == 2.5
    best, second, _ = sorted(searched, reverse=True)
    assert features["search_lead"] == pytest.approx(best - second)
    assert (features["words_asked"], features["names_asked"], features["names_share"]) == (4.0, 2.0, 0.5)
    # The searches' first has keeper, Skerry and Tower; the chains add "born".
    assert features["search_holds"] == pytest.approx(0.75)
    assert features["search_covers"] == pytest.approx(2.25)
    assert features["chain_holds_more"] == pytest.approx(0.25)
    assert features["chain_covers_more"] == pytest.approx(0.75)
    assert features["linked"] == 1.0
    assert features["link_gain"] == pytest.approx(2.25)
    assert features["link_best"] == -1.0
    assert features["distinct"] == pytest.approx(2 / 3)
    assert features["departs"] == pytest.approx(np.log1p([0.0, 1.0, 2.0]).mean())


def test_without_links_nothing_is_linked() -> None:
    pool = pool_of(PAIR[0], PAIR[2])
    features = gate_features(pool.evidence, result_of(pool, [1.0, 0.0]), plain_search(pool.evidence))
    assert (features["linked"], features["link_gain"], features["link_best"]) == (0.0, 0.0, -6.0)


@pytest.mark.parametrize("passages", [PAIR, PAIR[:1], (Told(title=""),)])
def test_features_are_finite_on_every_pool(passages: tuple[Told, ...]) -> None:
    pool = pool_of(*passages)
    features = gate_features(
        pool.evidence, run_rounds(pool.rounds(), chain_weights("").rounds), plain_search(pool.evidence)
    )
    assert set(features) == set(chain_weights("").gate.features)
    assert np.isfinite(list(features.values())).all()
