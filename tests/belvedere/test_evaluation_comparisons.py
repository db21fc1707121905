import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from belvedere.evaluation.comparisons import baseline, compare_systems, holm, randomisation_p


def test_p_is_that_of_scipys_exact_test() -> None:
    differences = np.array([0.5, 0.25, 1.0, -0.25, 0.75, 0.5, 0.25, 0.125, -0.5, 1.0])
    exact = stats.permutation_test((differences,), np.mean, permutation_type="samples").pvalue
    (p,) = randomisation_p(differences[:, None], seed=3)
    assert 0.01 < exact < 0.1
    assert p == pytest.approx(exact, abs=0.01)


def test_equal_systems_do_not_differ_and_p_is_never_zero() -> None:
    table = np.zeros((40, 2))
    table[:, 1] = 1.0
    same, other = randomisation_p(table, seed=0)
    assert same == 1.0
    assert other == 1.0 / 10_000


def test_rounding_is_no_difference() -> None:
    # 0.1 + 0.2 - 0.3 is not 0 in floating point.
    (p,) = randomisation_p(np.array([[0.1], [0.2], [-0.3]]), seed=0)
    assert p == 1.0


def test_holm_on_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0.0, 1.0), max_size=8))
def test_holm_keeps_the_order_and_lowers_nothing(values: list[float]) -> None:
    corrected = holm(values)
    assert all(given <= found <= 1.0 for given, found in zip(values, corrected, strict=True))
    places = sorted(range(len(values)), key=lambda place: values[place])
    assert [corrected[place] for place in places] == sorted(corrected)


def test_systems_are_compared_with_local_question_by_question() -> None:
    better = [{"R@5": 1.0, "MRR@10": 0.5}] * 30
    worse = [{"R@5": 0.0, "MRR@10": 0.5}] * 30
    (found,) = compare_systems({"bm25": worse, "local": better}, ("R@5", "MRR@10"), seed=0)
    assert (found.system, found.against) == ("bm25", "local")
    assert found.measures["R@5"].estimate.value == -1.0
    assert found.measures["R@5"].p_holm == pytest.approx(2.0 / 10_000)
    assert found.measures["MRR@10"].p == 1.0
    assert found == compare_systems({"bm25": worse, "local": better}, ("R@5", "MRR@10"), seed=0)[0]


def test_a_common_shift_shows_although_questions_differ_much() -> None:
    chance = np.random.default_rng(1)
    base = chance.random(50) * 0.9
    first, second = ([{"R@5": float(value)} for value in base + shift] for shift in (0.0, 0.05))
    (found,) = compare_systems({"dense": first, "hybrid": second}, ("R@5",), seed=0)
    assert (found.system, found.against) == ("hybrid", "dense")
    assert found.measures["R@5"].p == 1.0 / 10_000
    assert found.measures["R@5"].estimate.low == pytest.approx(0.05)


def test_without_questions_there_is_no_p() -> None:
    (found,) = compare_systems({"dense": [], "hybrid": []}, ("R@5",), seed=0)
    assert found.measures["R@5"].p is None
    assert found.measures["R@5"].estimate.value is None


def test_a_measure_is_compared_over_the_questions_that_have_it() -> None:
    both = [{"R@5": 1.0, "graded": 1.0}] * 9 + [{"R@5": 1.0}] * 30
    other = [{"R@5": 1.0, "graded": 0.5}] * 9 + [{"R@5": 1.0}] * 30
    (found,) = compare_systems({"bm25": other, "local": both}, ("R@5", "graded"), seed=0)
    assert (found.measures["R@5"].estimate.n, found.measures["graded"].estimate.n) == (39, 9)
    assert found.measures["graded"].estimate.value == -0.5
    assert found.measures["graded"].p_holm == pytest.approx(2 * 2 / 2**9, abs=0.004)


def test_the_baseline_is_local_or_the_first() -> None:
    assert baseline(("bm25", "local")) == "local"
    assert baseline(("bm25", "dense")) == "bm25"
