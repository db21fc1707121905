import pytest

from query.answer_types import asked_kind, asking_words, lacks_asked_kind
from query.question import analyse


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many masts stand on Skerry Rock?", "number"),
        ("What is the greatest height of the mast?", "number"),
        ("When was the mast built?", "date"),
        ("Which city has the mast?", "name"),
        ("Who built the mast?", "name"),
        ("What is the mast made of?", None),
        ("Was the mast built in 1931?", None),
    ],
)
def test_the_form_of_a_question_tells_what_it_asks_for(question: str, kind: str | None) -> None:
    assert asked_kind(analyse(question)) == kind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When was the mast built?", "The mast was built by hand."),
        ("When in 1931 was the mast built?", "In 1931 the mast was built, which may surprise."),
        ("How many boats carried the mast?", "The mast MX-14 came by boat with Skerry 2 in 1931."),
        ("Who keeps the mast on Skerry Rock?", "He keeps the mast on Skerry Rock."),
        ("How many people saw the mast?", "Many people saw the mast."),
    ],
)
def test_a_text_without_a_new_thing_of_the_kind_lacks_it(question: str, text: str) -> None:
    assert lacks_asked_kind([text], analyse(question))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When was the mast built?", "It was built in May 1931."),
        ("How many boats carried the mast?", "It was carried by three boats."),
        ("How many guests came?", "The dinner was attended by 2000 guests."),
        ("How many times did Skerry Rock flood?", "Floods came to Skerry 22 times."),
        ("How long did the mast stand?", "It stood until the nineteenth century."),
        ("Who keeps the mast?", "Students keep the mast."),
        ("What is the mast made of?", "It is heavy."),
        ("What is the contract number of the mast?", "The contract number is MT-2022-118."),
    ],
)
def test_a_text_that_may_have_it_does_not_lack_it(question: str, text: str) -> None:
    assert not lacks_asked_kind([text], analyse(question))


def test_one_text_with_it_is_enough() -> None:
    assert not lacks_asked_kind(["He built the mast.", "Ida Holm"], analyse("Who built the mast?"))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("In which city was the keeper born who built the mast?", "which city"),
        ("How many masts are there?", "how many"),
        ("What is the height of the mast?", ""),
    ],
)
def test_the_asking_words_are_the_question_s_first(question: str, words: str) -> None:
    assert asking_words(analyse(question)) == words
