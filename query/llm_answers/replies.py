"""The forms of replies about answers; whatever else a model says is not looked at."""

import re
from collections.abc import Callable, Iterator

from pydantic import BaseModel, ConfigDict, Field

from query.llm_answers.support import Claim

_MARKS = re.compile(r"\s*[\[\uff3b\u3010]\s*\d+(?:\s*[,;\uff0c\u3001]\s*\d+)*\s*[\]\uff3d\u3011]")
_SIGNS = re.compile(r"\*{2,3}(?=\S)(.+?)(?<=\S)\*{2,3}|`([^`\s](?:[^`]*[^`\s])?)`")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+|>\s+)")
_NUMBER = re.compile(r"\d{1,6}")
_LIST_SIGN = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)")
_JSON_BEGINS = re.compile(r"^[\s\ufeff]*(?:```[\w-]*\s*)?(?:\{|\[\s*(?:\{|$))", re.MULTILINE)
_NOTHING = re.compile(r"^(?:\W*NO[ _]?ANSWER\W*|```[\w-]*)$", re.IGNORECASE)


class AnswerSentence(BaseModel):
    """One sentence of an answer."""

    model_config = ConfigDict(extra="ignore")

    text: str
    passages: list[int]
    quotes: list[str] = Field(default_factory=list)

    def claim(self) -> Claim:
        """Return it as a claim; marks that the model put into its text as well are taken out of it."""
        numbers = [*self.passages, *marked_numbers(self.text)]
        return Claim(text=_bare(self.text), numbers=tuple(dict.fromkeys(numbers)), quotations=tuple(self.quotes))


class AnswerReply(BaseModel):
    """An answer, sentence by sentence; none where the passages do not answer."""

    model_config = ConfigDict(extra="ignore")

    sentences: list[AnswerSentence]


def marked_numbers(text: str) -> list[int]:
    """Return the numbers in the marks ("[1]", "[2, 3]") of a text, in order."""
    return [int(number) for mark in _MARKS.findall(text) for number in _NUMBER.findall(mark)]


def _bare(text: str) -> str:
    """Return a text without marks, and without the signs of bold words, code and headings around what they show."""
    return _SIGNS.sub(lambda found: found.group(1) or found.group(2), _HEADING.sub("", _MARKS.sub("", text)))


def line_claim(line: str) -> Claim | None:
    """Return the claim of one line of a streamed answer; None for an empty line, and for one that says "no answer"."""
    text = _LIST_SIGN.sub("", line).strip()
    if not text or _NOTHING.match(text):
        return None
    return Claim(text=_bare(text).strip(), numbers=tuple(dict.fromkeys(marked_numbers(text))))


def lines_of(pieces: Iterator[str], *, longest: int, is_whole: Callable[[], bool]) -> Iterator[str]:
    """Yield the lines of a text that comes in pieces, each as soon as it ended; of a longer line only the beginning.

    A last line without an end is yielded where ``is_whole`` says, afterwards, that the text was not cut off.
    """
    rest = ""
    for piece in pieces:
        *whole, rest = (rest + piece).split("\n")
        yield from (line[:longest] for line in whole)
        rest = rest[: longest + 1]
    if rest.strip() and is_whole():
        yield rest[:longest]


def begins_json(text: str) -> bool:
    """Tell whether a line of a text begins JSON, or a fence around it."""
    return _JSON_BEGINS.search(text) is not None
