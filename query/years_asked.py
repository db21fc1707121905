"""Whether the documents speak of other years than a question does."""

import re
from collections.abc import Iterable

from query.question import Question

# A number with a plural noun behind it counts something, unless a preposition makes it a time ("in 1984 elections").
_YEAR = re.compile(
    r"(?<![\w.,/-])(?:(?<=\bin )|(?<=\bof )|(?<=\bsince )|(?<=\bby )|(?<=\bduring )|(?<=\bbefore )|(?<=\bafter )"
    r"|(?!\d{4} [a-z]+s\b))(?:1[0-9]|20)\d\d(?![\w/-]|[.,]\d)"
)


def year_not_told(question: Question, *, told: Iterable[str], weighed: Iterable[str]) -> str:
    """Return a year of the question that no text has, where what would be told names other years; "" else.

    ``told`` are the sentences that would answer, ``weighed`` all texts that were read for it, with their titles. Where
    what is told names no year at all, it may well hold for the one that is asked about.
    """
    asked = _YEAR.findall(question.searched)
    if not asked:
        return ""
    others = {year for text in told for year in _YEAR.findall(text)}
    if not others or not others.isdisjoint(asked):
        return ""
    known = {year for text in weighed for year in _YEAR.findall(text)}
    return next((year for year in asked if year not in known), "")
