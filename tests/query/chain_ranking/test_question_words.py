import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.chain_ranking.question_words import question_words
from query.question import analyse
from query.rarity import WordRarity
from raptor.text_words import stem
from tests.query.chain_ranking.hand_made import NEUTRAL

ASKED = "Engineers of which town built the towers of Ida Holm, the engineer?"


def test_words_are_the_distinct_content_stems_in_order() -> None:
    words = question_words(analyse(ASKED), NEUTRAL)
    assert words.stems == tuple(stem(word) for word in ("engineers", "town", "built", "towers", "ida", "holm"))


def test_spans_are_where_a_word_first_stands() -> None:
    words = question_words(analyse(ASKED), NEUTRAL)
    shown = [ASKED[start:end] for start, end in words.spans]
    assert shown == ["Engineers", "town", "built", "towers", "Ida", "Holm"]


def test_a_capital_makes_a_name_but_for_the_first_word() -> None:
    words = question_words(analyse(ASKED), NEUTRAL)
    assert words.capitalised.tolist() == [False, False, False, False, True, True]


def test_a_word_is_part_of_a_name_wherever_it_is_capitalised() -> None:
    words = question_words(analyse("Is a tower near Holm Tower high?"), NEUTRAL)
    assert dict(zip(words.stems, words.capitalised.tolist(), strict=True))[stem("tower")] is True


def test_weights_are_shares_and_rarer_words_weigh_more() -> None:
    words = question_words(analyse("rare common"), WordRarity(frequencies={"common": 50, "rare": 1}, sampled=100))
    assert words.weights.sum() == pytest.approx(1.0)
    assert words.weights[0] > words.weights[1] > 0.0


def test_a_question_of_stop_words_has_no_words() -> None:
    words = question_words(analyse("what is it of the"), NEUTRAL)
    assert words.stems == ()
    assert words.weights.shape == (0,)
    assert words.pieces([0, 5]).shape == (2, 0)


def test_each_token_counts_for_the_word_that_it_starts_in() -> None:
    words = question_words(analyse("unbelievable tower"), NEUTRAL)
    # Three pieces of the first word, one of the second, and a sign between or after belongs to none.
    shares = words.pieces([0, 2, 8, 12, 13])
    expected = np.array([[1 / 3, 0.0], [1 / 3, 0.0], [1 / 3, 0.0], [0.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(shares, expected)


@given(st.lists(st.integers(min_value=-1, max_value=len(ASKED)), max_size=30))
def test_shares_of_a_word_sum_to_one_or_to_nothing(starts: list[int]) -> None:
    totals = question_words(analyse(ASKED), NEUTRAL).pieces(starts).sum(axis=0)
    assert all(total == 0.0 or total == pytest.approx(1.0) for total in totals)
