"""From the characters of a PDF page to its lines, in reading order."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexing.loading.pdf_glyphs import Glyph
from indexing.loading.pdf_grounds import Box
from indexing.loading.pdf_tables import Grid

_CELL_GAP = 1.2  # em between two columns or cells; gaps between the words of justified lines are smaller
_SAME_BASELINE = 0.2  # em by which the baselines of pieces of one line may differ
_RAISED = 0.8  # the same for a small mark above or below the line
_SMALL = 0.85  # times the size of the line that a mark has at most
_FEWEST_COLUMN_LINES = 5
_PROSE_CHARS = 25  # median length from which the lines of a column are prose, not the cells of a table
_LATIN_THEN_RIGHT_TO_LEFT = re.compile(r"([A-Za-z])([\u0590-\u08ff])")
_LOOSE_MARK = re.compile(r" ([\u064b-\u0652])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of text, or a whole table as Markdown; ``row`` is shared by pieces of one line of the page.

    ``cells`` counts the pieces between wide gaps that the line was put together from.
    """

    text: str
    box: Box
    baseline: float
    size: float
    bold: bool
    angle: float
    row: int
    cells: int = 1
    is_table: bool = False


def page_lines(glyph_lines: Sequence[Sequence[Glyph]], grids: Sequence[Grid]) -> list[Line]:
    """Return the lines of a page in reading order; what stands in one of ``grids`` becomes one table line."""
    pieces = list(_pieces(glyph_lines, grids))
    edge = _zigzag_edge(pieces)
    ordered = pieces if edge is None else _columns_in_turn(pieces, edge)
    return _joined(ordered)


def _pieces(glyph_lines: Sequence[Sequence[Glyph]], grids: Sequence[Grid]) -> Iterator[Line]:
    tables = [grid.filled(glyph_lines) for grid in grids]
    placed: set[int] = set()
    for row, glyphs in enumerate(glyph_lines):
        outside: list[Glyph] = []
        for glyph in glyphs:
            at = next((number for number, grid in enumerate(grids) if tables[number] and grid.holds(glyph)), None)
            if at is None:
                outside.append(glyph)
            elif at not in placed:
                placed.add(at)
                yield _table_line(tables[at], grids[at], glyph, row)
        for piece in _split_at_gaps(outside):
            yield _line(piece, row)


def _table_line(markdown: str, grid: Grid, glyph: Glyph, row: int) -> Line:
    size = glyph.style.size
    return Line(
        text=markdown, box=grid.box, baseline=grid.box[1], size=size, bold=False, angle=0.0, row=row, is_table=True
    )


def _split_at_gaps(glyphs: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Cut a line where nothing stands for more than ``_CELL_GAP``; within a piece the order stays."""
    starts = _piece_starts(glyphs)
    piece: list[Glyph] = []
    current: int | None = None
    for glyph in glyphs:
        at = bisect_right(starts, glyph.box[0])
        inked = not glyph.text.isspace()
        if current is not None and inked and at != current:
            yield piece
            piece = []
        if inked:
            current = at
        piece.append(glyph)
    if current is not None:
        yield piece


def _piece_starts(glyphs: Sequence[Glyph]) -> list[float]:
    """Return where the pieces of a line begin, from left to right, whichever way its letters run."""
    inked = sorted((glyph for glyph in glyphs if not glyph.text.isspace()), key=lambda glyph: glyph.box[0])
    starts: list[float] = []
    reach = float("-inf")
    for glyph in inked:
        if glyph.box[0] - reach > _CELL_GAP * glyph.style.size:
            starts.append(glyph.box[0])
        reach = max(reach, glyph.box[2])
    return starts


def _line(glyphs: Sequence[Glyph], row: int) -> Line:
    inked = [glyph for glyph in glyphs if not glyph.text.isspace()]
    size = Counter(round(glyph.style.size, 1) for glyph in inked).most_common(1)[0][0]
    usual = next(glyph for glyph in inked if round(glyph.style.size, 1) == size)
    box = (
        min(glyph.box[0] for glyph in inked),
        min(glyph.box[1] for glyph in inked),
        max(glyph.box[2] for glyph in inked),
        max(glyph.box[3] for glyph in inked),
    )
    bold = sum(glyph.style.bold for glyph in inked) * 10 >= len(inked) * 9
    text = _spelled("".join(glyph.text for glyph in glyphs))
    return Line(text=text, box=box, baseline=usual.baseline, size=size, bold=bold, angle=usual.style.angle, row=row)


def _spelled(text: str) -> str:
    """Put together the surrogate halves in which PDFium gives characters beyond the basic plane; mend the blanks.

    Where a line runs from right to left, PDFium loses the blank after a Latin word and sets Arabic vowel marks apart.
    """
    whole = text.encode("utf-16", errors="surrogatepass").decode("utf-16", errors="replace")
    spaced = _LATIN_THEN_RIGHT_TO_LEFT.sub(r"\1 \2", " ".join(whole.split()))
    return _LOOSE_MARK.sub(r"\1", spaced)


def _zigzag_edge(pieces: Sequence[Line]) -> float | None:
    """Return the left edge of a right-hand column where the page's order jumps between two columns at every line.

    Pages are mostly written column by column, and then their own order is the best there is; only where both sides of
    a gutter are prose and alternate is that order wrong.
    """
    edges = Counter(round(piece.box[0]) for piece in pieces)
    for edge, _ in edges.most_common(5):
        sides = [side for side in (_side(piece, edge) for piece in pieces) if side]
        lefts, rights = sides.count("left"), sides.count("right")
        switches = sum(before != after for before, after in pairwise(sides))
        enough = min(lefts, rights) >= _FEWEST_COLUMN_LINES
        if enough and switches >= min(lefts, rights) and _both_prose(pieces, edge):
            return float(edge)
    return None


def _side(piece: Line, edge: float) -> str:
    """Return "left" or "right" of the gutter before ``edge``, empty for what crosses it."""
    if piece.is_table:
        return ""
    if piece.box[0] >= edge - 2:
        return "right"
    return "left" if piece.box[2] < edge else ""


def _both_prose(pieces: Sequence[Line], edge: float) -> bool:
    for side in ("left", "right"):
        lengths = sorted(len(piece.text) for piece in pieces if _side(piece, edge) == side)
        if lengths[len(lengths) // 2] < _PROSE_CHARS:
            return False
    return True


def _columns_in_turn(pieces: Sequence[Line], edge: float) -> list[Line]:
    """Return the left column before the right one, between the lines that cross both."""
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for piece in pieces:
        match _side(piece, edge):
            case "left":
                left.append(piece)
            case "right":
                right.append(piece)
            case _:
                ordered += [*left, *right, piece]
                left, right = [], []
    return [*ordered, *left, *right]


def _joined(pieces: Sequence[Line]) -> list[Line]:
    """Join neighbouring pieces of one row, and marks raised above a line with the line."""
    lines: list[Line] = []
    for piece in pieces:
        before = lines[-1] if lines else None
        if before is not None and _belong_together(before, piece):
            lines[-1] = _one(before, piece)
        else:
            lines.append(piece)
    return lines


def _belong_together(before: Line, piece: Line) -> bool:
    if before.is_table or piece.is_table:
        return False
    if before.row == piece.row:
        return True
    size = max(before.size, piece.size)
    is_mark = min(before.size, piece.size) <= _SMALL * size
    level = abs(before.baseline - piece.baseline) < (_RAISED if is_mark else _SAME_BASELINE) * size
    return level and before.angle == piece.angle and -size < piece.box[0] - before.box[2] < _CELL_GAP * size


def _one(before: Line, piece: Line) -> Line:
    main = before if len(before.text) >= len(piece.text) else piece
    touching = before.row != piece.row and piece.box[0] - before.box[2] < 0.15 * main.size
    box = (
        min(before.box[0], piece.box[0]),
        min(before.box[1], piece.box[1]),
        max(before.box[2], piece.box[2]),
        max(before.box[3], piece.box[3]),
    )
    text = f"{before.text}{piece.text}" if touching else f"{before.text} {piece.text}"
    cells = before.cells + piece.cells if before.row == piece.row else before.cells
    return replace(main, text=text, box=box, row=piece.row, cells=cells, bold=before.bold and piece.bold)
