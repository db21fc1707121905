"""What lies under the text of a PDF page: pictures and filled shapes."""

import ctypes
from typing import Any, TypeAlias

# left, bottom, right, top in points
Box: TypeAlias = tuple[float, float, float, float]

INVISIBLE_MODES = frozenset({3, 7})  # text render modes "invisible" and "clip only" (PDF 32000-1, table 106)
NEAR_WHITE = 0xF0  # of 255 in each of red, green and blue
_SCAN_SHARE = 0.5  # a scan fills most of its page
_THIN = 2.0  # points: a shape no thicker is a rule
_FEWEST_RULES = 3  # each way: two cells and their frame
_MOST_RULES = 1_000  # a page with more of them is a drawing, and finding tables takes time in the square of them
_MOST_SHAPES = 500  # the largest are kept, so that a page of many shapes takes no long time


class Grounds:
    """The pictures, filled shapes and rules of one page."""

    def __init__(self, page: Any) -> None:  # noqa: ANN401  # pypdfium2 ships no types
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import

        self._pictures: list[Box] = []
        self._dark: list[Box] = []
        self._level_rules = 0
        self._upright_rules = 0
        self._lost_texts = 0
        self._invisible_texts = 0
        for item in page.get_objects(max_depth=5):
            self._add(item, pdfium)
        self._shown_on = sorted(self._dark + self._pictures, key=_area, reverse=True)[:_MOST_SHAPES]

    def is_scan(self, page_box: Box) -> bool:
        """Tell whether pictures cover most of the page."""
        return sum(_area(_overlap(picture, page_box)) for picture in self._pictures) >= _SCAN_SHARE * _area(page_box)

    def are_dark(self, box: Box) -> bool:
        """Tell whether white text in ``box`` can be seen: its middle is on a picture or a shape that is not white."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(left <= x <= right and low <= y <= top for left, low, right, top in self._shown_on)

    def has_grid(self) -> bool:
        """Tell whether there are rules enough for a table of two by two cells, and not too many for a table."""
        rules = (self._level_rules, self._upright_rules)
        return min(rules) >= _FEWEST_RULES and max(rules) <= _MOST_RULES

    def is_vertical(self) -> bool:
        """Tell whether there is vertical writing, whose objects have no width, and which PDFium's text page leaves out.

        Not so on pages with invisible text, since only PDFium can tell which text that is.
        """
        return self._lost_texts > 1 and not self._invisible_texts

    def _add(self, item: Any, pdfium: Any) -> None:  # noqa: ANN401  # pypdfium2 ships no types
        try:
            box: Box = item.get_bounds()
        except RuntimeError:  # PDFium has no bounds for an empty object
            return
        width, height = box[2] - box[0], box[3] - box[1]
        match item.type:
            case pdfium.FPDF_PAGEOBJ_TEXT:
                self._lost_texts += width <= 0 < height
                self._invisible_texts += pdfium.FPDFTextObj_GetTextRenderMode(item.raw) in INVISIBLE_MODES
            case pdfium.FPDF_PAGEOBJ_IMAGE | pdfium.FPDF_PAGEOBJ_SHADING:
                self._pictures.append(box)
            case pdfium.FPDF_PAGEOBJ_PATH:
                self._level_rules += height <= _THIN < width or min(width, height) > _THIN
                self._upright_rules += width <= _THIN < height or min(width, height) > _THIN
                if _is_filled_dark(item, pdfium):
                    self._dark.append(box)


def _is_filled_dark(item: Any, pdfium: Any) -> bool:  # noqa: ANN401  # pypdfium2 ships no types
    mode, stroke = ctypes.c_int(0), ctypes.c_int(0)
    pdfium.FPDFPath_GetDrawMode(item.raw, mode, stroke)
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    if not mode.value or not pdfium.FPDFPageObj_GetFillColor(item.raw, red, green, blue, alpha):
        return False
    return alpha.value > 0 and min(red.value, green.value, blue.value) < NEAR_WHITE


def _overlap(one: Box, other: Box) -> Box:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
