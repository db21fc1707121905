from itertools import permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query.fusion import reciprocal_rank_fusion, z_sum

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4)


def test_fusing_two_rankings_gives_the_published_scores() -> None:
    fused = {hit.id: hit.score for hit in reciprocal_rank_fusion([list("ABCD"), list("CEAB")])}
    assert fused["A"] == fused["C"] == 1 / 61 + 1 / 63
    assert fused["B"] == 1 / 62 + 1 / 64
    assert fused["E"] == 1 / 62
    assert fused["D"] == 1 / 64
    assert [fused[item] for item in "ACBED"] == pytest.approx([0.03227, 0.03227, 0.03175, 0.01613, 0.01563], abs=6e-6)


def test_fused_hits_come_best_first_and_ties_by_id() -> None:
    assert [hit.id for hit in reciprocal_rank_fusion([list("ABCD"), list("CEAB")])] == list("ACBED")


@given(RANKINGS)
@example([["a", "g"], ["a", "h"], list("abcdefgh"), list("abcdefhg")])  # tied but for the rounding of a plain sum
def test_the_order_of_the_rankings_does_not_matter(rankings: list[list[str]]) -> None:
    told = {
        tuple((hit.id, round(hit.score, 12)) for hit in reciprocal_rank_fusion(order))
        for order in permutations(rankings)
    }
    assert len(told) == 1


def test_an_id_repeated_in_one_ranking_counts_once_at_its_best_rank() -> None:
    assert reciprocal_rank_fusion([["a", "b", "a"]]) == reciprocal_rank_fusion([["a", "b"]])


def test_nothing_to_fuse_gives_nothing() -> None:
    assert reciprocal_rank_fusion([]) == ()
    assert reciprocal_rank_fusion([[], []]) == ()
    assert z_sum([]) == ()
    assert z_sum([{}, {}]) == ()


def test_z_sum_adds_standardised_scores() -> None:
    fused = {hit.id: hit.score for hit in z_sum([{"a": 3.0, "b": 1.0}, {"a": 10.0, "b": 30.0, "c": 20.0}])}
    assert fused["a"] == pytest.approx(1.0 - (1.5**0.5))
    assert fused["b"] == pytest.approx(-1.0 + 1.5**0.5)
    assert fused["c"] == pytest.approx(-1.0)


def test_z_sum_does_not_depend_on_the_scale_of_a_list() -> None:
    one, other = {"a": 3.0, "b": 1.0, "c": 2.5}, {"a": 1.0, "c": 2.0, "d": 9.0}
    scaled = {item: 100 * score + 7 for item, score in one.items()}
    assert [hit.id for hit in z_sum([one, other])] == [hit.id for hit in z_sum([scaled, other])]


def test_equal_scores_say_nothing() -> None:
    assert [(hit.id, hit.score) for hit in z_sum([{"b": 2.0, "a": 2.0}])] == [("a", 0.0), ("b", 0.0)]
