import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.abstention import Verdict, area_under_roc, score_abstention

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
