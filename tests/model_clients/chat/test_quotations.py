"""Quoted words are found where they stand, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_clients.chat.quotations import find_quote

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
