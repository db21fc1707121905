import numpy as np
import pytest

from query.chain_ranking.arrays import Vector
from query.chain_ranking.link_features import link_columns
from query.chain_ranking.links import LinkFinder
from query.chain_ranking.passage_features import best_sentence_vectors, pool_scores
from query.chain_ranking.pool import hop_vectors
from tests.query.chain_ranking.hand_made import HandMade, Told, hand_made


@pytest.fixture
def pool() -> HandMade:
    """Words asked: born, keeper, Skerry, Tower; each weighs a quarter. "otto krag" leads from 1 to 2."""
    return hand_made(
        "Where born was the keeper of Skerry Tower?",
        [
            Told(title="Grass", sentences=("It is green.",)),
            Told(
                title="Skerry Tower",
                sentences=("A tower.", "Its keeper was Otto Krag."),
                mentions=("Otto Krag",),
                document_id="a",
            ),
            Told(title="Otto Krag", sentences=("He was born here.",), about=("Otto Krag",), document_id="a"),
        ],
    ).changed(
        dense=np.array([0.0, 2.0, 1.0]),
        bm25=np.array([0.0, 1.0, 0.5]),
        mass=np.array([0.0, 1.0, 0.25]),
        asked_home=np.array([0.0, 1.0, 0.0]),
    )


def columns_of(pool: HandMade, *anchors: int) -> dict[str, Vector]:
    finder = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3)
    told = best_sentence_vectors(pool.evidence)
    strengths = np.linspace(0.8, 0.2, num=len(anchors))
    return link_columns(pool.evidence, finder.links(anchors), strengths, told)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("strength", 0.2),
        ("anchor_place", 1.0),
        # The target has "born", the anchor the other three words.
        ("gain", 0.75),
        ("gain_words", 0.25),
        ("gain_largest", 3.0),
        ("union", 3.0),
        ("union_words", 1.0),
        ("in_title", 1.0),
        ("is_subject", 1.0),
        ("bridge_length", 2.0),
        ("anchor_names", 1.0),
        ("target_names", 0.0),
        ("target_dense", 1.0),
        ("target_bm25", 0.5),
        ("target_mass", 0.25),
        ("shared", 1.0),
        ("anchor_home", 1.0),
        ("target_home", 0.0),
        ("sentence_number", 1.0),
        ("anchor_dense", 2.0),
        ("anchor_mass", 1.0),
        ("same_document", 1.0),
        # The sentence with the name has "keeper" alone.
        ("bridge_covers", 0.75),
        ("gain_of_sentence", 0.75),
        ("gain_difference", 0.0),
        ("gain_names", 0.0),
        ("gain_others", 0.75),
        ("gain_name_words", 0.0),
        ("gain_other_words", 0.25),
    ],
)
def test_each_feature_by_its_meaning(pool: HandMade, name: str, expected: float) -> None:
    assert columns_of(pool, 0, 1)[name].tolist() == [pytest.approx(expected)]


def test_nearness_of_the_bridging_sentence(pool: HandMade) -> None:
    cosine, columns = pool.evidence.sentence_cosine, columns_of(pool, 1)
    assert columns["bridge_cosine"][0] == pytest.approx(cosine[2])
    assert columns["anchor_best"][0] == pytest.approx(max(cosine[1], cosine[2]))
    assert columns["bridge_behind"][0] == pytest.approx(min(0.0, cosine[2] - cosine[1]))
    assert columns["target_best"][0] == pytest.approx(cosine[3])


def test_hops_carry_the_question_on_through_the_anchor(pool: HandMade) -> None:
    evidence, columns = pool.evidence, columns_of(pool, 1)
    hop = hop_vectors(evidence.question, evidence.vectors[[1]])[0]
    assert columns["hop"][0] == pytest.approx(float(hop @ evidence.vectors[2]))
    told = hop_vectors(evidence.question, best_sentence_vectors(evidence)[[1]])[0]
    assert columns["hop_by_sentence"][0] == pytest.approx(float(told @ evidence.vectors[2]))


def test_standing_within_the_pool_of_both_ends(pool: HandMade) -> None:
    columns = columns_of(pool, 1)
    assert columns["z_anchor_mass"][0] == pool_scores(pool.evidence.mass)[1]
    assert columns["z_target_mass"][0] == pool_scores(pool.evidence.mass)[2]


def test_a_name_in_the_title_alone_has_no_sentence(pool: HandMade) -> None:
    columns = columns_of(pool, 2)
    assert columns["target_names"].tolist() == [1.0]
    assert columns["sentence_number"].tolist() == [-1.0]
    assert columns["bridge_cosine"].tolist() == columns["bridge_covers"].tolist() == [0.0]


def test_features_are_finite_without_sentences_and_empty_without_links() -> None:
    bare = [Told(title="Otto Krag", about=("Otto Krag",)), Told(title="Heirs of Otto Krag")]
    for columns, rows in (
        (columns_of(hand_made("Which heirs?", bare), 0, 1), 2),
        (columns_of(hand_made("Which heirs?", bare[:1]), 0), 0),
        (columns_of(hand_made("Which heirs?", bare)), 0),
    ):
        assert all(values.shape == (rows,) and np.isfinite(values).all() for values in columns.values())
