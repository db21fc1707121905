import pytest

from query.question import analyse
from query.short_answers.asked import has_clause, wanted


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


def test_a_clause_is_told_from_the_word_that_asks() -> None:
    assert has_clause(analyse("When was the engineer born who built the tower?"))
    assert has_clause(analyse("What river flows through the town where Ida Holm was born?"))
    assert not has_clause(analyse("Who built Skerry Rock?"))
    assert not has_clause(analyse("Where was Ida Holm born?"))
