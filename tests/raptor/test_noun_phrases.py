from hypothesis import given
from hypothesis import strategies as st

from raptor.noun_phrases import NounPhrases, runs_of, singular

TEXT = (
    "The antenna of the station failed. Engineers repaired the antenna and the mast. A mast hears radio. "
    "In the station the engineer slept. They quickly repaired it. The antennas of the station were large."
)


def _keys(text: str, sample: str = TEXT) -> set[str]:
    return {key for key, _ in NounPhrases([runs_of(sample)]).of(runs_of(text))}


def test_nouns_are_words_that_follow_articles_and_end_phrases() -> None:
    assert {"antenna", "station"} <= _keys(TEXT)


def test_verbs_and_adverbs_are_no_nouns() -> None:
    assert _keys(TEXT).isdisjoint({"failed", "repaired", "quickly", "slept", "hear"})


def test_what_was_learned_of_words_holds_where_no_article_stands() -> None:
    assert "antenna" in _keys("antennas everywhere")


def test_names_are_no_noun_phrases() -> None:
    assert "station" not in _keys("They saw Station and more.")


def test_a_plural_and_its_singular_are_one_phrase_in_two_forms() -> None:
    found = list(NounPhrases([runs_of(TEXT)]).of(runs_of("the antenna, the antennas")))
    assert found == [("antenna", "antenna"), ("antenna", "antennas")]


def test_a_possessive_ends_a_phrase() -> None:
    assert "station antenna" not in _keys("the station's antenna")
    assert {"station", "antenna"} <= _keys("the station's antenna")


def test_words_that_measure_are_no_themes() -> None:
    sample = "The number of the year. In the number of the year."
    assert _keys(sample, sample) == set()


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_surfaces_are_in_lower_case_and_keys_never_empty(text: str) -> None:
    for key, surface in NounPhrases([runs_of(text)]).of(runs_of(text)):
        assert key.strip()
        assert surface == surface.casefold()


def test_singular_leaves_words_that_only_look_plural() -> None:
    assert [singular(word) for word in ("dishes", "bodies", "crisis", "glass", "gas", "orbits")] == [
        "dish",
        "body",
        "crisis",
        "glass",
        "gas",
        "orbit",
    ]
