import pytest

from graph_store.records import Chunk, Sentence
from query.table_rows import table_header, told_row

TABLE = "Masts by year.\n\n| Year | Mast | Height |\n|---|:---:|---|\n| 1931 | Old mast | 40 m |\n| 1960 | New mast | |"


def chunk(text: str, context: str = "") -> Chunk:
    return Chunk(
        id="c",
        document_id="d",
        document_version=1,
        text=text,
        heading_path=(),
        char_start=0,
        char_end=len(text),
        position=0,
        context=context,
    )


def span(text: str, part: str) -> Sentence:
    start = text.index(part)
    return Sentence(chunk_id="c", position=0, char_start=start, char_end=start + len(part))


@pytest.mark.parametrize("row", ["| 1931 | Old mast | 40 m |", "| 1960 | New mast | |"])
def test_the_header_stands_above_the_rule(row: str) -> None:
    assert table_header(chunk(TABLE), span(TABLE, row)) == "| Year | Mast | Height |"


def test_the_header_of_a_table_that_goes_on_stands_in_the_context() -> None:
    rows = "| 1931 | Old mast |\n| 1960 | New mast |"
    assert table_header(chunk(rows, "| Year | Mast |"), span(rows, "| 1960 | New mast |")) == "| Year | Mast |"
    assert table_header(chunk(rows), span(rows, "| 1960 | New mast |")) == ""


def test_prose_below_a_table_has_no_header() -> None:
    text = TABLE + "\n\nBoth stand."
    assert table_header(chunk(text), span(text, "Both stand.")) == ""


def test_a_row_of_pipes_without_a_rule_has_no_header() -> None:
    text = "See below.\n| 1931 | Old mast |"
    assert table_header(chunk(text, "| Year | Mast |"), span(text, "| 1931 | Old mast |")) == ""


@pytest.mark.parametrize(
    ("row", "header", "told"),
    [
        ("| 1931 | Old mast |", "| Year | Mast |", "Year: 1931; Mast: Old mast"),
        ("| 1931 | |", "| Year | Mast |", "Year: 1931"),
        ("| Reach | 9 km |", "|  | Old mast |", "Reach; Old mast: 9 km"),
        (r"| a \| b | c |", "| One | Two: |", "One: a | b; Two: c"),
        ("| 1931 | Old mast | 40 m |", "| Year | Mast |", "| 1931 | Old mast | 40 m |"),
        ("Prose.", "", "Prose."),
    ],
)
def test_cells_are_told_with_their_heads(row: str, header: str, told: str) -> None:
    assert told_row(row, header) == told
