import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.abstention import (
    Verdict,
    area_under_roc,
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


def test_a_kind_that_is_missing_has_no_share() -> None:
    found = score_abstention([Verdict(answerable=True, abstained=False, support=0.9)])
    assert (found.answerable_abstained, found.unanswerable_abstained, found.auroc) == (0.0, None, None)


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
