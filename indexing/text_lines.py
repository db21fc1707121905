"""Lines of cleaned text: which of them stand alone, and which go on in the next."""

import re
from collections.abc import Iterator
from itertools import pairwise

from model_clients.embedder import Span

_LIST_ITEM = re.compile("(?:[-*+•◦▪‣·\u2013]|\\(?(?:\\d{1,3}|[A-Za-z])[.)])\\s")
_HEADING = re.compile(r"#{1,6}\s")
_TABLE_DELIMITER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_FENCE = re.compile(r"```|~~~")
_RULE = re.compile(r"(?:=+|-{2,}|(?:[-*_]\s*){3,})")
# "Alice: see you!", "[10:32] Bob Smith: fine", "10:32 <carol> yes": a line that begins so begins a turn of a chat.
_CHAT_TIME = r"(?:\[[^\]\n]{1,40}\]|\(?\d{1,2}:\d{2}(?::\d{2})?\)?)?"
_CHAT_NAME = "(?:<[^>\\s]{1,40}>|[^\\W\\d_][\\w.'\u2019-]{0,40}(?: [\\w.'\u2019-]{1,40}){0,3}:)"
_CHAT = re.compile(rf"{_CHAT_TIME}\s*{_CHAT_NAME}\s")
_FIRST_WORD = re.compile(r"\S+")
# A line that ends this far before the widest line of its block was ended on purpose. The slack is for proportional
# type, where lines of one width differ in characters.
_FULL_LINE = 0.75


def line_spans(text: str) -> Iterator[Span]:
    """Yield the span of each line of ``text`` that is not blank, without surrounding white space."""
    start = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped:
            begin = start + line.index(stripped[0])
            yield begin, begin + len(stripped)
        start += len(line)


def unit_spans(text: str) -> list[Span]:
    """Return the spans that sentences never cross: headings, list items, table rows, chat lines, whole paragraphs.

    Lines that were wrapped to a width are joined again; a table's delimiter row belongs to its header row, the marks
    under a heading or around code to what they mark. The spans are in order, trimmed, disjoint, and cover every
    character that is not white space. Linear in the length of the text.
    """
    units: list[Span] = []
    for block in _blocks(text):
        widest = max(end - start for start, end in block)
        units.append(block[0])
        for previous, line in pairwise(block):
            if _goes_on(text[slice(*previous)], text[slice(*line)], widest):
                units[-1] = (units[-1][0], line[1])
            else:
                units.append(line)
    return units


def is_indivisible(unit: str) -> bool:
    """Tell whether a unit is one sentence whatever stands in it: a heading or a table row."""
    return bool(_HEADING.match(unit)) or unit.startswith("|")


def _blocks(text: str) -> Iterator[list[Span]]:
    """Yield the lines of each run of lines without a blank line between."""
    block: list[Span] = []
    for line in line_spans(text):
        if block and len(f"{text[block[-1][1] : line[0]]}.".splitlines()) > 2:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _goes_on(line: str, following: str, widest: int) -> bool:
    """Tell whether the sentence of ``line`` may go on in ``following``."""
    if _FENCE.match(line) or _FENCE.match(following):
        return True
    if _is_mark(line):
        return False
    if _is_mark(following):
        return True
    if is_indivisible(line) or _begins_unit(following):
        return False
    word = _FIRST_WORD.match(following)
    is_full = len(line) + 1 + (word.end() if word else 0) > _FULL_LINE * widest
    return is_full or following[0].islower()


def _is_mark(line: str) -> bool:
    """Tell whether a line says nothing: a rule, the underline of a heading, the delimiter row of a table."""
    return bool(_RULE.fullmatch(line) or _TABLE_DELIMITER.fullmatch(line))


def _begins_unit(line: str) -> bool:
    return is_indivisible(line) or bool(_LIST_ITEM.match(line) or _CHAT.match(line))
