import pytest

from query.question import analyse
from query.short_answers.asked import is_plain, wanted


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who built Skerry Rock?", "person"),
        ("In what film did the man who built the tower play?", "thing"),
        ("The press was founded in 2005 and is based where?", "place"),
        ("When was the engineer born who built the tower?", "date"),
        ("In what year was the man that resigned as the mayor born?", "date"),
        ("How many times was the mayor who built the hall elected?", "number"),
        ("What is the population of the town where Ida Holm was born?", "number"),
        ("Toad Hall is in a university located in what Australian city?", "place"),
        ("Under what name did he play when he released the record?", "thing"),
        ("Which Canadian actress starred in the film?", "person"),
        ("Name the keeper.", "thing"),
        ("", "thing"),
    ],
)
def test_the_word_that_asks_tells_the_kind(question: str, kind: str) -> None:
    assert wanted(analyse(question)).kind == kind


def test_the_noun_stands_after_the_word_that_asks() -> None:
    assert wanted(analyse("What college preparatory school did he attend?")).noun == {"colleg", "preparatori", "school"}
    assert wanted(analyse("What was the profession of Ida Holm?")).noun == {"profess"}
    assert wanted(analyse("Who built it?")).noun == frozenset()


@pytest.mark.parametrize(
    "question",
    [
        "Who built Skerry Rock?",
        "Where was Ida Holm born?",
        "In which year was the tower built?",
        "What is the height of Skerry Rock?",
        "How old was Ida Holm when the lamp was lit?",
    ],
)
def test_a_plain_question_names_what_it_asks_about(question: str) -> None:
    assert is_plain(analyse(question))


@pytest.mark.parametrize(
    "question",
    [
        "When was the engineer born who built the tower?",
        "What river flows through the town where Ida Holm was born?",
        "Who is the spouse of the director of the works?",
        "When did the keeper of Skerry Rock die?",
        "Where was Ida Holm's teacher born?",
        "Skerry Rock was built by whom?",
        "Name the keeper.",
    ],
)
def test_a_description_is_not_plain(question: str) -> None:
    assert not is_plain(analyse(question))
