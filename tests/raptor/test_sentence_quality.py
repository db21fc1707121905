import pytest

from raptor.sentence_quality import sentence_quality

WHOLE = "The antenna received the last signals of the probe in 1997."


@pytest.mark.parametrize(
    "fragment",
    [
        "",
        "   ",
        "...",
        "# History of the network",
        "| Antenna | 70 m | 1966 |",
        "- first item of a list that goes on",
        "3. Results of the survey that was made",
        "Deep Space Network Annual Report",
        "What did the probe find on its way to Jupiter?",
        "The instruments were the following:",
        "12.5 13.8 44.1 99.2 of 100.3 and 77.1",
        "In 1997.",
        "the long history of a small network of antennas",
        "天线。",
    ],
)
def test_fragments_have_no_quality(fragment: str) -> None:
    assert sentence_quality(fragment) == 0.0


@pytest.mark.parametrize(
    "sentence",
    [
        WHOLE,
        "*Voyager 2* was launched sixteen days before its twin.",
        "Die Antenne empfing im Jahr 1997 die letzten Signale der Sonde.",
        "该天线于一九九七年接收到探测器的最后信号。",
        "Антенна приняла последние сигналы зонда в этом году.",
    ],
)
def test_whole_sentences_of_any_language_count(sentence: str) -> None:
    assert sentence_quality(sentence) > 0.7


@pytest.mark.parametrize(
    "worse",
    [
        "It received the last signals of the probe in 1997.",
        "The antenna received the last signals of the probe in 1997",
        'It was late."\n\nThe antenna received the last signals of the probe in 1997.',
        'The antenna received the last signals of the probe in 1997, "he said.',
        "The antenna " + "received the last signals of the probe " * 9 + "in 1997.",
        "The antenna was idle.".replace("was", "was then rather"),
    ],
)
def test_sentences_that_lean_or_run_on_count_less(worse: str) -> None:
    assert 0.0 < sentence_quality(worse) < sentence_quality(WHOLE)
