"""Names that titles and headings give."""

import pytest

from indexing.extraction.titles import heading_name, is_capitalised, is_date_like, title_names


def test_title_with_brackets_and_comma_gives_three_names() -> None:
    title = title_names("Paris, Texas (city)")
    assert title is not None
    assert title.names == ("Paris, Texas (city)", "Paris, Texas", "Paris")
    assert (title.name, title.qualifier, title.after_comma) == ("Paris, Texas", "city", "Texas")


def test_list_in_a_title_has_no_short_form() -> None:
    title = title_names("Crosby, Stills, Nash & Young")
    assert title is not None
    assert title.names == ("Crosby, Stills, Nash & Young",)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "  ",
        "(draft)",
        "2026-04-08",
        "Chat 2026-04-08 :",
        "4 March 1895",
        "Notes of March 4, 1895",
        "Introduction",
        "42",
        "an experimental study of a wing in a propeller slipstream",
    ],
)
def test_title_that_names_nothing(title: str) -> None:
    assert title_names(title) is None


def test_name_with_a_number_is_no_date() -> None:
    assert not is_date_like("Apollo 11")
    assert not is_date_like("The battles of 4 July 1863 near Gettysburg")


def test_heading_loses_its_number() -> None:
    assert heading_name("3.2 Canberra Complex") == "Canberra Complex"
    assert heading_name("IV. Madrid") == "Madrid"


@pytest.mark.parametrize("heading", ["References", "3. Results", "Chapter 4", "What is it?", "See also", "1."])
def test_generic_heading_names_nothing(heading: str) -> None:
    assert heading_name(heading) is None


def test_capitalised_headings_are_like_names() -> None:
    assert is_capitalised("Deep Space Network")
    assert is_capitalised("Bank of England")
    assert is_capitalised("Hayabusa2")
    assert is_capitalised("CFDP")
    assert not is_capitalised("How the network works")
    assert not is_capitalised("Antennas")
