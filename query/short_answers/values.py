"""What a passage says of a thing that can be compared: when it began or ended, amounts with a unit, what kind it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from query.passages import CandidateSentence
from query.short_answers.sides import Side
from raptor.text_words import content_stems

DateKind: TypeAlias = Literal["birth", "death", "event"]

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_MONTH = "(?:" + "|".join(month.capitalize() for month in _MONTHS) + ")"
_YEAR = r"(?<![\d,.])(?:1\d|20)\d\d(?![\d,]\d)"
_DATE = rf"(?:\d{{1,2}} {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}}, ?\d{{4}}|{_MONTH} \d{{4}}|{_YEAR})"
_DASH = r"\u2013\u2014-"
_ANY = re.compile(_DATE)
_BORN = (
    re.compile(rf"\bborn\b[^.;()]{{0,60}}?({_DATE})"),
    re.compile(rf"\([^()]{{0,60}}?({_DATE})\s*(?:[{_DASH}]|to\b)"),
    re.compile(rf"\(\s*(?:b\.|born)\s*({_DATE})"),
)
_DIED = (
    re.compile(rf"[{_DASH}]\s*(?:[^(){_DASH}]{{0,30}}?)({_DATE})\s*\)"),
    re.compile(rf"\bdied\b[^.;()]{{0,60}}?({_DATE})"),
)
_KIND = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+([^.;]{3,120})")
_FIRST_SENTENCES = 3
# Words of beginnings: a thing's first date is that of its beginning, and of nothing else.
_BEGINNINGS = frozenset(
    content_stems(
        "came come release published publish founded found established establish formed form started start began begin"
        " created create opened open built build launched launch made debuted introduced completed premiered issued"
        " constructed incorporated written appeared invented discovered"
    )
)
_ENDINGS = frozenset(
    content_stems(
        "closed close ended end dissolved bankrupt bankruptcy defunct demolished destroyed merged ceased abolished"
        " died sold retired disbanded"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value as it stands in ``sentence`` and as it is compared."""

    text: str
    key: tuple[float, ...]
    sentence: CandidateSentence


def date_of(side: Side, kind: DateKind, events: frozenset[str]) -> Value | None:
    """Return a date of the thing: of birth, of death, or of the event whose word (a stem of ``events``) stands with it.

    Where no sentence with such a word has a date, and a beginning is asked for, or just what is older, it is the first
    date of the first sentences that speak of no end.
    """
    if kind == "event":
        told = [sentence for sentence in side.sentences if sentence.stems & events]
        may_open = side.is_titled and (not events or events & _BEGINNINGS)
        opening = side.sentences[:_FIRST_SENTENCES] if may_open else ()
        return _first_match((_ANY,), told) or _first_match(
            (_ANY,), [own for own in opening if not own.stems & _ENDINGS]
        )
    return _first_match(_BORN if kind == "birth" else _DIED, side.sentences[:_FIRST_SENTENCES])


def _first_match(patterns: Sequence[re.Pattern[str]], sentences: Sequence[CandidateSentence]) -> Value | None:
    for sentence in sentences:
        for pattern in patterns:
            if match := pattern.search(sentence.text):
                text = match.group(match.lastindex or 0)
                return Value(text=text, key=date_key(text), sentence=sentence)
    return None


def date_key(text: str) -> tuple[float, ...]:
    """Return year, month and day as far as they are told."""
    year = re.search(r"\d{4}", text)
    month = next((place for place, name in enumerate(_MONTHS, start=1) if name in text.casefold()), None)
    day = re.search(r"\b\d{1,2}\b", text)
    found = [float(year.group())] if year else []
    if month is not None:
        found.append(float(month))
        if day is not None:
            found.append(float(day.group()))
    return tuple(found)


def kind_of(side: Side) -> Value | None:
    """Return what the thing is ("an American film director") from the sentence that says so first."""
    for sentence in side.sentences[:_FIRST_SENTENCES]:
        if match := _KIND.search(sentence.text):
            return Value(text=match.group(1), key=(), sentence=sentence)
    return None
