"""Markdown files: front matter becomes metadata; comments, images, emphasis and hidden HTML go; links become text."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from graph_store.records import Metadata
from indexing.cleaning import clean_line
from indexing.loading.inline_html import without_html
from indexing.loading.metadata import flat_metadata
from indexing.loading.parsed import ParsedSource

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LONGEST_FRONT_MATTER = 64_000
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_BACKTICKS = re.compile(r"`+")
_SPAN_MARK = re.compile("\x00(\\d+)\x00")
_LABEL = r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]"
_TARGET = r"\(\s*(?:<[^<>\n]*>|(?:[^\s()\\]|\\.|\([^\s()]*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
_IMAGE = re.compile(rf"!{_LABEL}(?:{_TARGET}|\[[^\[\]]*\])")
_LINK = re.compile(rf"(?<!!){_LABEL}(?:{_TARGET}|\[([^\[\]]*)\])")
_DEFINITION = re.compile(
    r"^ {0,3}\[[^\[\]^][^\[\]]*\]:[ \t]+\S+(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*$", re.MULTILINE
)
_HEADING = re.compile(r"^ {0,3}#[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?! {4})([^\n#>|-][^\n]*)\n {0,3}=+[ \t]*$", re.MULTILINE)
# Bounded, and over nothing of its own kind, so that a line full of marks takes no long time; the inner ones go first.
_STARS = re.compile(r"(?<![\\*\w])(\*{1,3})(?=[^\s*])([^*\n]{1,500})(?<=[^\s\\])\1(?![*\w])")
_BARS = re.compile(r"(?<![\\_\w])(_{1,3})(?=[^\s_])((?:[^_\n]|(?<=\w)_(?=\w)){1,500}?)(?<=[^\s\\])\1(?![_\w(]|\.\w)")
_DEEPEST_EMPHASIS = 3


def parse_markdown(text: str) -> ParsedSource:
    """Return the text as Markdown; the title is that of the front matter, else the first heading of level 1."""
    metadata, body = _split_front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
    parts = list(_prose_and_code(body))
    cleaned = "".join(part if is_code else _clean_prose(part) for is_code, part in parts)
    prose = "".join("" if is_code else _clean_prose(part) for is_code, part in parts)
    given = metadata.get("title")
    title = given if isinstance(given, str) else _first_heading(prose)
    rest = {key: value for key, value in metadata.items() if key != "title"}
    return ParsedSource(text=cleaned, title=title, metadata=rest)


def _split_front_matter(text: str) -> tuple[Metadata, str]:
    match = _FRONT_MATTER.match(text)
    if match is None or len(match[1]) > _LONGEST_FRONT_MATTER:
        return {}, text
    try:
        fields: Any = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    return (flat_metadata(fields), text[match.end() :]) if isinstance(fields, dict) else ({}, text)


def _prose_and_code(text: str) -> Iterator[tuple[bool, str]]:
    """Yield (is fenced code, text) pieces that make up ``text``; a fence that never closes runs to the end."""
    piece: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line.rstrip("\n"))
        if not fence and mark and not (mark[1][0] == "`" and "`" in mark[2]):
            yield False, "".join(piece)
            piece, fence = [line], mark[1]
        elif fence and mark and mark[1].startswith(fence) and not mark[2].strip():
            piece.append(line)
            yield True, "".join(piece)
            piece, fence = [], ""
        else:
            piece.append(line)
    yield bool(fence), "".join(piece)


def _clean_prose(text: str) -> str:
    """Drop images, hidden HTML and the marks of emphasis, turn links into their text, and leave code spans alone."""
    kept: list[str] = []
    spans: list[str] = []
    for is_code, piece in _around_code_spans(text.replace("\x00", "")):
        kept.append(f"\x00{len(spans)}\x00" if is_code else piece)
        spans += [piece] if is_code else []
    marked = without_html("".join(kept))
    marked = _IMAGE.sub("", marked)
    marked = _LINK.sub(lambda match: match[1] or match[2] or "", marked)
    marked = _without_emphasis(_DEFINITION.sub("", marked))
    return _SPAN_MARK.sub(lambda match: spans[int(match[1])], marked)


def _without_emphasis(text: str) -> str:
    """Return ``text`` with the words of emphasis that stands on one line, without its marks."""
    for _ in range(_DEEPEST_EMPHASIS):
        text = _BARS.sub(r"\2", _STARS.sub(r"\2", text))
    return text


def _around_code_spans(text: str) -> Iterator[tuple[bool, str]]:
    """Yield (is a code span, text) pieces that make up ``text``: a span ends at the next run of as many backticks."""
    runs = [(run.start(), run.end()) for run in _BACKTICKS.finditer(text)]
    later: dict[int, list[int]] = {}
    for number in reversed(range(len(runs))):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    done, number = 0, 0
    while number < len(runs):
        start, end = runs[number]
        closing = later[end - start]
        while closing and closing[-1] <= number:
            closing.pop()
        if closing:
            yield False, text[done:start]
            number = closing.pop()
            done = runs[number][1]
            yield True, text[start:done]
        number += 1
    yield False, text[done:]


def _first_heading(prose: str) -> str:
    found = [match for match in (_HEADING.search(prose), _UNDERLINED.search(prose)) if match is not None]
    if not found:
        return ""
    first = min(found, key=lambda match: match.start())
    return clean_line(_without_emphasis(first[1]).replace("`", ""))
