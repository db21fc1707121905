"""The sentences of an answer, each with the marks that stand behind or within it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from model_clients.embedder import Span

_MARK = re.compile(r"\s*\[(\d+)\]")
_LIST_SIGN = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)")
_CLOSERS = " *_\"')\u201d\u2019"
_ENDS = (".", "!", "?", "…", "。", "\uff01", "\uff1f")  # the last two: full-width ! and ?


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """A sentence as it is read, without marks, and the numbers of the citations that it bears."""

    text: str
    marks: tuple[int, ...]


def answer_sentences(answer: str) -> tuple[AnswerSentence, ...]:
    """Split the text of an answer, line by line. A line above others that bears no mark and ends like no sentence is a
    title: it says nothing itself, and is left out.
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    return tuple(
        sentence
        for place, line in enumerate(lines)
        if not _is_title(line, last=place == len(lines) - 1)
        for sentence in _sentences(_LIST_SIGN.sub("", line))
    )


def _is_title(line: str, *, last: bool) -> bool:
    return not last and not _MARK.search(line) and not line.rstrip(_CLOSERS).endswith(_ENDS)


def _sentences(line: str) -> Iterator[AnswerSentence]:
    plain, placed = _without_marks(line)
    spans = _spans(plain)
    for number, (start, end) in enumerate(spans):
        # A mark behind a sentence belongs to it, up to where the next one begins.
        stop = spans[number + 1][0] if number + 1 < len(spans) else len(plain)
        first = 0 if number == 0 else start
        marks = tuple(dict.fromkeys(mark for place, mark in placed if first < place <= stop or place == first == 0))
        yield AnswerSentence(text=plain[start:end], marks=marks)


def _spans(line: str) -> list[Span]:
    """Return the spans of the sentences of a line. A semicolon ends none: it parts the cells of a row of a table."""
    from indexing.sentences import sentence_spans  # noqa: PLC0415  # heavy import, only when used

    spans: list[Span] = []
    for start, end in sentence_spans(line):
        if spans and line[: spans[-1][1]].endswith(";"):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _without_marks(line: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the line without its marks, and for each mark the place where it stood, and its number."""
    plain, placed, end = "", [], 0
    for match in _MARK.finditer(line):
        plain += line[end : match.start()]
        placed.append((len(plain), int(match.group(1))))
        end = match.end()
    return plain + line[end:], placed
