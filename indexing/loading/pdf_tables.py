"""Ruled tables and vertical writing in PDF files: what PDFium does not give, and pdfplumber does."""

import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from indexing.loading.pdf_glyphs import Glyph
from indexing.loading.pdf_grounds import Box
from indexing.loading.tables import markdown_table

_LONGEST_CELL = 600  # characters: a box with more is a frame around text, not a cell
_MOST_CELLS = 2_000  # of one table; more make a drawing, or a page of squared paper
_FEWEST_FILLED = 0.3  # share of cells with text; below it the rules are a drawing
# What pdfminer meets in damaged files besides its own errors.
_DAMAGE = (ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError, RecursionError, zlib.error)


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a ruled table, row by row; None where a cell is merged into its neighbour."""

    box: Box
    rows: tuple[tuple[Box | None, ...], ...]

    def holds(self, glyph: Glyph) -> bool:
        """Tell whether the middle of ``glyph`` is within the table."""
        return _within(glyph, self.box)

    def filled(self, glyph_lines: Sequence[Sequence[Glyph]]) -> str:
        """Return the table as Markdown with the characters that stand in its cells; empty where it is no table."""
        inside = [[glyph for glyph in line if self.holds(glyph)] for line in glyph_lines]
        lines = [line for line in inside if line]
        if 2 * sum(self._runs_out(line) for line in glyph_lines) > len(lines):
            return ""
        texts = [[_cell_text(cell, lines) for cell in row] for row in self.rows]
        cells = [text for row in texts for text in row]
        filled = sum(bool(text) for text in cells)
        if filled < _FEWEST_FILLED * len(cells) or any(len(text) > _LONGEST_CELL for text in cells):
            return ""
        markdown = markdown_table(texts)
        is_table = markdown.count("\n") >= 2 and markdown.partition("\n")[0].count(" | ") >= 1
        return markdown if is_table else ""

    def _runs_out(self, line: Sequence[Glyph]) -> bool:
        """Tell whether a line goes on outside the table: then the rules enclose only a part of one."""
        inked = [self.holds(glyph) for glyph in line if not glyph.text.isspace()]
        return any(inked) and not all(inked)


class Plumber:
    """Opens a PDF with pdfplumber when the first page asks for it; it is many times slower than PDFium."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._opened: Any = None

    def grids(self, number: int) -> tuple[Grid, ...]:
        """Return the ruled tables of page ``number`` (from 0) with two rows and columns or more."""
        from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException  # noqa: PLC0415  # heavy import

        try:
            page = self._page(number)
            found = [_grid(table, page) for table in page.find_tables()] if not page.rotation else []
        except (*_DAMAGE, MalformedPDFException, PdfminerException):
            return ()
        return tuple(grid for grid in found if _is_table(grid))

    def vertical_text(self, number: int) -> str:
        """Return the text of a page of vertical writing, one line a column, in the order of the file."""
        from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException  # noqa: PLC0415  # heavy import

        try:
            chars = self._page(number).chars
        except (*_DAMAGE, MalformedPDFException, PdfminerException):
            return ""
        lines: list[str] = []
        at: float | None = None
        for char in chars:
            if at is None or abs(char["x0"] - at) > 1:
                lines.append("")
            lines[-1] += char["text"]
            at = char["x0"]
        return "\n".join(lines)

    def _page(self, number: int) -> Any:  # noqa: ANN401  # pdfplumber's types are partial
        import pdfplumber  # noqa: PLC0415  # heavy import, only when used

        if self._opened is None:
            self._opened = pdfplumber.open(io.BytesIO(self._data))
        return self._opened.pages[number]


def _is_table(grid: Grid) -> bool:
    height, width = len(grid.rows), max(map(len, grid.rows), default=0)
    return min(height, width) > 1 and height * width <= _MOST_CELLS


def _grid(table: Any, page: Any) -> Grid:  # noqa: ANN401  # pdfplumber's types are partial
    rows = tuple(tuple(_flipped(cell, page) if cell else None for cell in row.cells) for row in table.rows)
    return Grid(_flipped(table.bbox, page), rows)


def _flipped(box: Box, page: Any) -> Box:  # noqa: ANN401  # pdfplumber's types are partial
    """Return a box counted from the upper edge of the page as one counted from the lower edge."""
    left, top, right, bottom = box
    upper = page.mediabox[1] + page.height
    return (left, upper - bottom, right, upper - top)


def _within(glyph: Glyph, box: Box) -> bool:
    x, y = (glyph.box[0] + glyph.box[2]) / 2, (glyph.box[1] + glyph.box[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _cell_text(cell: Box | None, lines: Sequence[Sequence[Glyph]]) -> str:
    if cell is None:
        return ""
    parts = ("".join(glyph.text for glyph in line if _within(glyph, cell)) for line in lines)
    return " ".join(" ".join(parts).split())
