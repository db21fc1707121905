import pytest

from belvedere.similar_names import similar_names

KNOWN = ("Ed Stone", "Voyager 1", "Jet Propulsion Laboratory", "Boston", "éa")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Voyger", " (similar: Voyager 1)"),
        ("laboratry", " (similar: Jet Propulsion Laboratory)"),
        ("ed ston", " (similar: Ed Stone, Boston)"),
        ("Propulsio Jet", ""),
        ("xyzzy", ""),
        ("", ""),
    ],
)
def test_near_names(name: str, hint: str) -> None:
    assert similar_names(name, KNOWN) == hint


def test_there_are_never_more_than_three() -> None:
    assert similar_names("Anne", [f"Anna {letter}" for letter in "abcdefgh"]).count(",") == 2


def test_nothing_is_known() -> None:
    assert similar_names("Anna", ()) == ""
