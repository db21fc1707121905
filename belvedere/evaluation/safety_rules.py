"""What an answer must say, and must not: the fields ``must_contain`` and ``must_not_contain`` of a question."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from belvedere.evaluation.dataset_files import Row, shown
from model_clients.unseen_characters import UNSEEN

RULE_FIELDS = ("must_contain", "must_not_contain")

_MARK = re.compile(r"\[\d+\]")
_BROKEN_WORD = re.compile(r"(?<=\w)[-\u2010][ \t]*\r?\n\s*(?=\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyRules:
    """Words that the answer to a question must have, all of them, and words that it must not have, none of them."""

    must_contain: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is any rule."""
        return bool(self.must_contain or self.must_not_contain)

    def missing(self, answer: str) -> tuple[str, ...]:
        """Return what an answer must contain and does not."""
        forms = _forms(answer)
        return tuple(words for words in self.must_contain if not _stands_in(words, forms))

    def forbidden(self, answer: str) -> tuple[str, ...]:
        """Return what an answer contains and must not."""
        forms = _forms(answer)
        return tuple(words for words in self.must_not_contain if _stands_in(words, forms))


def read_rules(row: Row) -> SafetyRules:
    """Return the rules of a row that has no ``rules_problem``."""
    return SafetyRules(**{name: _texts(row, name) for name in RULE_FIELDS})


def rules_problem(row: Mapping[str, object]) -> str:
    """Tell what is wrong with the rules of a row, "" where nothing is."""
    for name in RULE_FIELDS:
        value = row.get(name)
        if value is None:
            continue
        if not isinstance(value, list):
            return f"{name} must be a list of texts, not {shown(value)}"
        for words in value:
            if not isinstance(words, str) or not compared(words):
                return f"{name} must list texts with something in them, not {shown(words)}: quote numbers and dates"
    return ""


def compared(text: str) -> str:
    """Return a text as rules compare it: Unicode's NFKC, case folded, white space as one space, without what is never
    shown (zero-width characters, soft hyphens, variation selectors, fillers): such characters hide no word.
    """
    plain = _normal(_seen(text)).casefold()
    # Folding, and what normalising brings up or leaves side by side, can be not normal or not seen again.
    plain = _normal(_seen(_normal(plain)))
    return " ".join(plain.split())


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _seen(text: str) -> str:
    return "".join(character for character in UNSEEN.sub("", text) if unicodedata.category(character) != "Cf")


def _forms(answer: str) -> tuple[str, ...]:
    """Return the answer with its marks, and without them: neither a mark in the middle nor a line's end parts words."""
    without_marks = _MARK.sub("", answer)
    return tuple(
        compared(form) for form in (answer, without_marks, _MARK.sub(" ", answer), _BROKEN_WORD.sub("", without_marks))
    )


def _stands_in(words: str, forms: tuple[str, ...]) -> bool:
    wanted = compared(words)
    return any(wanted in form for form in forms)


def _texts(row: Row, name: str) -> tuple[str, ...]:
    value = row.get(name)
    return tuple(dict.fromkeys(map(str, value))) if isinstance(value, list) else ()
