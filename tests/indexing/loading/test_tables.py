import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.loading.tables import markdown_table, parse_csv
from tests.indexing.loading.source_files import load_one, refusal


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = "\n".join(
        delimiter.join(row) for row in (("name", "age", "note"), ("Ann", "3", "x, y; z"[:1]), ("Bo", "4", ""))
    )
    assert parse_csv(text, ",").text.splitlines()[:2] == ["| name | age | note |", "| --- | --- | --- |"]


def test_a_comma_within_cells_does_not_pass_for_the_delimiter() -> None:
    assert parse_csv("name;place\nDoe, Ann;Ulm\nRoe, Bo;Bonn\n", ",").text.splitlines()[2] == "| Doe, Ann | Ulm |"


def test_quotes_line_ends_and_bars_within_cells() -> None:
    assert parse_csv('a,b\n"x ""y""\nz",1|2\n', ",").text.splitlines()[2] == '| x "y" z | 1\\|2 |'


def test_a_tab_separated_file(tmp_path: Path) -> None:
    document = load_one(tmp_path, "a.tsv", "a\tb\n1, 2\t3\n")
    assert document.media_type == "text/tab-separated-values"
    assert document.text.splitlines()[2] == "| 1, 2 | 3 |"


def test_one_column_is_a_table_too(tmp_path: Path) -> None:
    assert load_one(tmp_path, "a.csv", "name\nAnn\nBo\n").text.splitlines() == [
        "| name |",
        "| --- |",
        "| Ann |",
        "| Bo |",
    ]


def test_empty_rows_and_columns_are_left_out() -> None:
    assert markdown_table([["a", "", "b"], ["", "", ""], ["1", " ", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert markdown_table([["", " "], []]) == ""
    assert markdown_table([]) == ""


def test_short_rows_stay_short() -> None:
    table = markdown_table([["x"] * 50_000, *[["1"]] * 1000])
    assert len(table) < 1_000_000


@pytest.mark.parametrize("text", ["", "\n\n", ",,,\n,,,\n"])
def test_a_file_without_cells_is_refused(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, "a.csv", text) == "It holds no text."


@given(
    st.lists(st.lists(st.sampled_from(["a", "b c", "1", "é", 'q"q']), min_size=2, max_size=4), min_size=1, max_size=5)
)
def test_every_cell_of_a_written_file_is_read_back(rows: list[list[str]]) -> None:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    lines = parse_csv(written.getvalue(), ",").text.splitlines()
    read = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in [lines[0], *lines[2:]]]
    assert read == rows


def test_the_limit_of_the_process_is_never_lowered() -> None:
    before = csv.field_size_limit()
    parse_csv("a,b\n1,2\n", ",")
    assert csv.field_size_limit() >= before
