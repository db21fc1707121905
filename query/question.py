"""What can be read off a question itself: words, names, identifiers, quotations, the kind of answer it asks for."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import content_stems, tokens, unique

QuestionKind: TypeAlias = Literal["who", "when", "where", "how_many", "yes_no", "why", "how", "what", "other"]

# Beyond this a "question" is a pasted text: its first words are analysed and searched, the rest is not.
_MOST_WORDS = 400

_IDENTIFIER = re.compile(r"(?<![\w-])\w[\w./:#-]*")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|k|m|g|km|kg|mm|cm|am|pm|x|d)", re.IGNORECASE)
QUOTED = re.compile(r"[\"“«„]([^\"“”«»„]{2,200})[\"”»“]")
_CAPITALISED = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w'\u2019.&-]*(?:\s+(?:(?:of|the|and|for|de|la|von|van|der|di|du|al|bin|in|on|at)\s+){0,2}"
    r"(?:[^\W\d_a-zß-öø-ÿ][\w'\u2019.&-]*|\d+))*"
)
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+)[\"“'(]*$")
_AGGREGATE = re.compile(
    r"\b(?:how (?:many|much)|total|sum of|average|mean|median|count of|number of|percentage of)\b.*"
    r"\b(?:last|this|past|previous|current|next|each|per)\s+(?:\w+\s+)?(?:day|week|month|quarter|year|hour|weekend)s?\b"
    r"|\b(?:on average|in total|altogether|per (?:day|week|month|quarter|year|customer|user|order))\b",
    re.IGNORECASE,
)
_OPENERS: tuple[tuple[QuestionKind, re.Pattern[str]], ...] = (
    ("how_many", re.compile(r"\bhow (?:many|much|old|long|far|tall|large|big|often|high|deep|heavy|fast)\b", re.I)),
    ("who", re.compile(r"\b(?:who|whom|whose|which (?:person|man|woman|people|actor|author|director|player))\b", re.I)),
    ("when", re.compile(r"\b(?:when|(?:what|which) (?:year|date|day|month|century|decade|time))\b", re.I)),
    (
        "where",
        re.compile(r"\b(?:where|(?:what|which) (?:city|country|place|state|town|county|region|location))\b", re.I),
    ),
    ("why", re.compile(r"\bwhy\b", re.I)),
    ("how", re.compile(r"^\W*how\b", re.I)),
    ("what", re.compile(r"\b(?:what|which)\b", re.I)),
)
_YES_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with what its text tells.

    ``searched`` is the text that is searched for (the question, cut at 400 words); ``stems`` are its distinct content
    stems in order, ``names`` its capitalised spans, ``identifiers`` tokens such as ORA-01555.
    """

    text: str
    searched: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    names: tuple[str, ...]
    identifiers: tuple[str, ...]
    quoted: tuple[str, ...]
    kind: QuestionKind
    is_aggregate: bool


def analyse(text: str) -> Question:
    """Analyse a question in any language; an empty one and one of punctuation alone have no words and no stems."""
    searched = " ".join(text.split()[:_MOST_WORDS])
    words = tuple(tokens(searched))
    return Question(
        text=text,
        searched=searched,
        words=words,
        stems=unique(content_stems(searched)),
        names=capitalised_names(searched),
        identifiers=identifiers(searched),
        quoted=tuple(found.strip() for found in QUOTED.findall(searched)),
        kind=question_kind(searched),
        is_aggregate=_AGGREGATE.search(searched) is not None,
    )


def question_kind(text: str) -> QuestionKind:
    """Return what kind of answer the question asks for, by its English question words; "other" where none is found."""
    if _YES_NO.match(text):
        return "yes_no"
    for kind, pattern in _OPENERS:
        if pattern.search(text):
            return kind
    return "other"


def identifiers(text: str) -> tuple[str, ...]:
    """Return tokens that look like codes: letters with digits, parts joined by - _ . / : # with a digit, snake_case.

    Plain numbers, ordinals, decades and amounts with a unit ("1990s", "3rd", "20km") are none.
    """
    found = [candidate.rstrip(".:/#-") for candidate in _IDENTIFIER.findall(text)]
    return unique([candidate for candidate in found if _is_code(candidate)])


def _is_code(candidate: str) -> bool:
    has_digit = any(character.isdigit() for character in candidate)
    letters = [character for character in candidate if character.isalpha()]
    if "_" in candidate.strip("_"):
        return bool(letters)
    if not has_digit or len(candidate) < 3 or _ORDINAL.fullmatch(candidate):
        return False
    if not letters:
        return sum(candidate.count(mark) for mark in "-/.") >= 2
    return any(letter.isupper() for letter in letters) or "-" not in candidate


def capitalised_names(text: str) -> tuple[str, ...]:
    """Return the capitalised spans of ``text`` that are names by their look, in order, without repetitions.

    A capital at the start of a sentence counts only where the word is neither a stop word nor followed by nothing
    capitalised; so "Which", "Summarise" and "Does" are no names.
    """
    names: list[str] = []
    for match in _CAPITALISED.finditer(text):
        span = _without_opening_word(match.group(), starts_sentence=_starts_sentence(text, match.start()))
        if len(span) > 1:
            names.append(span)
    return unique(names)


def _starts_sentence(text: str, start: int) -> bool:
    return _SENTENCE_START.search(text[max(0, start - 8) : start]) is not None


def _without_opening_word(span: str, *, starts_sentence: bool) -> str:
    parts = span.split()
    if starts_sentence and (parts[0].casefold() in FUNCTION_WORDS or len(parts) == 1):
        parts = parts[1:]
    while parts and parts[0].casefold() in FUNCTION_WORDS:
        parts = parts[1:]
    return re.sub(r"(?:['\u2019]s|[.,;:?!'\u2019-])+$", "", " ".join(parts))
