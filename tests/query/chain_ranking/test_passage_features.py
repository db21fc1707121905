import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.chain_ranking.links import LinkFinder
from query.chain_ranking.passage_features import (
    PASSAGE_FEATURES,
    best_sentence_vectors,
    hop_nearness,
    plain_search,
    pool_scores,
    same_above,
)
from query.chain_ranking.pool import hop_vectors
from tests.query.chain_ranking.hand_made import HandMade, Told, hand_made

QUESTION = "Which keeper of Skerry Tower burned oil?"


@pytest.fixture
def pool() -> HandMade:
    """Words asked: keeper, Skerry, Tower, burned, oil; each weighs a fifth."""
    return hand_made(
        QUESTION,
        [
            Told(title="Skerry Tower", sentences=("A tower by the sea.", "Its keeper burned oil."), document_id="a"),
            Told(title="Grass", document_id="b"),
            Told(title="Oil", sentences=("Oil is burned.",), document_id="a"),
        ],
    ).changed(
        dense=np.array([2.0, -1.0, 0.5]),
        bm25=np.array([1.0, 0.0, 0.5]),
        dense_rank=np.array([0.0, 3.0, 1.0]),
        bm25_rank=np.array([1.0, 0.0, 3.0]),
        mass=np.array([0.5, 0.0, 1.0]),
        title_share=np.array([1.0, 0.0, 1.0]),
        asked_home=np.array([1.0, 0.0, 0.0]),
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dense", [2.0, -1.0, 0.5]),
        ("bm25", [1.0, 0.0, 0.5]),
        ("dense_place", [1.0, 0.25, 0.5]),
        ("bm25_place", [0.5, 1.0, 0.25]),
        ("walk_mass", [0.5, 0.0, 1.0]),
        ("walk_log", [np.log(0.50001), np.log(0.00001), np.log(1.00001)]),
        ("walk_place", [1 / 2, 1 / 3, 1.0]),
        ("covered", [3.0, 0.0, 1.2]),
        ("words_held", [1.0, 0.0, 0.4]),
        ("names_held", [0.4, 0.0, 0.0]),
        ("other_words_held", [0.6, 0.0, 0.4]),
        ("names_in_title", [0.4, 0.0, 0.0]),
        ("words_in_title", [0.4, 0.0, 0.2]),
        ("title_asked", [1.0, 0.0, 1.0]),
        ("sentence_covers", [1.8, 0.0, 1.2]),
        ("two_best_words", [3.0, 0.0, 3.0]),
        ("asked_home", [1.0, 0.0, 0.0]),
        ("same_document_above", [1.0, 0.0, 0.0]),
    ],
)
def test_each_feature_by_its_meaning(pool: HandMade, name: str, expected: list[float]) -> None:
    np.testing.assert_allclose(PASSAGE_FEATURES[name](pool.evidence), expected)


def test_the_nearest_and_the_first_sentence(pool: HandMade) -> None:
    cosine = pool.evidence.sentence_cosine
    np.testing.assert_allclose(
        PASSAGE_FEATURES["sentence_nearest"](pool.evidence), [max(cosine[0], cosine[1]), 0.0, cosine[2]]
    )
    np.testing.assert_allclose(PASSAGE_FEATURES["lead_nearest"](pool.evidence), [cosine[0], 0.0, cosine[2]])


def test_a_pool_without_sentences_has_every_feature() -> None:
    bare = hand_made("tower?", [Told(title="Tower"), Told(title="")]).evidence
    for name, feature in PASSAGE_FEATURES.items():
        values = feature(bare)
        assert values.shape == (2,), name
        assert np.isfinite(values).all(), name


def test_a_question_of_one_word_counts_it_alone() -> None:
    evidence = hand_made("tower?", [Told(title="Tower")]).evidence
    assert PASSAGE_FEATURES["two_best_words"](evidence).tolist() == [3.0]


@given(st.lists(st.floats(min_value=-1e3, max_value=1e3), min_size=1, max_size=20))
def test_scores_within_a_pool_are_standardised_or_nothing(values: list[float]) -> None:
    scores = pool_scores(np.array(values))
    assert scores.mean() == pytest.approx(0.0, abs=1e-6)
    assert scores.std() == pytest.approx(1.0) or not scores.any()


def test_passages_of_the_same_document_above_count_two_at_most() -> None:
    same = hand_made("tower?", [Told(title=str(n), document_id="a") for n in range(4)]).evidence
    assert same_above(same, np.array([1.0, 4.0, 3.0, 2.0])).tolist() == [2.0, 0.0, 1.0, 2.0]


def test_the_vector_of_the_nearest_sentence_or_of_the_passage(pool: HandMade) -> None:
    evidence, told = pool.evidence, best_sentence_vectors(pool.evidence)
    nearest = int(np.argmax(evidence.sentence_cosine[:2]))
    np.testing.assert_array_equal(
        told, [evidence.sentence_vectors[nearest], evidence.vectors[1], evidence.sentence_vectors[2]]
    )


def test_hops_agree_with_a_loop_and_an_anchor_is_not_near_to_itself() -> None:
    pool = hand_made(
        QUESTION,
        [
            Told(title="Skerry Tower", sentences=("Otto Krag was keeper.",), mentions=("Otto Krag",)),
            Told(title="Otto Krag", sentences=("A keeper.",), about=("Otto Krag",)),
            Told(title="Grass", sentences=("It is green.",)),
        ],
    )
    evidence = pool.evidence
    links = LinkFinder(evidence, pool.names, most_holders=40, most_homes=3).links([0, 2])
    strengths, told = np.array([1.0, 0.5]), best_sentence_vectors(evidence)
    found = hop_nearness(evidence, links, strengths, told)
    whole = hop_vectors(evidence.question, evidence.vectors[[0, 2]])
    for target in range(3):
        near = {
            anchor: (0.5 + 0.5 * strengths[place]) * float(whole[place] @ evidence.vectors[target])
            for place, anchor in enumerate((0, 2))
            if anchor != target
        }
        assert found["hop"][target] == pytest.approx(max(0.0, *near.values()), abs=1e-6)
        assert found["hop_by_link"][target] == pytest.approx(max(0.0, near[0]) if target == 1 else 0.0, abs=1e-6)


def test_without_anchors_nothing_is_near() -> None:
    pool = hand_made(QUESTION, [Told(title="Tower"), Told(title="Oil")])
    links = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3).links([])
    found = hop_nearness(pool.evidence, links, np.zeros(0), best_sentence_vectors(pool.evidence))
    assert all(values.tolist() == [0.0, 0.0] for values in found.values())


def test_late_interaction_refines_what_the_searches_found() -> None:
    told = [
        Told(title="Oil", sentences=("Oil is burned.",)),
        Told(title="Skerry Tower", sentences=("Its keeper burned oil.",)),
        Told(title="Grass", sentences=("It is green.",)),
    ]
    searched = plain_search(hand_made(QUESTION, told).changed(fused=np.array([1.0, 1.0, 0.0])).evidence)
    assert searched[1] > searched[0] > searched[2]


def test_without_any_late_interaction_the_order_is_that_of_the_searches() -> None:
    pool = hand_made(QUESTION, [Told(title=f"Hill {number}") for number in range(4)])
    fused = np.array([0.5, 3.0, -1.0, 2.0])
    searched = plain_search(pool.changed(fused=fused).evidence)
    np.testing.assert_array_equal(np.argsort(searched), np.argsort(fused))
