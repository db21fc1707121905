"""What a question asks for: a person, a place, a date, a number or some thing, and the noun that it asks with."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from query.answer_types import asked_kind
from query.question import Question
from query.short_answers.words import word_set, words_of

WantedKind: TypeAlias = Literal["person", "place", "date", "number", "thing"]

_ASKING = re.compile(
    r"\b(?:who|whom|whose|when|where|what|which|why|how (?:many|much|old|long|far|tall|large|big|often|high|deep|heavy"
    r"|fast|close)|how)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r"^\W*(?:(?:in|on|at|to|from|by|of|for|with|under|during|since|until|as|and)\s+)?$", re.IGNORECASE)
_IS_THE = re.compile(r"^(?:\s*(?:is|was|are|were|'s))(?:\s+(?:the|a|an))?\s+", re.IGNORECASE)
# "When did the spouse of X …", "the state that borders": a description of something that the question does not name.
_DESCRIBES = re.compile(
    r"\bthe (?:[a-z-]+ ){1,3}?(?:of|by|from|for|in|at|with|named|called|known)\b|\bof\b.*\bof\b|[^\W_]['\u2019]s? [a-z]"
)
_ASKS_DIRECTLY = re.compile(
    r"^\W*\w+ (?:is|was|are|were) the (?:[\w-]+ ){1,4}?(?:of|by|from|for|in|at) ", re.IGNORECASE
)
_RELATIVE = re.compile(r"\b(?:who|whom|whose|where|which|that)\b", re.IGNORECASE)
_BY_WORD: dict[str, WantedKind] = {"who": "person", "whom": "person", "when": "date", "where": "place"}
_BY_NOUN: tuple[tuple[WantedKind, frozenset[str]], ...] = (
    (
        "person",
        word_set(
            "person man woman peopl actor actress author director player singer writer musician artist composer rapper"
            " politician footbal painter poet king queen presid emperor governor mayor senat captain scientist engin"
            " mother father son daughter wife husband brother sister spous sibl"
        ),
    ),
    (
        "place",
        word_set("citi countri place state town counti region locat villag provinc district contin island territori"),
    ),
    ("date", word_set("year date day month centuri decad")),
    ("number", word_set("percentag popul number amount height length weight")),
)
_LONGEST_NOUN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The kind of answer, the stems of the noun that is asked with ("which *rock band*"), and where the question's
    asking word stands in its text.
    """

    kind: WantedKind
    noun: frozenset[str]
    place: int

    @property
    def is_year(self) -> bool:
        """Whether a year is asked for, not a fuller date."""
        return "year" in self.noun and self.kind == "date"


def wanted(question: Question) -> Wanted:
    """Read off a question what would answer it."""
    match = _asking_word(question.searched)
    if match is None:
        return Wanted(kind="thing", noun=frozenset(), place=0)
    word = match.group().casefold()
    noun = _asked_noun(question.searched[match.end() :]) if word not in _BY_WORD else ()
    return Wanted(kind=_kind(word, noun, question), noun=frozenset(noun), place=match.start())


def is_plain(question: Question) -> bool:
    """Tell whether a question opens with what it asks and names what it asks about.

    One that describes it ("the country *where* Jimenez lies", "the spouse *of* the director", "Wesson's team") is
    answered in two steps, and what answers the first looks like an answer too.
    """
    text = question.searched
    asking = _asking_word(text)
    if asking is None or not _OPENS.match(text[: asking.start()]):
        return False
    if any(match.start() != asking.start() for match in _RELATIVE.finditer(text)):
        return False
    rest = text[found.end() :] if (found := _ASKS_DIRECTLY.match(text)) else text
    return _DESCRIBES.search(rest) is None


def _asking_word(text: str) -> re.Match[str] | None:
    """Return the word that asks: the one that opens the question, else "what" or "how", else the last.

    A relative pronoun ("the man who") asks nothing; within a question the last one, or "what", most likely asks.
    """
    found = list(_ASKING.finditer(text))
    for match in found:
        if _OPENS.match(text[: match.start()]) or match.group().casefold().startswith(("what", "how ")):
            return match
    return found[-1] if found else None


def _kind(word: str, noun: tuple[str, ...], question: Question) -> WantedKind:
    if word in _BY_WORD:
        return _BY_WORD[word]
    if word.startswith("how ") or asked_kind(question) == "number":
        return "number"
    for kind, nouns in _BY_NOUN:
        if nouns.intersection(noun):
            return kind
    return "thing"


def _asked_noun(rest: str) -> tuple[str, ...]:
    """Return the stems of the words up to the next function word; those after "is the" where it begins so."""
    rest = rest[found.end() :] if (found := _IS_THE.match(rest)) else rest
    taken: list[str] = []
    for word in words_of(rest)[:_LONGEST_NOUN]:
        if word.is_function_word or (taken and word.gap.strip()):
            break
        taken.append(word.stem)
    return tuple(taken)
