import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.answers import ANSWER_MEASURES, answer_tokens, score_answer


def test_tokens_are_those_of_squad_without_marks() -> None:
    assert answer_tokens("The U.S. launched an “Atlas” rocket [1], in 1,977. [12]") == (
        *("us", "launched", "atlas", "rocket", "in", "1977"),
    )


def test_a_quotation_contains_a_short_reference() -> None:
    values = score_answer("Voyager 1 was launched on 5 September 1977. [1]", ["5 September 1977"])
    assert tuple(values) == ANSWER_MEASURES
    assert values["exact"] == 0.0
    assert values["contains"] == values["recall"] == values["right"] == 1.0
    assert values["F1"] == pytest.approx(2 * 3 / (8 + 3))


def test_the_same_words_in_another_order_are_recalled_not_contained() -> None:
    values = score_answer("On the 5th, in 1977, it was September when the rocket flew", ["September 1977"])
    assert values["recall"] == 1.0
    assert values["contains"] == values["right"] == 0.0


def test_a_short_answer_is_matched_in_place_of_the_text() -> None:
    text = "Voyager 1 was launched on 5 September 1977. [1]"
    values = score_answer(text, ["5 September 1977"], "5 September 1977")
    assert values["exact"] == values["F1"] == values["claimed"] == values["claimed_right"] == 1.0
    assert values["right"] == 1.0


def test_a_wrong_short_answer_is_not_right_though_the_text_contains_the_reference() -> None:
    wrong = score_answer("Voyager 1 was launched on 5 September 1977. [1]", ["5 September 1977"], "Voyager")
    assert (wrong["exact"], wrong["contains"], wrong["claimed"], wrong["claimed_right"]) == (0.0, 1.0, 1.0, 0.0)
    assert wrong["right"] == 0.0


def test_one_word_in_another_does_not_count() -> None:
    assert score_answer("The spiritual leader", ["spirit"])["right"] == 0.0


@pytest.mark.parametrize(
    ("answer", "right"), [("Yes. Both are directors. [1]", 1.0), ("No.", 0.0), ("Oh yes, and so on", 0.0)]
)
def test_yes_and_no_count_as_the_first_word_alone(answer: str, right: float) -> None:
    assert score_answer(answer, ["Yes"])["contains"] == right


def test_the_best_reference_counts() -> None:
    assert score_answer("NYC", ["New York City", "N.Y.C."])["exact"] == 1.0


def test_no_answer_scores_nothing() -> None:
    assert set(score_answer("", ["Paris"]).values()) == {0.0}


@given(st.text(max_size=30), st.lists(st.text(max_size=30), min_size=1, max_size=3))
def test_values_are_shares_and_what_is_exact_is_right(answer: str, references: list[str]) -> None:
    values = score_answer(answer, references)
    assert all(0.0 <= value <= 1.0 for value in values.values())
    own = score_answer(references[0], references)
    assert own["exact"] == own["F1"] == own["recall"] == own["contains"] == own["right"] == 1.0
