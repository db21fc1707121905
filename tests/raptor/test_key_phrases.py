import numpy as np

from raptor.audience import audience_views
from raptor.key_phrases import KeyPhrases
from tests.raptor.text_collections import collection_of

TEXTS = {
    "a": ["The Deep Space Network tracks probes. Antennas hear faint probes."],
    "b": ["A probe calls the Deep Space Network. The antennas were listening."],
    "c": ["Painters hung canvases in the gallery. The gallery sold one canvas."],
    "d": ["The gallery shows painters. Their canvases hang in rows."],
}


def _phrases() -> KeyPhrases:
    (view,) = audience_views(collection_of(TEXTS, titles=dict.fromkeys(TEXTS, "")))
    return KeyPhrases(view)


def test_group_is_told_from_the_rest() -> None:
    phrases = _phrases()
    assert phrases.of(np.array([0, 1]), 2) == ("Deep Space Network", "antennas")
    assert set(phrases.of(np.array([2, 3]), 2)) == {"canvases", "gallery"}


def test_phrases_do_not_repeat_each_other_or_what_is_taken() -> None:
    chosen = _phrases().of(np.array([0, 1]), 8, taken=("Antenna",))
    words = [word for phrase in chosen for word in phrase.casefold().split()]
    assert len(set(words)) == len(words)
    assert not {"probe", "probes"} <= set(words)
    assert "antennas" not in words


def test_no_chunks_and_no_words_give_no_phrases() -> None:
    assert _phrases().of(np.zeros(0, dtype=np.int64), 3) == ()
    (view,) = audience_views(collection_of({"d": ["1 2 3."]}, titles={"d": ""}))
    assert KeyPhrases(view).of(np.array([0]), 3) == ()


def test_whole_collection_has_phrases_too() -> None:
    assert len(_phrases().of(np.arange(4), 3)) == 3
