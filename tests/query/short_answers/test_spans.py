import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.short_answers.spans import SpanKind, spans_of
from query.short_answers.words import words_of


def texts(sentence: str, kind: SpanKind) -> set[str]:
    return {sentence[span.start : span.end] for span in spans_of(sentence) if span.kind == kind}


@pytest.mark.parametrize(
    ("sentence", "date"),
    [
        ("She was born on 12 May 1705 in Bergvik.", "12 May 1705"),
        ("The tower opened on May 12, 1905.", "May 12, 1905"),
        ("In 1931 the lamp became electric.", "1931"),
        ("It flourished in the early 19th century.", "early 19th century"),
        ("The shop shuts at 3 a.m. on Sundays.", "3 a.m"),
    ],
)
def test_dates_are_found_as_they_are_written(sentence: str, date: str) -> None:
    assert date in {text.rstrip(".") for text in texts(sentence, "date")}


def test_amounts_come_alone_and_with_what_they_count() -> None:
    assert {"16,384", "16,384 states"} <= texts("The decoder had 16,384 states.", "number")
    assert "150 million" in texts("It sold 150 million records.", "number")
    assert "twice" in texts("He was premier twice.", "number")
    assert not texts("Ida Holm was an engineer.", "number")
    assert "2" not in texts("The pump delivers [2] 500 litres [99].", "number")


def test_names_come_whole_and_in_their_parts() -> None:
    found = texts("The house moved to Columbus, Ohio after Ida Holm of Bergvik died.", "name")
    assert {"Columbus, Ohio", "Columbus", "Ohio", "Ida Holm", "Ida Holm of Bergvik"} <= found
    assert "Hank Williams, Jr" in texts("It was sung by Hank Williams, Jr. in Oslo.", "name")


def test_quoted_titles_and_short_phrases_are_found() -> None:
    assert "Mad About You" in texts('She starred in "Mad About You" for years.', "quoted")
    assert "urban landscapes" in texts("He is known for precise depictions of urban landscapes.", "phrase")


def test_no_words_give_no_spans() -> None:
    assert spans_of("") == spans_of("… --") == ()


@given(st.text(max_size=120))
def test_spans_are_whole_words_of_the_sentence(sentence: str) -> None:
    words = words_of(sentence)
    assert all(sentence[word.start : word.end] == word.text for word in words)
    for span in spans_of(sentence):
        assert 0 <= span.first <= span.last < len(words)
        assert (span.start, span.end) == (words[span.first].start, words[span.last].end)
    assert len({(span.first, span.last) for span in spans_of(sentence)}) == len(spans_of(sentence))
