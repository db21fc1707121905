"""The visible characters of a PDF page, line by line, as PDFium orders them.

Hidden text is left out: invisible or transparent text, text in the colour of its ground, text too small to be read and
text outside the page. One exception: where nothing is visible but a picture, invisible text is the text layer that
recognition (OCR) put over a scan, and is kept.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from indexing.loading.pdf_grounds import INVISIBLE_MODES, NEAR_WHITE, Box, Grounds

_LIGATURE_TAIL = "\u0644"  # lam, the second letter of the Arabic ligatures that stand for two letters
_HYPHENS = {0xFFFE: "-", 0x0002: "-", 0x00AD: "-"}  # how PDFium writes a hyphen at a line end, in place of the end
_LINE_ENDS = frozenset({0x0A, 0x0D})
_UNREADABLE_POINTS = 1.5
_BOLD_WEIGHT = 600
_LONGEST_FONT_NAME = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStyle:
    """How the characters of one text object look; ``size`` in points, ``angle`` in degrees."""

    size: float
    bold: bool
    angle: float
    invisible: bool
    white: bool


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character with its box and baseline in points from the lower left corner of the page."""

    text: str
    box: Box
    baseline: float
    style: TextStyle


class PageReader:
    """Reads the characters of one page; the page must stay open meanwhile."""

    def __init__(self, page: Any) -> None:  # noqa: ANN401  # pypdfium2 ships no types
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import

        self._pdfium = pdfium
        self._text = page.get_textpage()
        self._page_box: Box = page.get_bbox()
        self.grounds = Grounds(page)
        self._numbers = tuple(ctypes.c_double() for _ in range(6))  # PDFium's answers, used over and over
        self._styles: dict[int | None, TextStyle] = {}

    def lines(self) -> list[list[Glyph]]:
        """Return the visible characters of each line that has some."""
        lines = list(self._lines())
        visible = _kept(lines, lambda glyph: not glyph.style.invisible)
        if not visible and self.grounds.is_scan(self._page_box):
            visible = lines
        return [_in_spelling_order(line) for line in _kept(visible, self._is_seen)]

    def close(self) -> None:
        """Free the page's text."""
        self._text.close()

    def _lines(self) -> Iterator[list[Glyph]]:
        line: list[Glyph] = []
        for index in range(self._pdfium.FPDFText_CountChars(self._text)):
            code = self._pdfium.FPDFText_GetUnicode(self._text, index)
            if code and code not in _LINE_ENDS:
                line.append(self._glyph(index, _HYPHENS.get(code) or chr(code), line))
            if line and (code in _LINE_ENDS or code in _HYPHENS):
                yield line
                line = []
        if line:
            yield line

    def _glyph(self, index: int, text: str, line: list[Glyph]) -> Glyph:
        """Return the character at ``index``; a blank that PDFium put in looks and stands like the one before it."""
        if line and text == " " and self._pdfium.FPDFText_IsGenerated(self._text, index):
            before = line[-1]
            return Glyph(
                " ", (before.box[2], before.box[1], before.box[2], before.box[3]), before.baseline, before.style
            )
        left, right, bottom, top, x, y = self._numbers
        self._pdfium.FPDFText_GetCharBox(self._text, index, left, right, bottom, top)
        self._pdfium.FPDFText_GetCharOrigin(self._text, index, x, y)
        box = (left.value, bottom.value, right.value, top.value)
        return Glyph(text, box, y.value, self._style(index))

    def _style(self, index: int) -> TextStyle:
        """Return the style of the text object that the character belongs to, read once per object."""
        handle = self._pdfium.FPDFText_GetTextObject(self._text, index)
        key = ctypes.cast(handle, ctypes.c_void_p).value
        if key not in self._styles:
            self._styles[key] = self._read_style(index, handle)
        return self._styles[key]

    def _read_style(self, index: int, handle: Any) -> TextStyle:  # noqa: ANN401  # pypdfium2 ships no types
        pdfium = self._pdfium
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._text, index, matrix)
        size = pdfium.FPDFText_GetFontSize(self._text, index) * (matrix.c**2 + matrix.d**2) ** 0.5
        red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
        coloured = pdfium.FPDFText_GetFillColor(self._text, index, red, green, blue, alpha)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(handle) if handle else 0
        return TextStyle(
            size=size,
            bold=pdfium.FPDFText_GetFontWeight(self._text, index) >= _BOLD_WEIGHT or self._is_bold_font(handle),
            angle=round(pdfium.FPDFText_GetCharAngle(self._text, index) * 57.29578) % 360,
            invisible=mode in INVISIBLE_MODES or bool(coloured and alpha.value == 0),
            white=bool(coloured) and min(red.value, green.value, blue.value) >= NEAR_WHITE,
        )

    def _is_bold_font(self, handle: Any) -> bool:  # noqa: ANN401  # pypdfium2 ships no types
        """Tell by its name whether a font is bold; standard fonts come without a weight."""
        font = self._pdfium.FPDFTextObj_GetFont(handle) if handle else None
        if not font:
            return False
        name = ctypes.create_string_buffer(_LONGEST_FONT_NAME)
        self._pdfium.FPDFFont_GetBaseFontName(font, name, _LONGEST_FONT_NAME)
        return b"bold" in name.value.lower()

    def _is_seen(self, glyph: Glyph) -> bool:
        if glyph.text.isspace():
            return True
        if 0 < glyph.style.size < _UNREADABLE_POINTS or not _touch(glyph.box, self._page_box):
            return False
        return not glyph.style.white or self.grounds.are_dark(glyph.box)


def _kept(lines: list[list[Glyph]], keep: Any) -> list[list[Glyph]]:  # noqa: ANN401
    filtered = ([glyph for glyph in line if keep(glyph)] for line in lines)
    return [line for line in filtered if any(not glyph.text.isspace() for glyph in line)]


def _touch(one: Box, other: Box) -> bool:
    return one[0] <= other[2] and one[2] >= other[0] and one[1] <= other[3] and one[3] >= other[1]


def _in_spelling_order(line: list[Glyph]) -> list[Glyph]:
    """Return ``line`` with the letters of each lam-alef ligature in the order they are spelt.

    PDFium reverses right-to-left lines letter by letter, and with them the two letters that one glyph stands for.
    """
    ordered = list(line)
    for index in range(1, len(ordered)):
        before, after = ordered[index - 1], ordered[index]
        if after.text == _LIGATURE_TAIL and before.box == after.box:
            ordered[index - 1], ordered[index] = after, before
    return ordered
