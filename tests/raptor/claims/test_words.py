"""Words and numbers in a form in which they can be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raptor.claims.languages import language_of
from raptor.claims.words import coverage, is_held, missing_numbers, words_of


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("1932", "1,932"),
        ("1.932", "1932"),
        ("1,5", "1.5"),
        ("1.50", "1.5"),
        ("007", "7"),
        ("3 boats", "three boats"),
        ("12'000", "12000"),
        ("1,234.5", "1234.5"),
        ("300k", "300,000"),
        ("three hundred thousand metres", "300,000 metres"),
        ("twenty-one boats", "21 boats"),
        ("built in 1932", "built in 1932\u00b3"),
        ("5km", "5 kilometres"),
        ("6.25 million", "$6.25 million"),
        ("6.25 million dollars", "$6,250,000"),
        ("five million people", "5 million people"),
        ("three boats", "3 boats"),
        ("twelve feet", "12 feet"),
        ("1898年成立", "1898年创立"),
        ("$20", "20 dollars"),
        ("20%", "20 percent"),
        ("300 feet", "from 200 to 300"),
        ("the 5th of May", "5 May"),
    ],
)
def test_the_same_number_is_written_in_many_ways(said: str, held: str) -> None:
    assert not missing_numbers(words_of(said), words_of(held))


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("15", "1.5"),
        ("1933", "1932"),
        ("12", "1 2"),
        ("4 boats", "three boats"),
        ("four boats", "three boats"),
        ("twelve feet", "12 metres"),
        ("5 billion", "5 million"),
        ("1898月成立", "1898年成立"),
        *(
            (said, "300 metres")
            for said in (
                "-300 metres",
                "300\u2079 metres",
                "300\u00bd metres",
                "300k metres",
                "300% metres",
                "300e9 metres",
                "300 feet",
                "300ft",
                "three hundred thousand metres",
                "twenty metres",
                "$300",
            )
        ),
    ],
)
def test_other_numbers_are_others(said: str, held: str) -> None:
    assert missing_numbers(words_of(said), words_of(held))


@pytest.mark.parametrize(
    ("one", "other"), [("bergviks", "Bergvik"), ("москве", "Москва"), ("engineers", "engineering")]
)
def test_endings_make_no_other_word(one: str, other: str) -> None:
    assert is_held(one, words_of(other))


@pytest.mark.parametrize(("one", "other"), [("johnson", "Johnston"), ("rom", "Romania"), ("holm", "Home")])
def test_other_names_are_others(one: str, other: str) -> None:
    assert not is_held(one, words_of(other))


@given(st.text(max_size=80))
def test_every_text_covers_itself(text: str) -> None:
    words = words_of(text)
    assert coverage(words, words) == 1.0
    assert not missing_numbers(words, words)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge was built in the city.", "en"),
        ("Die Brücke wurde von dem Ingenieur gebaut.", "de"),
        ("Le pont est dans la ville.", "fr"),
        ("Мост был построен в городе.", "cyrillic"),
        ("橋は町にあります。", "ja"),
        ("桥在城里。", "han"),
        ("Bergvik 1932", None),
        ("", None),
    ],
)
def test_languages_are_told_apart_where_they_can_be(text: str, language: str | None) -> None:
    assert language_of(text) == language
