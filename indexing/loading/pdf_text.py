"""From the lines of PDF pages to Markdown: headers dropped, headings found, paragraphs and words put together."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from indexing.loading.pdf_lines import Line

_HEADING_SIZE = 1.15  # times the body's size
_BOLD_HEADING_SIZE = 1.05
_LONGEST_HEADING = 150
_HEADING_COMMAS = 2  # more of them make a list of names
_LARGE_LEVELS = 3
_NUMBERED_LEVELS = 5
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[^\W\d]")
_BULLET = re.compile(r"^[\u2022\u25aa\u25cf\u25e6\u2023\u25a0\u00b7\u2043\uf0b7\uf0a7\uf0d8]\s*(?=\S)")
_LIST_ITEM = re.compile(r"^(?:- |\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|\*\s)")
_SENTENCE_END = re.compile(r"[.!?:;\u3002\uff01\uff1f\u061f]['\")\]\u201d\u2019]*$")
_WORD = re.compile(r"\w+(?:-\w+)*")
_EAST_ASIAN = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_EDGE_LINES = 2  # lines at the top and at the bottom of a page that can be its header or footer
_FEWEST_REPEATS = 3
_PAGE_GAP = 1.35  # times the usual distance of baselines, from which a paragraph ends
_FULL_LINE = 0.8  # share of the column's width from which a line runs on into the next


def without_furniture(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the pages without the headers and footers that recur on most of them; digits in them may differ.

    The first occurrence stays unless it is a page number: the running title may be the title itself.
    """
    places: Counter[tuple[str, str]] = Counter()
    for page in pages:
        places.update({_place(page, index) for index in _edges(page)})
    enough = max(_FEWEST_REPEATS, len(pages) // 2)
    recurring = {place for place, count in places.items() if count >= enough}
    seen: set[tuple[str, str]] = set()
    kept: list[list[Line]] = []
    for page in pages:
        edges = _edges(page)
        drop = {index for index in edges if (place := _place(page, index)) in recurring and _may_go(place, seen)}
        seen.update(_place(page, index) for index in edges)
        kept.append([line for index, line in enumerate(page) if index not in drop])
    return kept


def _edges(page: Sequence[Line]) -> set[int]:
    """Return the indexes of the outermost lines by height."""
    by_height = sorted(range(len(page)), key=lambda index: -page[index].baseline)
    return {*by_height[:_EDGE_LINES], *by_height[-_EDGE_LINES:]}


def _place(page: Sequence[Line], index: int) -> tuple[str, str]:
    middle = (page[index].box[1] + page[index].box[3]) / 2
    above = sum(line.baseline > middle for line in page)
    text = re.sub(r"\d+", "#", page[index].text.casefold())
    return ("top" if above * 2 < len(page) else "bottom"), text


def _may_go(place: tuple[str, str], seen: set[tuple[str, str]]) -> bool:
    return place in seen or not re.search(r"[^\W\d_]{4}", place[1])


class PageWriter:
    """Writes pages of one document as Markdown; sizes and words are judged over the whole document."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        sizes: Counter[float] = Counter()
        for line in (line for page in pages for line in page if not line.is_table):
            sizes[line.size] += len(line.text)
        self._words = _whole_words(line.text for page in pages for line in page)
        self._body = sizes.most_common(1)[0][0] if sizes else 0.0
        headings = {line.size for page in pages for line in page if self._is_large(line)}
        self._levels = {size: level for level, size in enumerate(sorted(headings, reverse=True), start=1)}

    def write(self, page: Sequence[Line]) -> str:
        """Return one page as Markdown."""
        blocks: list[str] = []
        paragraph: list[Line] = []
        leading, width = _leading(page), _column_width(page)
        for line in page:
            if paragraph and self._starts_block(paragraph, line, leading):
                blocks.append(self._block(paragraph, width))
                paragraph = []
            paragraph.append(line)
        if paragraph:
            blocks.append(self._block(paragraph, width))
        return "\n\n".join(blocks)

    def _is_large(self, line: Line) -> bool:
        letters = sum(char.isalpha() for char in line.text)
        short = len(line.text) <= _LONGEST_HEADING and line.text.count(",") <= _HEADING_COMMAS
        named = letters > 1 and len(line.text) <= 2 * letters
        enough = _BOLD_HEADING_SIZE if line.bold else _HEADING_SIZE
        return not line.is_table and short and named and line.size >= enough * self._body

    def _level(self, line: Line) -> int:
        """Return the level of a heading, 0 for other lines; bold numbered lines are headings below the large ones."""
        if self._is_large(line):
            return min(self._levels[line.size], _LARGE_LEVELS)
        number = _NUMBERED.match(line.text) if line.bold and not line.is_table else None
        if number is None or len(line.text) > _LONGEST_HEADING:
            return 0
        return min(min(len(self._levels), _LARGE_LEVELS) + 1 + number[1].count("."), _NUMBERED_LEVELS)

    def _starts_block(self, paragraph: Sequence[Line], line: Line, leading: float) -> bool:
        before = paragraph[-1]
        apart = before.is_table or line.is_table or before.angle != line.angle
        if apart or self._level(before) != self._level(line):
            return True
        if self._level(line):
            return before.size != line.size or not 0 < before.baseline - line.baseline < 2 * line.size
        fall = before.baseline - line.baseline
        if fall < -before.size:  # a jump up, into the next column
            return _SENTENCE_END.search(before.text) is not None or not line.text[:1].islower()
        return fall > _PAGE_GAP * leading

    def _block(self, paragraph: Sequence[Line], width: float) -> str:
        if paragraph[0].is_table:
            return paragraph[0].text
        level = self._level(paragraph[0])
        if level:
            return f"{'#' * level} {' '.join(line.text for line in paragraph)}"
        return self._flowed(paragraph, width)

    def _flowed(self, paragraph: Sequence[Line], width: float) -> str:
        """Join the lines that run on into the next; short lines, list items and rows of cells keep their line."""
        text = _BULLET.sub("- ", paragraph[0].text)
        for before, line in pairwise(paragraph):
            following = _BULLET.sub("- ", line.text)
            full = before.box[2] - before.box[0] >= _FULL_LINE * width and before.cells == 1 == line.cells
            if text.endswith("-") or (full and not _LIST_ITEM.match(following)):
                text = self._mended(text, following)
            else:
                ends = not full and _SENTENCE_END.search(text) is not None and following[:1].isupper()
                text = f"{text}\n\n{following}" if ends else f"{text}\n{following}"
        return text

    def _mended(self, text: str, following: str) -> str:
        """Join two lines, and the two halves of a word that was divided at the line end."""
        if text.endswith("-") and following[:1].isalnum():
            first, second = _last_word(text[:-1]), _first_word(following)
            return f"{text[:-1]}{following}" if self._is_divided(first, second) else f"{text}{following}"
        if _EAST_ASIAN.match(text[-1:]) and _EAST_ASIAN.match(following[:1]):
            return f"{text}{following}"
        return f"{text} {following}"

    def _is_divided(self, first: str, second: str) -> bool:
        """Tell whether a hyphen only divides a word; what the document writes elsewhere decides, else the case."""
        if not first or f"{first}-{second}".casefold() in self._words:
            return False
        if f"{first}{second}".casefold() in self._words:
            return True
        if len(first) < 2 or {first.casefold(), second.casefold()} <= self._words:
            return False
        return first.isalpha() and second[:1].islower()


def _leading(page: Sequence[Line]) -> float:
    """Return the usual distance of baselines on a page in points; infinite where there is none to measure."""
    falls = [before.baseline - line.baseline for before, line in pairwise(page) if before.size == line.size]
    usual = [fall for fall, line in zip(falls, page, strict=False) if 0.8 * line.size < fall < 2.5 * line.size]
    return median(usual) if usual else float("inf")


def _column_width(page: Sequence[Line]) -> float:
    """Return the width in points that nine lines in ten of a page do not exceed: that of its widest full lines."""
    widths = sorted(line.box[2] - line.box[0] for line in page if not line.is_table)
    return widths[len(widths) * 9 // 10] if widths else 0.0


def _whole_words(lines: Iterable[str]) -> frozenset[str]:
    """Return the words of ``lines``, and the parts of hyphenated ones, without the halves at line ends."""
    words: set[str] = set()
    divided = False
    for line in lines:
        found = _WORD.findall(line.casefold())
        whole = found[1 if divided else 0 :]
        divided = line.endswith("-")
        for word in whole[:-1] if divided else whole:
            words.update((word, *word.split("-")))
    return frozenset(words)


def _last_word(text: str) -> str:
    match = re.search(r"[\w-]+$", text)
    return match[0] if match else ""


def _first_word(text: str) -> str:
    match = re.match(r"\w+(?:-\w+)*", text)
    return match[0] if match else ""
