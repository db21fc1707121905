"""Whether the documents speak of other years than a question does."""

import re
from collections.abc import Iterable

from query.question import Question
from raptor.text_words import content_stems

# A number with a plural noun behind it counts something, unless a preposition makes it a time ("in 1984 elections").
_YEAR = re.compile(
    r"(?<![\w.,/-])(?:(?<=\bin )|(?<=\bof )|(?<=\bsince )|(?<=\bby )|(?<=\bduring )|(?<=\bbefore )|(?<=\bafter )"
    r"|(?!\d{4} [a-z]+s\b))(?:1[0-9]|20)\d\d(?![\w/-]|[.,]\d)"
)
# A text speaks of what is asked where it has this share of the question's words besides its years.
_SPOKEN_OF = 0.5


def years_of(text: str) -> frozenset[str]:
    """Return the years that a text names, as they stand."""
    return frozenset(_YEAR.findall(text))


def year_not_told(question: Question, *, told: Iterable[str], weighed: Iterable[str]) -> str:
    """Return a year of the question of which no text says what is asked, where what would be told names other years; ""
    else.

    ``told`` are the sentences that would answer, ``weighed`` all texts that were read for it, with their titles. Where
    what is told names no year at all, it may well hold for the one that is asked about. A year that stands in some text
    is not told either where one of the told sentences speaks of what is asked for another year, and no text does so
    that has the year.
    """
    asked = _YEAR.findall(question.searched)
    if not asked:
        return ""
    sentences = [(text, years_of(text)) for text in told]
    others = frozenset[str]().union(*(years for _, years in sentences)).difference(asked)
    rest = frozenset(question.stems).difference(asked)
    if not others or any(years.intersection(asked) and _shares(text, rest) for text, years in sentences):
        return ""
    is_told_of_others = any(years and years.isdisjoint(asked) and _speaks(text, rest) for text, years in sentences)
    texts = [(text, years_of(text)) for text in weighed]
    known = {year for text, years in texts for year in years if not is_told_of_others or _speaks(text, rest)}
    return next((year for year in asked if year not in known), "")


def _shares(text: str, words: frozenset[str]) -> bool:
    return not words or not words.isdisjoint(content_stems(text))


def _speaks(text: str, words: frozenset[str]) -> bool:
    return len(words.intersection(content_stems(text))) >= _SPOKEN_OF * len(words)
