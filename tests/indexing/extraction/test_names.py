"""What counts as a name."""

import pytest

from indexing.extraction.names import find_names, is_name, trim_name


def names_in(text: str, *entities: tuple[str, str], known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    spans = [(text.index(part), text.index(part) + len(part), label) for part, label in entities]
    found = find_names(text, spans, known=known, max_words=8)
    return [(text[name.start : name.end], name.type) for name in found]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the Deep Space Network", "Deep Space Network"),
        ("NASA's", "NASA"),
        ("James\u2019", "James"),
        ('"Apollo 11",', "Apollo 11"),
        ("U.S.", "U.S."),
        ("Apple Inc.", "Apple Inc."),
        ("Canberra.", "Canberra"),
        ("AT&T", "AT&T"),
        ("caf\u00e9", "caf\u00e9"),
        ("Goldstone)", "Goldstone"),
        ("Parkes (radio telescope)", "Parkes (radio telescope)"),
        ("the Zoo and", "Zoo"),
        ("C++", "C++"),
    ],
)
def test_trimming(text: str, name: str) -> None:
    assert trim_name(text) == name


@pytest.mark.parametrize(
    "name", ["M\u00fcller", "\u5317\u4eac", "AT&T", "U.S.", "Caf\u00e9", "\u0627\u0644\u0642\u0627\u0647\u0631\u0629"]
)
def test_names_of_all_scripts_survive(name: str) -> None:
    assert is_name(name, 8)
    assert names_in(f"He left {name} early", (name, "ORG")) == [(name, "ORG")]


@pytest.mark.parametrize("text", ["", "x", "X", "1969", "12th", "3.5 km", "internet", "www.Example.org", "A b " * 5])
def test_what_is_no_name(text: str) -> None:
    assert not is_name(text.strip(), 8)


@pytest.mark.parametrize(
    "identifier",
    ["DSS-43", "ORA-01555", "CCSDS 131.0-B", "RFC 2616", "CVE-2023-1234", "3RT2015-1BB41", "1962-041A"],
)
def test_identifiers(identifier: str) -> None:
    assert names_in(f"see {identifier}, please") == [(identifier, "IDENTIFIER")]


@pytest.mark.parametrize(
    "text", ["in NATO 1999 grew", "well-known 42-ish", "2019-03-04", "THE BIG SALE 2500 NOW OPEN", "x-1"]
)
def test_what_is_no_identifier(text: str) -> None:
    assert names_in(text) == []


def test_types_come_from_labels_and_other_labels_are_dropped() -> None:
    text = "Marie Curie left Warsaw in 1891 for the Sorbonne"
    found = names_in(text, ("Marie Curie", "PERSON"), ("Warsaw", "GPE"), ("1891", "DATE"), ("the Sorbonne", "ORG"))
    assert found == [("Marie Curie", "PERSON"), ("Warsaw", "PLACE"), ("Sorbonne", "ORG")]


def test_identifier_wins_over_the_parser() -> None:
    assert names_in("the DSS-43 antenna", ("the DSS-43 antenna", "ORG")) == [("DSS-43", "IDENTIFIER")]


def test_known_name_wins_over_its_parts_but_not_over_a_longer_name() -> None:
    text = "The Herbert Museum and Park is not the Herbert Museum and Park Society"
    found = find_names(text, [(4, 18, "ORG"), (39, 70, "ORG")], known=("Herbert Museum and Park",), max_words=8)
    assert [text[name.start : name.end] for name in found] == [
        "Herbert Museum and Park",
        "Herbert Museum and Park Society",
    ]


def test_known_name_is_found_as_whole_words_only() -> None:
    assert names_in("Rednet and Red", known=("Red",)) == [("Red", "TOPIC")]


def test_shouted_person_is_an_organisation() -> None:
    assert names_in("JAXA built it", ("JAXA", "PERSON")) == [("JAXA", "ORG")]
