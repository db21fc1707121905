import numpy as np

from raptor.audience import audience_views
from raptor.theme_titles import Themes, ThemeTitles, listed
from tests.raptor.text_collections import collection_of

TEXTS = {
    "a": ["The antenna of the station turned. They heard the signals.", "An antenna of the station, and the signal."],
    "b": ["The signals of the antenna were weak.", "A station with an antenna stood in the valley."],
    "c": ["The painter in the gallery slept.", "The canvas of the painter hung in the gallery."],
    "d": ["A painter bought the canvas.", "In the gallery the painters met."],
}
SIGNALS = np.arange(0, 4, dtype=np.int64)
PAINTERS = np.arange(4, 8, dtype=np.int64)


def _themes() -> Themes:
    (view,) = audience_views(collection_of(TEXTS))
    return Themes(view)


def _titles() -> ThemeTitles:
    return ThemeTitles(_themes())


def test_titles_are_made_of_the_nouns_that_tell_a_group() -> None:
    assert {"antenna", "stations"} >= {_titles().title(SIGNALS, []).split(" and ")[0].casefold()}
    assert _titles().title(PAINTERS, []).split(" and ")[0] in {"Gallery", "Painters", "Canvas"}


def test_names_follow_that_repeat_no_word() -> None:
    title = _titles().title(PAINTERS, ["Gallery Club", "Rosa", "Rosa Bonheur", "Corot", "Millet"])
    assert title.endswith(": Rosa, Corot")


def test_no_title_is_made_twice() -> None:
    titles = _titles()
    made = [titles.title(SIGNALS, ["Ada"]) for _ in range(6)]
    assert len(set(made)) == len(made)


def test_no_word_stands_twice() -> None:
    phrases = _themes().phrases(SIGNALS, 10)
    words = " ".join(phrases).split()
    assert len(set(words)) == len(words)
    assert "antenna" not in _themes().phrases(SIGNALS, 10, taken=("antennas",))


def test_lists_read_as_english() -> None:
    assert listed(("antennas", "dishes", "noise")) == "Antennas, dishes and noise"
    assert listed(("antennas",)) == "Antennas"
    assert listed(()) == ""


def test_a_group_without_words_has_the_names_alone() -> None:
    (view,) = audience_views(collection_of({"a": ["1 2 3"]}))
    assert ThemeTitles(Themes(view)).title(np.array([0]), ["Ada"]) == "Ada"
    assert ThemeTitles(Themes(view)).title(np.array([0]), []) == ""
