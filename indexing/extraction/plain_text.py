"""Markdown without its marks, with the way back to the offsets of the original."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

BlockKind: TypeAlias = Literal["paragraph", "heading", "row", "item"]

_FENCE = re.compile(r"^\s{0,3}(```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}(?:\s|$)")
_RULE_ROW = re.compile(r"^[\s|:\-=+]*$")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+")
# What is dropped: leading marks, emphasis, link targets, tags, addresses, footnote numbers.
_MARKS = re.compile(
    r"^[ \t]{0,3}#{1,6}(?:\s|$)|^[ \t]{0,20}(?:[-*+\u2022>]|\d{1,3}[.)])\s|[ \t]{1,8}#{1,6}[ \t]{0,8}$"
    r"|\*+|`+|~~|(?<!\w)_+|_+(?!\w)|\\(?=[^\w\s])"
    r"|!?\[(?=[^\]\n]*\]\()|\]\([^)\n]*\)|\[\^?\d{1,3}\]"
    r"|</?[a-zA-Z][^<>\n]{0,200}>|(?:https?://|www\.)[^\s)|]+",
    re.MULTILINE,
)
# No prose has such a paragraph, and reading one would take the parser gigabytes.
_MAX_BLOCK = 20_000
_SPACES = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "\u00a0": " "})


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A paragraph, heading, table cell or list item of a text, without marks.

    ``starts[i]`` is where the i-th kept stretch begins in ``text``, ``origins[i]`` where it begins in the original.
    """

    kind: BlockKind
    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open span of the original text that ``text[start:end]`` (not empty) stands at."""
        return self._origin_of(start), self._origin_of(end - 1) + 1

    def _origin_of(self, offset: int) -> int:
        stretch = bisect_right(self.starts, offset) - 1
        return self.origins[stretch] + offset - self.starts[stretch]


def split_blocks(text: str) -> tuple[Block, ...]:
    """Split Markdown into blocks, in order; a table cell is a block.

    Code blocks, table rules and whatever has more than 20,000 characters without an end are left out.
    """
    blocks = []
    for kind, start, end in _spans(text):
        block = _strip_marks(kind, text[start:end], start) if end - start <= _MAX_BLOCK else None
        if block is not None and block.text.strip():
            blocks.append(block)
    return tuple(blocks)


def _spans(text: str) -> Iterator[tuple[BlockKind, int, int]]:
    """Yield the spans of blocks: lines in a row make a paragraph, other kinds begin with their own line."""
    kind: BlockKind = "paragraph"
    start, end = 0, 0
    for line_kind, line_start, line_end in _lines(text):
        goes_on = line_kind == "paragraph" and kind in {"paragraph", "item"} and line_start == end and end > start
        if goes_on:
            end = line_end
            continue
        if end > start:
            yield kind, start, end
        if line_kind == "row":
            yield from _cells(text, line_start, line_end)
            start = end = line_end
        else:
            kind, start, end = line_kind, line_start, line_end
    if end > start:
        yield kind, start, end


def _lines(text: str) -> Iterator[tuple[BlockKind, int, int]]:
    offset = 0
    fenced = False
    for line in text.splitlines(keepends=True):
        start, offset = offset, offset + len(line)
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip():
            kind = _line_kind(line)
            if kind is not None:
                yield kind, start, offset


def _line_kind(line: str) -> BlockKind | None:
    if line.lstrip().startswith("|"):
        return None if _RULE_ROW.match(line) else "row"
    if _RULE_ROW.match(line):
        return None
    if _HEADING.match(line):
        return "heading"
    return "item" if _ITEM.match(line) else "paragraph"


def _cells(text: str, start: int, end: int) -> Iterator[tuple[BlockKind, int, int]]:
    cell_start = start
    for position in range(start, end):
        if text[position] == "|" and text[position - 1 : position] != "\\":
            yield "row", cell_start, position
            cell_start = position + 1
    yield "row", cell_start, end


def _strip_marks(kind: BlockKind, raw: str, offset: int) -> Block:
    pieces, starts, origins = [], [], []
    length = 0
    for start, end in _kept(raw):
        pieces.append(raw[start:end].translate(_SPACES))
        starts.append(length)
        origins.append(offset + start)
        length += end - start
    return Block(kind=kind, text="".join(pieces), starts=tuple(starts), origins=tuple(origins))


def _kept(raw: str) -> Iterator[tuple[int, int]]:
    position = 0
    for mark in _MARKS.finditer(raw):
        if mark.start() > position:
            yield position, mark.start()
        position = mark.end()
    stop = len(raw.rstrip())
    if stop > position:
        yield position, stop
