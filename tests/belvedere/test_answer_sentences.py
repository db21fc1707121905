import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.judging.answer_sentences import answer_sentences
from belvedere.evaluation.judging.text_overlap import longest_common_subsequence, rouge_l, share_of_words, words_of


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("1987 [3]\n\nIt grew. [1] He left [2][3].", [("1987", (3,)), ("It grew.", (1,)), ("He left.", (2, 3))]),
        ("Then he died. Nobody knew. [1]", [("Then he died.", ()), ("Nobody knew.", (1,))]),
        ("Its themes\n- One thing is so [1]\n- Another. [2]", [("One thing is so", (1,)), ("Another.", (2,))]),
        ("1. Step one. [1]\n2. Step two.[2]", [("Step one.", (1,)), ("Step two.", (2,))]),
        ("[1] Odd. Next [2] mid [2] word.", [("Odd.", (1,)), ("Next mid word.", (2,))]),
        ("Year: 1996-1997; Event: Galileo at Jupiter; Role: Added [1]",
         [("Year: 1996-1997; Event: Galileo at Jupiter; Role: Added", (1,))]),
        ("No title", [("No title", ())]),
        ("", []),
    ],
)  # fmt: skip
def test_marks_belong_to_their_sentences(answer: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    found = answer_sentences(answer)
    assert [(item.text.strip(), item.marks) for item in found] == expected


@given(st.text(max_size=60))
def test_every_answer_can_be_split(answer: str) -> None:
    assert all(item.text.strip() for item in answer_sentences(answer) if item.marks == ())


def test_rouge_l_by_hand() -> None:
    # police the gunman | police gunman: the subsequence "police gunman" of 3 and 2 words.
    assert rouge_l(words_of("Police THE gunman!"), words_of("police gunman")) == pytest.approx(2 * 2 / 5)
    assert rouge_l(words_of("gunman police"), words_of("police gunman")) == pytest.approx(0.5)
    assert rouge_l((), words_of("police")) == 0.0


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_the_longest_common_subsequence_is_that_of_the_definition(left: list[str], right: list[str]) -> None:
    def slow(one: list[str], two: list[str]) -> int:
        if not one or not two:
            return 0
        if one[0] == two[0]:
            return 1 + slow(one[1:], two[1:])
        return max(slow(one[1:], two), slow(one, two[1:]))

    assert longest_common_subsequence(left, right) == slow(left, right)


def test_a_word_counts_as_often_as_one_text_has_it() -> None:
    assert share_of_words(words_of("a a b"), ["a b", "a c"]) == pytest.approx(2 / 3)
    assert share_of_words(words_of("a a b"), []) == 0.0
