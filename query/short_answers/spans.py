"""Spans of a sentence that could be an answer: dates, amounts, names, quoted titles and short phrases."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from query.short_answers.words import Word, word_set, words_of

SpanKind: TypeAlias = Literal["date", "number", "name", "quoted", "phrase"]

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?, ?\d{{4}}"
    rf"|{_MONTH},? \d{{4}}|\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}}(?!\d)"
    r"|(?:(?:early|mid|late)[- ])?"
    r"(?:(?:1[0-9]|20)\d0s|(?:\d{1,2}(?:st|nd|rd|th)|[a-z]+(?:teen|tie)?th) centur(?:y|ies))"
    r"|\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b\.?|(?<![\d,.$£€])(?:1\d|20)\d\d(?![\d,]\d|%))",
)
# Within a fuller date, where the year alone is asked for.
_YEAR = re.compile(r"(?<![\d,.$£€])(?:1\d|20)\d\d(?![\d,]\d|%)\b")
_NUMBER_WORDS = word_set(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen"
    " twice once half one-third two-thirds first second third fourth fifth sixth seventh eighth ninth tenth"
)
_SCALES = word_set("hundred thousand million billion trillion percent per cent dozen")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,80})[\"”»]")
_CONNECTORS = word_set("of the and for de la le du da di von van der den del al el bin ibn on in at to &")
_LONGEST_NAME = 9
_MOST_PIECES = 4
_LONGEST_PHRASE = 5
_SUFFIXES = frozenset({"Jr", "Sr", "Inc", "Ltd", "Co", "St", "Dr", "Mt", "No"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Words ``[first, last]`` of a sentence (both inclusive) and their characters ``[start, end)``."""

    kind: SpanKind
    first: int
    last: int
    start: int
    end: int


def spans_of(text: str) -> tuple[Span, ...]:
    """Return the spans of a sentence; of two with the same words one counts: date before number, quoted and name."""
    words = words_of(text)
    found: dict[tuple[int, int], Span] = {}
    for span in _all_spans(text, words):
        found.setdefault((span.first, span.last), span)
    return tuple(found.values())


def _all_spans(text: str, words: Sequence[Word]) -> Iterator[Span]:
    yield from _matched(text, words, _DATE, "date")
    yield from _matched(text, words, _YEAR, "date")
    yield from _numbers(words)
    yield from _matched(text, words, _QUOTED, "quoted")
    yield from _names(words)
    yield from _phrases(words)


def make_span(kind: SpanKind, words: Sequence[Word], first: int, last: int) -> Span:
    """Return the span of the words ``first`` to ``last``."""
    return Span(kind=kind, first=first, last=last, start=words[first].start, end=words[last].end)


def _matched(text: str, words: Sequence[Word], pattern: re.Pattern[str], kind: SpanKind) -> Iterator[Span]:
    for match in pattern.finditer(text):
        start, end = match.span(1) if pattern.groups else match.span()
        inside = [place for place, word in enumerate(words) if word.start >= start and word.end <= end]
        if inside:
            yield make_span(kind, words, inside[0], inside[-1])


def _numbers(words: Sequence[Word]) -> Iterator[Span]:
    """Yield each amount: alone, and with the one or two words that it counts."""
    place = 0
    while place < len(words):
        if not _is_amount(words[place]) or words[place].gap.endswith("["):
            place += 1
            continue
        last = place
        while last + 1 < len(words) and words[last + 1].gap in {" ", "-"} and _goes_on(words[last + 1]):
            last += 1
        yield make_span("number", words, place, last)
        for more in (1, 2):
            if last + more < len(words) and _counted(words[last + 1 : last + more + 1]):
                yield make_span("number", words, place, last + more)
        place = last + 1


def _is_amount(word: Word) -> bool:
    return word.is_number or word.text.casefold() in _NUMBER_WORDS or word.text.startswith(("two-", "three-", "four-"))


def _goes_on(word: Word) -> bool:
    return word.text.casefold() in _SCALES or (word.text.casefold() in _NUMBER_WORDS and word.gap == "-")


def _counted(words: Sequence[Word]) -> bool:
    return all(word.gap in {" ", "-"} and not word.is_function_word and not word.is_number for word in words)


def _names(words: Sequence[Word]) -> Iterator[Span]:
    """Yield runs of capitalised words, whole and in the parts that connecting words and commas make."""
    for run in _name_runs(words):
        pieces = _pieces(words, run)
        for start, (first, _) in enumerate(pieces):
            ends = [last for _, last in pieces[start : start + _MOST_PIECES] if last - first < _LONGEST_NAME]
            yield from (make_span("name", words, first, last) for last in ends)


def _name_runs(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    place = 0
    while place < len(words):
        if not words[place].is_capital or (words[place].is_function_word and not _heads_name(words, place)):
            place += 1
            continue
        last = place
        while (reached := _next_capital(words, last)) is not None:
            last = reached
        yield place, last
        place = last + 1


def _heads_name(words: Sequence[Word], place: int) -> bool:
    """Tell whether a capital function word begins a name within a sentence: "The Exies", "In Utero"."""
    follows = place + 1 < len(words) and words[place + 1].is_capital and words[place + 1].gap == " "
    return place > 0 and follows


def _next_capital(words: Sequence[Word], last: int) -> int | None:
    """Return the next capitalised word that goes on a name after ``last``, over at most two connecting words."""
    for place in range(last + 1, min(len(words), last + 4)):
        word = words[place]
        if not _joins(words[place - 1], word):
            return None
        if word.is_capital or (word.is_number and place == last + 1):
            return place
        if word.text.casefold() not in _CONNECTORS:
            return None
    return None


def _joins(one: Word, other: Word) -> bool:
    if other.gap in {" ", ", ", ' "', '" ', " & ", " “", "” ", "'s ", "\u2019s "}:
        return True
    return other.gap == ". " and (len(one.text) == 1 or one.text in _SUFFIXES)


def _pieces(words: Sequence[Word], run: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the parts of a run between connecting words, commas and quotation marks."""
    pieces: list[tuple[int, int]] = []
    first = run[0]
    for place in range(run[0] + 1, run[1] + 1):
        is_connector = words[place].text.casefold() in _CONNECTORS and not words[place].is_capital
        if is_connector or words[place].gap not in {" ", ". "}:
            if first < place:
                pieces.append((first, place - 1))
            first = place + 1 if is_connector else place
    pieces.append((first, run[1]))
    return [piece for piece in pieces if piece[0] <= piece[1]]


def _phrases(words: Sequence[Word]) -> Iterator[Span]:
    """Yield runs of content words, their last one, two and three words, and two runs joined by "of" or "and"."""
    runs = list(_content_runs(words))
    for first, last in runs:
        for length in {last - first + 1, 1, 2, 3}:
            if length <= min(last - first + 1, _LONGEST_PHRASE):
                yield make_span("phrase", words, last - length + 1, last)
        if last > first:
            yield make_span("phrase", words, first, min(last, first + 1))
    for (first, end), (begin, last) in pairwise(runs):
        between = [word.text.casefold() for word in words[end + 1 : begin]]
        if between in (["of"], ["and"], ["of", "the"]) and last - first < _LONGEST_PHRASE + 2:
            yield make_span("phrase", words, first, last)


def _content_runs(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    first: int | None = None
    for place, word in enumerate(words):
        breaks = word.is_function_word or (first is not None and word.gap not in {" ", "-"})
        if first is not None and breaks:
            yield first, place - 1
            first = None
        if first is None and not word.is_function_word:
            first = place
    if first is not None:
        yield first, len(words) - 1
