import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.measures import (
    GRADED,
    MEASURES,
    collapse,
    measures_of,
    score_grades,
    score_rankings,
    with_gold_as_groups,
)

A, B, C = (frozenset({name}) for name in "abc")


def score(ranking: list[str], *gold: frozenset[str]) -> dict[str, float]:
    (values,) = score_rankings([ranking], [gold])
    assert values is not None
    return values


def test_a_document_counts_at_its_first_chunk() -> None:
    assert collapse(["a", "b", "a", "c", "b"]) == ("a", "b", "c")


def test_every_measure_on_one_ranking() -> None:
    # Gold a (rank 2) and b (rank 6) of three; c is never found.
    values = score(["x", "a", "y", "z", "w", "b"], A, B, C)
    ideal = 1.0 + 1.0 / math.log2(3) + 1.0 / math.log2(4)
    assert tuple(values) == MEASURES
    assert values["R@2"] == pytest.approx(1 / 3)
    assert values["R@5"] == pytest.approx(1 / 3)
    assert values["R@10"] == pytest.approx(2 / 3)
    assert values["all@5"] == values["all@10"] == 0.0
    assert values["Success@5"] == 1.0
    assert values["MRR@10"] == pytest.approx(1 / 2)
    assert values["nDCG@10"] == pytest.approx((1.0 / math.log2(3) + 1.0 / math.log2(7)) / ideal)


def test_all_gold_within_ten_but_not_within_five() -> None:
    values = score(["a", "1", "2", "3", "4", "b"], A, B)
    assert (values["all@5"], values["all@10"], values["R@5"], values["R@10"]) == (0.0, 1.0, 0.5, 1.0)


def test_the_first_gold_beyond_rank_ten_gives_no_reciprocal_rank() -> None:
    values = score([*"0123456789", "a"], A)
    assert set(values.values()) == {0.0}


def test_any_member_of_a_group_is_enough_and_counts_once() -> None:
    group = frozenset({"a", "b"})
    assert score(["b", "x"], group)["R@2"] == 1.0
    assert with_gold_as_groups(["x", "b", "a", "c"], (group, C)) == ("document:x", "gold:0", "gold:1")
    # The second member is dropped, so c moves up to rank 2.
    assert score(["b", "a", "c"], group, C)["R@2"] == 1.0


def test_a_document_of_two_groups_satisfies_both() -> None:
    assert score(["a"], frozenset({"a", "b"}), frozenset({"a", "c"}))["all@5"] == 1.0


def test_a_document_named_like_a_group_is_not_taken_for_it() -> None:
    assert score(["gold:0"], A)["R@10"] == 0.0


def test_questions_without_gold_are_not_scored_and_without_results_score_zero() -> None:
    scored = score_rankings([["a"], [], ["a"]], [(), (A,), (A,)])
    assert scored[0] is None
    assert scored[1] is not None
    assert set(scored[1].values()) == {0.0}
    assert scored[2] is not None
    assert scored[2]["R@2"] == 1.0


def test_nothing_at_all_to_score() -> None:
    assert score_rankings([], []) == []
    values = score_rankings([[]], [(A,)])[0]
    assert values is not None
    assert set(values.values()) == {0.0}


@given(st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=16))
def test_recall_grows_with_depth_and_agrees_with_all(ranking: list[str]) -> None:
    values = score(ranking, A, B, C)
    assert values["R@2"] <= values["R@5"] <= values["R@10"]
    assert values["R@5"] == pytest.approx(len({"a", "b", "c"} & set(ranking[:5])) / 3)
    assert values["all@10"] == float({"a", "b", "c"} <= set(ranking[:10]))
    assert values["Success@5"] == float(bool({"a", "b", "c"} & set(ranking[:5])))


def test_a_grade_is_the_gain_of_its_document() -> None:
    (values,) = score_grades([["x", "low", "high"]], [{"high": 3, "low": 1, "lost": 2}])
    ideal = 3.0 + 2.0 / math.log2(3) + 1.0 / math.log2(4)
    assert values is not None
    assert values[GRADED] == pytest.approx((1.0 / math.log2(3) + 3.0 / math.log2(4)) / ideal)


def test_only_graded_questions_have_a_graded_value() -> None:
    first, second, third = score_grades([["a"], ["a"], []], [{}, {"a": 2}, {"a": 2}])
    assert (first, second, third) == (None, {GRADED: 1.0}, {GRADED: 0.0})
    assert measures_of([{"R@5": 1.0}, {"R@5": 1.0, GRADED: 1.0}]) == (*MEASURES, GRADED)
    assert measures_of([{"R@5": 1.0}]) == MEASURES
