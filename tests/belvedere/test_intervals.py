import numpy as np
import pytest

from belvedere.evaluation.intervals import estimate_means


def test_no_question_gives_no_numbers() -> None:
    (estimate,) = estimate_means(np.zeros((0, 1)), seed=0)
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (None, None, None, 0)


def test_one_question_has_no_spread() -> None:
    (estimate,) = estimate_means(np.array([[0.25]]), seed=0)
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (0.25, 0.25, 0.25, 1)


def test_the_interval_is_that_of_a_proportion() -> None:
    # 40 of 100: the normal interval is 0.4 +- 1.96 * sqrt(0.4 * 0.6 / 100) = 0.4 +- 0.096.
    values = np.array([[1.0]] * 40 + [[0.0]] * 60)
    (estimate,) = estimate_means(values, seed=3)
    assert estimate.value == pytest.approx(0.4)
    assert estimate.low == pytest.approx(0.304, abs=0.015)
    assert estimate.high == pytest.approx(0.496, abs=0.015)


def test_one_seed_gives_one_interval_and_every_column_its_own() -> None:
    values = np.random.default_rng(1).random((30, 2))
    first, again = estimate_means(values, seed=7), estimate_means(values, seed=7)
    assert first == again
    assert first[0] != first[1]
    assert estimate_means(values, seed=8)[0].low != first[0].low


def test_columns_are_drawn_together() -> None:
    values = np.random.default_rng(1).random((30, 1))
    left, right = estimate_means(np.hstack([values, values]), seed=0)
    assert left == right


def test_a_column_is_estimated_over_the_rows_that_have_it() -> None:
    values = np.array([[0.0, np.nan, np.nan], [1.0, 0.25, np.nan], [0.5, 0.75, np.nan]])
    whole, part, nothing = estimate_means(values, seed=0)
    assert whole == estimate_means(values[:, :1], seed=0)[0]
    assert part == estimate_means(values[1:, 1:2], seed=0)[0]
    assert (part.value, part.n) == (0.5, 2)
    assert (nothing.value, nothing.n) == (None, 0)
