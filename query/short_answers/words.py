"""A sentence as words with their places: what spans are cut from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem, tokens

# Amounts with sign and decimals, abbreviations with dots, words with hyphens and apostrophes ("'s" stays outside).
_WORD = re.compile(
    r"[$£€]?\d+(?:[.,:]\d+)*%?|(?:[^\W\d_]\.){2,}|[^\W\d_]+(?:[-&](?=\w)[^\W_]+|['\u2019](?!s\b|S\b)[^\W\d_]+)*|\w"
)
_SENTENCES_KEPT = 2_048


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word at ``[start, end)`` of a sentence; ``stem`` is "" for function words, ``gap`` what stands before it."""

    text: str
    start: int
    end: int
    stem: str
    gap: str

    @property
    def is_function_word(self) -> bool:
        """Whether it carries grammar alone."""
        return not self.stem

    @property
    def is_capital(self) -> bool:
        """Whether it begins as names do."""
        return self.text[0].isupper()

    @property
    def is_number(self) -> bool:
        """Whether it has digits."""
        return any(character.isdigit() for character in self.text)


@lru_cache(maxsize=_SENTENCES_KEPT)
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text in reading order."""
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        found.append(
            Word(
                text=match.group(),
                start=match.start(),
                end=match.end(),
                stem=_stem(match.group()),
                gap=text[end : match.start()],
            )
        )
        end = match.end()
    return tuple(found)


def _stem(text: str) -> str:
    parts = [token for token in tokens(text) if token not in FUNCTION_WORDS]
    return stem(parts[-1]) if parts else ""


def stems_of(words: Sequence[Word]) -> frozenset[str]:
    """Return the content stems of some words."""
    return frozenset(word.stem for word in words if word.stem)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written with spaces between them."""
    return frozenset(text.split())
