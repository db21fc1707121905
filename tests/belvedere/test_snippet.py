from hypothesis import given
from hypothesis import strategies as st

from belvedere.cli.snippet import snippet

TEXT = "The start of it says nothing. " * 10 + "A ruby maser served in the Venus radar. " + "Then came the rest. " * 10


def test_a_short_text_is_shown_whole() -> None:
    assert snippet("one\n two", "two?", length=80) == "one two"


def test_the_words_of_the_question_are_shown() -> None:
    shown = snippet(TEXT, "Which masers served the radar?", length=80)
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert "ruby maser served in the Venus radar" in shown


def test_without_a_word_of_the_question_the_beginning_is_shown() -> None:
    assert snippet(TEXT, "?", length=30) == "The start of it says nothing. …"


@given(st.text(alphabet="ab \n", max_size=300), st.text(alphabet="ab ", max_size=10), st.integers(5, 60))
def test_it_is_a_part_of_the_text_and_fits(text: str, question: str, length: int) -> None:
    shown = snippet(text, question, length=length).removeprefix("… ").removesuffix(" …")
    assert shown in " ".join(text.split())
    assert len(shown) <= max([length, *map(len, text.split())])
