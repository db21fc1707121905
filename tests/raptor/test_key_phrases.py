from collections.abc import Callable

import numpy as np

from graph_store.bundles import Collection
from raptor.audience import audience_views
from raptor.key_phrases import KeyPhrases

TEXTS = {
    "a": ["The Deep Space Network tracks probes. Antennas hear faint probes."],
    "b": ["A probe calls the Deep Space Network. The antennas were listening."],
    "c": ["Painters hung canvases in the gallery. The gallery sold one canvas."],
    "d": ["The gallery shows painters. Their canvases hang in rows."],
}


def _phrases(make_collection: Callable[..., Collection]) -> KeyPhrases:
    (view,) = audience_views(make_collection(TEXTS, titles=dict.fromkeys(TEXTS, "")))
    return KeyPhrases(view)


def test_group_is_told_from_the_rest(make_collection: Callable[..., Collection]) -> None:
    phrases = _phrases(make_collection)
    assert phrases.of(np.array([0, 1]), 2) == ("Deep Space Network", "antennas")
    assert set(phrases.of(np.array([2, 3]), 2)) == {"canvases", "gallery"}


def test_phrases_do_not_repeat_each_other_or_what_is_taken(make_collection: Callable[..., Collection]) -> None:
    chosen = _phrases(make_collection).of(np.array([0, 1]), 8, taken=("Antenna",))
    words = [word for phrase in chosen for word in phrase.casefold().split()]
    assert len(set(words)) == len(words)
    assert not {"probe", "probes"} <= set(words)
    assert "antennas" not in words


def test_no_chunks_and_no_words_give_no_phrases(make_collection: Callable[..., Collection]) -> None:
    assert _phrases(make_collection).of(np.zeros(0, dtype=np.int64), 3) == ()
    (view,) = audience_views(make_collection({"d": ["1 2 3."]}, titles={"d": ""}))
    assert KeyPhrases(view).of(np.array([0]), 3) == ()


def test_whole_collection_has_phrases_too(make_collection: Callable[..., Collection]) -> None:
    assert len(_phrases(make_collection).of(np.arange(4), 3)) == 3
