"""Markdown tables, and CSV and TSV files as one."""

import csv
import io
from collections import Counter
from collections.abc import Sequence

from indexing.cleaning import clean_line
from indexing.loading.errors import UnreadableSource
from indexing.loading.parsed import ParsedSource

_SNIFFED_ROWS = 50
_SNIFFED_CHARS = 100_000


def parse_csv(text: str, usual_delimiter: str) -> ParsedSource:
    """Return a delimited file as one Markdown table whose head is the first row.

    Commas, semicolons, tabs and bars are told apart by which of them cuts the first rows into the most equal columns.
    """
    # A whole file may be one cell, and has passed the size cap. The limit is the process's own: never lower it.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    delimiter = _delimiter(text[:_SNIFFED_CHARS], usual_delimiter)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UnreadableSource(f"It is not a valid delimited file: {error}.") from error
    return ParsedSource(text=markdown_table(rows))


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return ``rows`` as a Markdown table, the first as its head; empty where no cell has text.

    Rows and columns without text are left out; line ends in cells become blanks and bars are escaped. Short rows stay
    short, as filling them up would let a few kilobytes of commas grow to gigabytes.
    """
    cleaned = [[clean_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    filled = [row for row in cleaned if any(row)]
    used = {column for row in filled for column, cell in enumerate(row) if cell}
    kept = [[cell for column, cell in enumerate(row) if column in used] for row in filled]
    lines = ["| " + " | ".join(row) + " |" for row in kept]
    if not lines:
        return ""
    return "\n".join([lines[0], "|" + " --- |" * len(kept[0]), *lines[1:]])


def _delimiter(sample: str, usual: str) -> str:
    candidates = [usual, *(mark for mark in ",;\t|" if mark != usual)]
    return max(candidates, key=lambda mark: _regularity(sample, mark))


def _regularity(sample: str, delimiter: str) -> tuple[float, int]:
    """Return (share of rows that have the commonest number of columns, that number); (0, 0) for a single column."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        widths = [len(row) for row, _ in zip(reader, range(_SNIFFED_ROWS), strict=False) if row]
    except csv.Error:
        return 0.0, 0
    if not widths:
        return 0.0, 0
    width, rows = Counter(widths).most_common(1)[0]
    return (rows / len(widths), width) if width > 1 else (0.0, 0)
