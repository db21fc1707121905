"""Whether a sentence has something of the kind that a question asks for."""

import re

from query.question import Question
from query.text_words import stem, tokens

_NUMBER_WORD = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|"
    r"dozen|half|twice|once|several|none"
)
_NUMBER = re.compile(rf"\d|\b(?:{_NUMBER_WORD})\b", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:1\d{3}|20\d{2})s?\b|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}(?:st|nd|rd|th) centur"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|today|tomorrow|yesterday|tonight|morning|evening|noon|century)\b",
    re.IGNORECASE,
)
_CAPITALISED_WORD = re.compile(r"\b[^\W\d_a-z][\w-]+")
_REASON = re.compile(r"\b(?:because|since|due to|so that|in order to|caused|reason|therefore|as a result)\b", re.I)


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


def has_number(text: str) -> bool:
    """Tell whether ``text`` has a number, in digits or in English words."""
    return _NUMBER.search(text) is not None


def _has_new_name(text: str, question: Question) -> bool:
    asked = set(question.stems)
    names = [
        token for match in _CAPITALISED_WORD.finditer(text) if match.start() > 0 for token in tokens(match.group())
    ]
    return any(stem(token) not in asked for token in names)
