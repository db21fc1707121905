"""Acronyms, surnames and shortened organisations within one document."""

import pytest

from graph_store.ids import name_key
from indexing.extraction.aliases import TypedName, canonical_names, find_acronyms, is_acronym, without_middle_names


def canonical(*names: tuple[str, str], acronyms: dict[str, str] | None = None) -> dict[str, str]:
    typed = [TypedName(name=name, type=kind, count=1, first=first) for first, (name, kind) in enumerate(names)]
    found = canonical_names(typed, acronyms or {})
    return {name: found[name_key(name), kind] for name, kind in names}


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("The Deep Space Network (DSN) listens", "DSN", "Deep Space Network"),
        ("the Committee for Space Data Systems, CSDS, was founded", "CSDS", "Committee for Space Data Systems"),
        ("the North Atlantic Treaty Organization (NATO; French: OTAN)", "NATO", "North Atlantic Treaty Organization"),
        ("He studies artificial intelligence (AI).", "AI", "artificial intelligence"),
        ("University of California, Los Angeles (UCLA)", "UCLA", "University of California, Los Angeles"),
    ],
)
def test_acronym_behind_its_long_form(text: str, short: str, long: str) -> None:
    (found,) = find_acronyms(text)
    assert (found.short, found.long, text[found.start : found.end]) == (short, long, long)


@pytest.mark.parametrize(
    "text", ["he won (the USA)", "a dish (DSN)", "(DSN)", "Deep learning, NLP, and vision", "The Dog (CAT)"]
)
def test_bracket_that_explains_nothing(text: str) -> None:
    assert find_acronyms(text) == ()


def test_what_is_an_acronym() -> None:
    assert is_acronym("DSN")
    assert is_acronym("U.S.")
    assert not is_acronym("Curie")
    assert not is_acronym("DeVito")
    assert not is_acronym("NASA Center")


def test_acronym_goes_by_its_long_form() -> None:
    found = canonical(("DSN", "ORG"), acronyms={"dsn": "Deep Space Network"})
    assert found["DSN"] == "Deep Space Network"


def test_surname_and_first_name_stand_for_the_only_full_name() -> None:
    found = canonical(("Marie Curie", "PERSON"), ("Curie", "PERSON"), ("Marie", "PERSON"), ("Curie", "ORG"))
    assert found["Curie"] == found["Marie"] == "Marie Curie"


def test_surname_of_two_people_stands_for_neither() -> None:
    found = canonical(("Marie Curie", "PERSON"), ("Pierre Curie", "PERSON"), ("Curie", "PERSON"), ("Marie", "PERSON"))
    assert found["Curie"] == "Curie"
    assert found["Marie"] == "Marie Curie"


def test_middle_initial_makes_another_person() -> None:
    found = canonical(("John Doe", "PERSON"), ("John T. Doe", "PERSON"), ("Doe", "PERSON"))
    assert found == {"John Doe": "John Doe", "John T. Doe": "John T. Doe", "Doe": "Doe"}


def test_place_with_a_persons_surname_stays() -> None:
    assert canonical(("George Washington", "PERSON"), ("Washington", "PLACE"))["Washington"] == "Washington"


def test_organisation_is_shortened_only_after_its_full_name() -> None:
    full, short = ("Sun Hung Kai Properties", "ORG"), ("Sun Hung Kai", "ORG")
    assert canonical(full, short)["Sun Hung Kai"] == "Sun Hung Kai Properties"
    assert canonical(short, full)["Sun Hung Kai"] == "Sun Hung Kai"


def test_one_word_is_too_little_but_for_company_words() -> None:
    assert canonical(("Acme Corporation", "ORG"), ("Acme", "ORG"))["Acme"] == "Acme Corporation"
    assert canonical(("Treia Cathedral", "ORG"), ("Treia", "ORG"))["Treia"] == "Treia"


def test_spellings_of_one_key_share_the_most_frequent() -> None:
    names = [
        TypedName(name="Electrons", type="ORG", count=1, first=0),
        TypedName(name="electrons", type="ORG", count=2, first=1),
    ]
    assert canonical_names(names, {}) == {("electrons", "ORG"): "electrons"}


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Ada King Lovelace", "Ada Lovelace"),
        ('Andrew Alan "Drew" Fuller', "Andrew Fuller"),
        ("John T. Doe", None),
        ("John T Doe", None),
        ("Otto von Bismarck", None),
        ("Marie Curie", None),
        ("Martin Luther King Jr.", None),
        ("", None),
    ],
)
def test_middle_names(name: str, short: str | None) -> None:
    assert without_middle_names(name) == short
