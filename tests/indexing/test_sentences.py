import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.sentences import sentence_spans
from tests.indexing.chunking.checked import check_spans_cover


def sentences(text: str) -> list[str]:
    spans = sentence_spans(text)
    check_spans_cover(text, spans)
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    "expected",
    [
        ["The U.S. Navy sailed in 1910.", "It returned to the U.S.", "In 1911, J. R. Smith wrote a book."],
        ["He was born in Washington, D.C.", "He later moved to L.A. where he died at 5 p.m. on Sunday."],
        ["He paid $3.50 for No. 5.", "Dr. Jones et al. disagreed (see Fig. 2)."],
        ['"Why?" he asked.', '"I don\'t know."', "She left!"],
        ["Visit https://example.com/a.b?c=d.", "Then e-mail a.b@c.org.", "It costs approx. 5 kg."],
        ["Mr. and Mrs. Brown vs. the State of Ohio, Inc. filed on Jan. 5, 2010.", "St. Petersburg is cold."],
        ["George W. Bush was president.", "We chose plan B.", "Then we stopped."],
        ["The album was released by Yahoo! in May.", "It has 12 tracks."],
        ["Version 2.3.1 was released.", "See section 4.2.", "The end"],
        ["One (which was long. Very long.) sentence.", "Another one."],
    ],
)
def test_boundaries_in_running_text(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_chinese_and_japanese_stops() -> None:
    expected = ["北京是中国的首都。", "它有很多人\uff01", "你去过吗\uff1f", "「はい。」", "そうです。"]
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["# 1. Introduction. Aims", "The text begins here."],
        ["- the first item", "- the second item", "* a third", "1. a fourth", "2) a fifth", "• a sixth"],
        ["| DSS-43 | approx. 70 m. Large |", "| DSS-35 | 34 m |"],
        ["Alice: hi, are you there", "Bob Smith: yes", "[10:32] Carol: me too", "<dave> and I"],
        ["12:01 Alice: hi", "12:02 Bob: hello"],
        ["A Short Title", "The text below it is a good deal longer than the title that stands above it."],
        ["Title\n-----", "The text below."],
        ["| name | size |\n|---|---|", "| a | 1 |"],
    ],
)
def test_lines_that_stand_alone(lines: list[str]) -> None:
    assert sentences("\n".join(lines)) == lines


def test_two_sentences_in_one_line_of_a_chat() -> None:
    assert sentences("Alice: Hi! We meet at ten. Fine?\nBob: Yes.")[1:] == ["We meet at ten.", "Fine?", "Bob: Yes."]


def test_wrapped_lines_are_joined() -> None:
    expected = [
        "The large dish was built in the valley that shields it from the\nnoise of the capital.",
        "It was enlarged in 1987 and\noverhauled in 2020.",
    ]
    assert sentences(" ".join(expected)) == expected


def test_a_blank_line_ends_a_sentence() -> None:
    for blank in ("\n\n", "\r\n\r\n", "\n \t\n", "\n\n\n"):
        assert sentences(f"No full stop{blank}none here") == ["No full stop", "none here"]


@pytest.mark.parametrize("text", ["", " ", "\n\n \t"])
def test_nothing_to_split(text: str) -> None:
    assert sentence_spans(text) == []


@given(st.text(alphabet=st.sampled_from("aB .!?|-#:*`=1。(\"')\n\r\t\u2028\u00a0\u200b"), max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_text_is_covered(text: str) -> None:
    check_spans_cover(text, sentence_spans(text))


@given(st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_any_characters_are_covered(text: str) -> None:
    check_spans_cover(text, sentence_spans(text))


@pytest.mark.parametrize(
    "unit",
    ["a", ".", ".-", "?! ", "A. ", "U.S. ", "(", '"', "- ", "|-", "x.y/", "/", " ", "a\n", "\u200b.", "1. ", ":"],
)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit)) + "a"
        start = time.process_time()
        sentence_spans(text)
        return time.process_time() - start

    # A quadratic search would take 16 times as long for four times the text, and seconds for the longer one, each time;
    # a busy machine may do that once.
    assert any(seconds(40_000) < 8 * seconds(10_000) + 0.3 for _ in range(5))
