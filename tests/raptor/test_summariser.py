import numpy as np
import pytest

from graph_store.records import SourcedSentence
from raptor.audience import IntVector, SentenceTable, audience_views
from raptor.summariser import (
    MAX_SUMMARY_WORDS,
    choose_parent_sentences,
    choose_sentences,
    quote,
    summary_text,
)
from tests.raptor.text_collections import collection_of

ANTENNA = "The large antenna receives weak radio signals from the distant probe."
ANTENNA_TWICE = "The large antenna receives weak radio signals from that distant probe."
FUEL = "Engineers loaded hydrazine fuel into the tanks before the rocket left."
PAPER = "A committee wrote its budget report about museums during the summer."


def _table(*chunks: str) -> SentenceTable:
    (view,) = audience_views(collection_of({"d": chunks}))
    return view.sentences


def _all(table: SentenceTable) -> IntVector:
    return np.arange(len(table.sentences), dtype=np.int64)


def _texts(table: SentenceTable, rows: IntVector) -> list[str]:
    return [sentence.text for sentence in quote(table, rows)]


def test_no_sentences_no_summary() -> None:
    table = _table(ANTENNA)
    assert len(choose_sentences(table, np.zeros(0, dtype=np.int64), limit=3)) == 0


def test_near_duplicates_are_said_once() -> None:
    table = _table(" ".join([ANTENNA, ANTENNA_TWICE, FUEL, ANTENNA, PAPER, FUEL]))
    chosen = _texts(table, choose_sentences(table, _all(table), limit=6))
    assert len({text in (ANTENNA, ANTENNA_TWICE) for text in chosen}) == 2
    assert sum(text in (ANTENNA, ANTENNA_TWICE) for text in chosen) == 1


def test_equal_texts_give_one_sentence() -> None:
    table = _table(*[ANTENNA] * 9)
    assert _texts(table, choose_sentences(table, _all(table), limit=6)) == [ANTENNA]


def test_fragments_are_skipped_where_there_are_sentences() -> None:
    table = _table(f"# Antennas.\n{ANTENNA} Big dish? {FUEL}")
    assert _texts(table, choose_sentences(table, _all(table), limit=6)) == [ANTENNA, FUEL]


def test_fragments_serve_where_there_is_nothing_else() -> None:
    table = _table("Antennas.")
    assert _texts(table, choose_sentences(table, _all(table), limit=6)) == ["Antennas."]


def test_text_without_words_gives_nothing() -> None:
    table = _table("---.", "***!")
    assert _texts(table, choose_sentences(table, _all(table), limit=6)) == []


def test_every_theme_is_covered_in_document_order() -> None:
    about_fuel = [FUEL.replace("Engineers", name) for name in ("Workers", "Technicians", "Robots")]
    about_dish = [ANTENNA.replace("large", size) for size in ("huge", "giant", "white")]
    other = "Violin makers in the old town varnish instruments with secret recipes."
    table = _table(*about_dish, *about_fuel, PAPER, other, PAPER.replace("museums", "bridges"))
    chosen = _texts(table, choose_sentences(table, _all(table), limit=3))
    assert [text in about_dish for text in chosen] == [True, False, False]
    assert chosen[1] in about_fuel
    assert chosen[2] == PAPER


def test_summary_is_a_quarter_of_a_short_text() -> None:
    words = ["red", "blue", "green", "black", "white", "brown", "pink", "grey", "golden"]
    table = _table(*[f"The {word} {word} {word} bird was seen in the garden." for word in words])
    assert len(choose_sentences(table, _all(table), limit=6)) == 3
    assert len(choose_sentences(table, _all(table), limit=2)) == 2


def test_emphasis_turns_the_choice() -> None:
    table = _table(ANTENNA, FUEL, PAPER)
    emphasis = np.ones(3, dtype=np.float32)
    emphasis[2] = 10.0
    assert _texts(table, choose_sentences(table, _all(table), limit=1, emphasis=emphasis)) == [PAPER]


def test_parent_adds_what_children_left_out() -> None:
    table = _table(ANTENNA, ANTENNA_TWICE, FUEL, PAPER)
    chosen = choose_parent_sentences(table, np.array([0]), _all(table), limit=6)
    assert 0 in chosen.tolist()
    assert set(chosen.tolist()) & {2, 3}


def test_long_texts_are_bounded() -> None:
    table = _table(*[f"The bird number {n} was seen in garden {n * 7} of the city." for n in range(450)])
    assert len(choose_sentences(table, _all(table), limit=6)) == 6


def test_spans_quote_their_chunk() -> None:
    collection = collection_of({"d": [f"{ANTENNA} {FUEL}", PAPER]})
    (view,) = audience_views(collection)
    chunks = {chunk.id: chunk.text for chunk in collection.chunks}
    for sentence in view.sentences.sentences:
        assert chunks[sentence.chunk_ids[0]][sentence.char_start : sentence.char_end] == sentence.text


@pytest.mark.parametrize("words", [1, 40, 140, 400])
def test_summary_text_keeps_to_its_budget(words: int) -> None:
    sentences = [SourcedSentence(text="word " * words, chunk_ids=("c",)) for _ in range(4)]
    text = summary_text("A title", sentences)
    assert text.startswith("A title\nword")
    assert len(text.split()) <= MAX_SUMMARY_WORDS
    assert len(text.split()) >= min(2 + words, MAX_SUMMARY_WORDS)


def test_summary_text_without_title_or_sentences() -> None:
    assert summary_text("", ()) == ""
    assert summary_text("Title", ()) == "Title"
