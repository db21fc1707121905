import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.abstention import (
    Verdict,
    area_interval,
    area_under_roc,
    brier_score,
    calibration_error,
    reliability_table,
    score_abstention,
)

scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


def test_shares_and_area() -> None:
    found = score_abstention(
        [
            Verdict(answerable=True, abstained=False, support=0.9),
            Verdict(answerable=True, abstained=True, support=0.2),
            Verdict(answerable=False, abstained=True, support=0.1),
            Verdict(answerable=False, abstained=True, support=0.2),
            Verdict(answerable=False, abstained=False, support=0.5),
        ]
    )
    assert found.answerable_abstained == pytest.approx(1 / 2)
    assert found.unanswerable_abstained == pytest.approx(2 / 3)
    # Pairs: 0.9 beats all three; 0.2 beats 0.1, ties 0.2, loses to 0.5.
    assert found.auroc == pytest.approx((3 + 1 + 0.5) / 6)
    assert (found.auroc_low, found.auroc_high) == area_interval(4.5 / 6, 2, 3)
    assert found.brier == pytest.approx((0.01 + 0.64 + 0.01 + 0.04 + 0.25) / 5)


def test_a_kind_that_is_missing_has_no_share() -> None:
    found = score_abstention([Verdict(answerable=True, abstained=False, support=0.9)])
    assert (found.answerable_abstained, found.unanswerable_abstained, found.auroc) == (0.0, None, None)
    assert (found.auroc_low, found.auroc_high) == (None, None)


@given(scores, scores)
def test_the_area_is_the_share_of_ordered_pairs(positive: list[float], negative: list[float]) -> None:
    pairs = [(p > n) + 0.5 * (p == n) for p in positive for n in negative]
    assert area_under_roc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))


def test_the_reliability_table_compares_support_with_what_came_true() -> None:
    verdicts = [
        Verdict(answerable=answerable, abstained=False, support=support)
        for answerable, support in ((False, 0.0), (True, 0.3), (False, 0.35), (True, 0.9), (True, 1.0))
    ]
    table = reliability_table(verdicts)
    assert [row.n for row in table] == [1, 0, 0, 2, 0, 0, 0, 0, 0, 2]
    assert (table[3].low, table[3].high) == (0.3, 0.4)
    assert table[3].mean_support == pytest.approx(0.325)
    assert table[3].share_answerable == 0.5
    assert table[1].mean_support is None
    assert calibration_error(table) == pytest.approx((2 * 0.175 + 2 * 0.05) / 5)
    assert calibration_error(reliability_table([])) is None


def test_the_interval_narrows_with_more_questions_and_stays_in_bounds() -> None:
    few, many = area_interval(0.8, 20, 10), area_interval(0.8, 2_000, 1_000)
    assert few[0] < many[0] < 0.8 < many[1] < few[1]
    # 95 % by the formula of Hanley and McNeil: an error of 0.0325 for an area of 0.893 over 51 and 58 cases.
    low, high = area_interval(0.893, 51, 58)
    assert (high - low) / 2 == pytest.approx(1.96 * 0.0325, abs=0.003)
    assert area_interval(1.0, 3, 3) == (1.0, 1.0)


def test_a_support_of_a_half_throughout_has_a_brier_score_of_a_quarter() -> None:
    assert brier_score([Verdict(answerable=place < 3, abstained=False, support=0.5) for place in range(9)]) == 0.25
    assert brier_score([]) is None
