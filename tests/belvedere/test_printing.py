import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.cli.printing import clean, say, say_json, shown_bytes, shown_times, wrapped


@given(st.text())
def test_no_control_character_reaches_the_terminal(text: str) -> None:
    assert not any((ord(letter) < 32 and letter not in "\t\n") or 127 <= ord(letter) < 160 for letter in clean(text))


def test_escape_sequences_and_turned_text_are_taken_out() -> None:
    assert clean("\x1b[31mred\u202eder\r\n\tok") == "[31mredder\n\tok"


@given(st.text(alphabet="ab \n", max_size=400))
def test_wrapping_keeps_the_words(text: str) -> None:
    assert wrapped(text, indent="  ").split() == text.split()


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (2_500_000, "2.5 MB"),
        (3.2e9, "3.2 GB"),
        (9e12, "9000.0 GB"),
    ],
)
def test_sizes(size: float, shown: str) -> None:
    assert shown_bytes(int(size)) == shown


def test_times() -> None:
    assert shown_times({"embed": 7.6, "route": 0.2, "total": 41.2}) == "41 ms (embed 8)"
    assert shown_times({"a": 1.0, "b": 2.0}) == "3 ms (a 1, b 2)"


@pytest.mark.parametrize(("encoding", "printed"), [("utf-8", '{"a": "é?"}'), ("ascii", '{"a": "\\u00e9\\udc80"}')])
def test_json_fits_the_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str, printed: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    say_json({"a": "é\udc80"})
    assert stream.buffer.getvalue().decode(encoding) == printed + "\n"


def test_json_has_no_numbers_that_json_lacks() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        say_json({"a": float("nan")})


def test_text_that_an_old_terminal_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    say("é")
    assert stream.buffer.getvalue() == b"?\n"
