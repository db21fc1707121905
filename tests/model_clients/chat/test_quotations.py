"""Quoted words are found where they stand, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_clients.chat.quotations import SearchedText, find_quote

TEXT = "The bridge, built\nin 1932, is “old”. It\u2019s 503 m long \u2013 or so. Straße."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("built in 1932", "built\nin 1932"),
        ('"The bridge, built in 1932, is "old"."', "The bridge, built\nin 1932, is “old"),
        ("it's 503 m long - or so", "It\u2019s 503 m long \u2013 or so"),
        ("STRASSE", "Straße"),
        ("built\n| in 1932", "built\nin 1932"),
    ],
)
def test_a_quote_is_found_as_it_stands(quote: str, found: str) -> None:
    span = find_quote(TEXT, quote)
    assert span is not None
    assert TEXT[span[0] : span[1]] == found


@pytest.mark.parametrize(
    "quote", ["", " ", '"."', "built in 1933", "uilt in 1932", "built in 193", "The bridge is old"]
)
def test_what_does_not_stand_there_is_not_found(quote: str) -> None:
    assert find_quote(TEXT, quote) is None


@given(st.text(alphabet="ab \n“.", min_size=1, max_size=30), st.integers(0, 29), st.integers(0, 29))
def test_a_span_lies_within_the_text(text: str, one: int, other: int) -> None:
    span = find_quote(text, text[min(one, other) : max(one, other)])
    assert span is None or 0 <= span[0] < span[1] <= len(text)


def test_all_places_are_found_in_order() -> None:
    assert list(SearchedText("An ant and an Ant, antic.").find_all("ant")) == [(3, 6), (14, 17)]
    assert list(SearchedText("aa aa").find_all("aa aa aa")) == []


def test_names_of_scripts_without_blanks_are_found_within_a_run() -> None:
    assert list(SearchedText("我在北京大学、离开北京。").find_all("北京")) == [(2, 4), (9, 11)]
    assert list(SearchedText("Visit東京today").find_all("東京")) == [(5, 7)]
