"""Whether sentences have something of the kind that a question asks for: a name, a date, a number, a reason."""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from query.question import Question
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem, tokens

AskedKind: TypeAlias = Literal["name", "date", "number"]

_NUMBER_WORD = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|"
    r"dozen|half|twice|once|several|none"
)
_NUMBER = re.compile(rf"\d|\b(?:{_NUMBER_WORD})\b", re.IGNORECASE)
# An amount: not the digits of a code or of a name ("DSS-14", "Voyager 2"), not a year, unless things are counted by it.
_AMOUNT = re.compile(rf"(?<![\w-])(?<!\w[.,/:])\d[\d.,:]*|\b(?:{_NUMBER_WORD})\b", re.IGNORECASE)
_DESIGNATION = re.compile(r"(?<=[\w,;] )[^\W\d_a-z][\w-]*(?: \d+\b)+(?![.,]\d| [a-z]+s\b)")
_YEAR = re.compile(
    r"\b(?:in|since|by|of|from|until|till|to|between|and|during|early|mid|late|before|after|january|february|march|april"
    r"|may|june|july|august|september|october|november|december)[ -](?:1\d|20)\d\d\b(?![.,]\d| [a-z]+s\b)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:1\d{3}|20\d{2})s?\b|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}(?:st|nd|rd|th) centur"
    r"|\b(?:january|february|march|april|(?-i:May|MAY)|june|july|august|september|october|november|december|monday"
    r"|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|yesterday|tonight|morning|evening|noon"
    r"|century)\b",
    re.IGNORECASE,
)
_CAPITALISED_WORD = re.compile(r"\b[^\W\d_a-z][\w-]+")
_SPAN_ASKED = re.compile(r"\bhow (?:long|old|far|late|early)\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since|due to|so that|in order to|caused|reason|therefore|as a result)\b", re.I)
_MEASURE = re.compile(
    r"\bwhat (?:is|was|are|were) the (?:\w+ ){0,2}(?:age|altitude|area|capacity|cost|depth|diameter|distance|duration"
    r"|frequency|height|length|mass|number|percentage|population|power|price|share|size|speed|temperature|thrust"
    r"|weight|width)\b",
    re.IGNORECASE,
)
# "What is the contract number": a code, not an amount, as "the total number" would be.
_CODE_ASKED = re.compile(
    r"\b(?:what|which) (?:is|was|are|were) the (?!(?:\w+ )?(?:total|whole|full|average|exact|maximum|minimum"
    r"|highest|lowest|largest|combined|overall|approximate|greatest) )(?:\w+ ){1,2}numbers?\b",
    re.IGNORECASE,
)
# The words that a question asks with, as they are repeated where the documents do not say it.
_ASKING = re.compile(
    r"\b(?:who|whom|whose|when|where|how (?:many|much|\w+)|(?:which|what) (?:year|date|day|month|century|decade|time"
    r"|city|country|place|state|town|county|region|location|person|man|woman|people|actor|author|director|player))\b",
    re.IGNORECASE,
)


def has_expected_type(text: str, question: Question) -> bool:
    """Tell whether ``text`` holds what the question's kind asks for: a new name, a date, a number, a reason.

    True for kinds that ask for nothing in particular. A name that the question itself has is not new.
    """
    if question.kind == "how_many":
        return has_number(text)
    if question.kind == "when":
        return _DATE.search(text) is not None
    if question.kind in {"who", "where"}:
        return _has_new_name(text, question)
    if question.kind == "why":
        return _REASON.search(text) is not None
    return True


def asked_kind(question: Question) -> AskedKind | None:
    """Return what an answer must have, as far as its form tells; None where any sentence may answer."""
    if _CODE_ASKED.search(question.searched):
        return None
    if question.kind == "how_many" or _MEASURE.search(question.searched):
        return "number"
    if question.kind == "when":
        return "date"
    return "name" if question.kind in {"who", "where"} else None


def lacks_asked_kind(texts: Sequence[str], question: Question) -> bool:
    """Tell whether none of ``texts`` (sentences and titles) has a name, date or number that the question lacks.

    Always False where the question asks for none of the three. In doubt a text has it: a common noun that opens a
    sentence counts as a name.
    """
    kind = asked_kind(question)
    if kind is None:
        return False
    found = {"name": _may_have_new_name, "date": _has_new_date, "number": _has_new_amount}[kind]
    return not any(found(text, question) for text in texts)


def asking_words(question: Question) -> str:
    """Return the words that the question asks with, in lower case ("when", "which city"); "" where none is known."""
    match = _ASKING.search(question.searched)
    return match.group().casefold() if match else ""


def has_number(text: str) -> bool:
    """Tell whether ``text`` has a number, in digits or in English words."""
    return _NUMBER.search(text) is not None


def _has_new_name(text: str, question: Question) -> bool:
    asked = set(question.stems)
    names = [
        token for match in _CAPITALISED_WORD.finditer(text) if match.start() > 0 for token in tokens(match.group())
    ]
    return any(stem(token) not in asked for token in names)


def _may_have_new_name(text: str, question: Question) -> bool:
    asked = set(question.stems)
    words = [token for match in _CAPITALISED_WORD.finditer(text) for token in tokens(match.group())]
    return any(token not in FUNCTION_WORDS and stem(token) not in asked for token in words)


def _has_new_date(text: str, question: Question) -> bool:
    asked = set(question.words)
    return any(not asked.issuperset(tokens(match.group())) for match in _DATE.finditer(text))


def _has_new_amount(text: str, question: Question) -> bool:
    if _SPAN_ASKED.search(question.searched) and _has_new_date(text, question):
        return True
    asked = set(question.words)
    plain = _YEAR.sub(" ", _DESIGNATION.sub(" ", text))
    return any(not asked.issuperset(tokens(match.group())) for match in _AMOUNT.finditer(plain))
