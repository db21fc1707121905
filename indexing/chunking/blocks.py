"""The blocks that a Markdown text is built of, with their place in the text and the headings above them.

Plain text is Markdown without marks: paragraphs. Every character that is not white space belongs to exactly one block.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

BlockKind: TypeAlias = Literal["heading", "table_header", "table_row", "list_item", "code", "paragraph"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
# What Markdown calls a heading is often none in plain text: a paragraph above a row of dashes.
_LONGEST_HEADING = 200
_HEADING_MARKS = re.compile(r"^\s*#{1,6}\s*|\s+#+\s*$")
_INLINE_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|!?\[([^\]]{0,300})\]\([^)\s]{0,300}[^)]{0,300}\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """``text[start:end]``, trimmed. ``level`` is that of a heading (1-6), else 0.

    ``heading_path`` are the headings above the block, outermost first; a heading's own path ends with itself.
    ``context`` is the header row of the table for its rows.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    heading_path: tuple[str, ...] = ()
    context: str = ""


def parse_blocks(text: str, title: str) -> list[Block]:
    """Return the blocks of ``text`` in order. A heading that repeats ``title`` does not enter any heading path."""
    lines = [0, *accumulate(len(match.group()) for match in _LINE.finditer(text))]
    raw = _without_gaps(_line_blocks(_parser().parse(text)), len(lines) - 1)
    trimmed = (block for span in raw if (block := _placed(text, lines, span)) is not None)
    return list(_under_headings(text, title, trimmed))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """Return a parser of block structure alone: what stands inside a block is of no interest here.

    Indented code and HTML blocks are off, since in plain text they are indented or angular paragraphs.
    """
    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable(["code", "html_block", "reference", "inline", "text_join"], ignoreInvalid=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LineBlock:
    kind: BlockKind
    first: int
    last: int
    level: int = 0
    header: tuple[int, int] | None = None


def _line_blocks(tokens: Sequence[Token]) -> Iterator[_LineBlock]:
    """Yield the blocks by line numbers, in order; the header lines of a table with each of its rows."""
    header: tuple[int, int] | None = None
    for token in tokens:
        if token.map is None or token.nesting < 0:
            continue
        first, last = token.map
        if token.type == "list_item_open":
            yield _LineBlock(kind="list_item", first=first, last=last)
        elif token.type == "table_open" and token.level == 0:
            # The header row and the row of dashes under it.
            header = (first, first + 2)
            yield _LineBlock(kind="table_header", first=first, last=first + 2)
        elif token.type == "tr_open" and header is not None and first >= header[1]:
            yield _LineBlock(kind="table_row", first=first, last=last, header=header)
        elif token.level == 0 and token.type == "heading_open":
            yield _LineBlock(kind="heading", first=first, last=last, level=int(token.tag[1:]))
        elif token.level == 0 and token.type not in {"bullet_list_open", "ordered_list_open", "inline"}:
            yield _LineBlock(kind="code" if token.type == "fence" else "paragraph", first=first, last=last)


def _without_gaps(blocks: Iterator[_LineBlock], lines: int) -> Iterator[_LineBlock]:
    """Cut nested blocks where the next one begins, and make paragraphs of lines that belong to none."""
    ordered = list(blocks)
    reached = 0
    for index, block in enumerate(ordered):
        if block.first > reached:
            yield _LineBlock(kind="paragraph", first=reached, last=block.first)
        following = ordered[index + 1].first if index + 1 < len(ordered) else lines
        last = min(block.last, following)
        if last > max(reached, block.first):
            yield replace(block, first=max(reached, block.first), last=last)
            reached = last
    if reached < lines:
        yield _LineBlock(kind="paragraph", first=reached, last=lines)


def _placed(text: str, lines: Sequence[int], block: _LineBlock) -> Block | None:
    """Return the block by characters, trimmed; None where only white space is in it."""
    start, end = lines[block.first], lines[block.last]
    content = text[start:end].strip()
    if not content:
        return None
    begin = text.index(content[0], start)
    context = "" if block.header is None else _table_header(text[lines[block.header[0]] : lines[block.header[1]]])
    placed = Block(kind=block.kind, start=begin, end=begin + len(content), level=block.level, context=context)
    return _plain_if_unlikely(content, placed)


def _table_header(lines: str) -> str:
    return lines.strip().splitlines()[0].strip()


def _plain_if_unlikely(content: str, block: Block) -> Block:
    """Return a heading as a paragraph where it is too long, or several lines long, to be one."""
    if block.kind != "heading":
        return block
    is_underlined = not content.startswith("#")
    if len(content) > _LONGEST_HEADING or (is_underlined and len(content.splitlines()) > 2):
        return replace(block, kind="paragraph", level=0)
    return block


def _under_headings(text: str, title: str, blocks: Iterator[Block]) -> Iterator[Block]:
    open_headings: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "heading":
            open_headings = [(level, name) for level, name in open_headings if level < block.level]
            open_headings.append((block.level, heading_name(text[block.start : block.end])))
        path = tuple(name for _, name in open_headings if name and name.casefold() != title.strip().casefold())
        yield replace(block, heading_path=path)


def heading_name(source: str) -> str:
    """Return the words of a heading: no ``#``, no underline, no marks of emphasis, no link targets."""
    lines = source.strip().splitlines()
    name = _HEADING_MARKS.sub("", lines[0]) if lines else ""
    return " ".join(_INLINE_MARKS.sub(r"\1", name).split())
