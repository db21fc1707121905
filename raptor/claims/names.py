"""The names in a claim, told by their capitals, and those that its ground has not."""

import re
from collections.abc import Iterator

from raptor.claims.languages import FREQUENT_WORDS, language_of
from raptor.claims.words import Words, is_held
from raptor.stop_words import FUNCTION_WORDS, OPENERS, STOP_WORDS
from raptor.text_words import tokens

_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")
_SENTENCE_END = re.compile(r"[.!?:;]['\")\u201d]*\s+$")
_LONGEST_END = 8
# Nouns have capitals, so that one word with a capital tells no name, but two in a row do.
_CAPITALISE_NOUNS = frozenset({"de"})
_COMMON = STOP_WORDS | OPENERS | FREQUENT_WORDS


def names_in(text: str, *, is_sentence: bool = True) -> list[str]:
    """Return the folded words of names, in order.

    A name is a word that is written large where no sentence begins, and a word at the beginning of one unless it is
    common. What is no sentence, such as "Founder of the Works", may begin with any word.
    """
    return [token for word in _found(text, is_sentence=is_sentence) for token in _name_tokens(word.group())]


def name_runs(text: str) -> list[tuple[str, ...]]:
    """Return the names in a text, each as its folded words: what is written large with nothing but a blank between."""
    runs = list[list[str]]()
    end = -1
    for word in _found(text, is_sentence=True):
        if found := _name_tokens(word.group()):
            if end >= 0 and text[end : word.start()] == " ":
                runs[-1].extend(found)
            else:
                runs.append(found)
        end = word.end() if found else -1
    return [tuple(run) for run in runs]


def without_names(text: str, *, is_sentence: bool = False) -> str:
    """Return a text with blanks where it has names; what is no sentence may begin with any word."""
    kept = text
    for word in _found(text, is_sentence=is_sentence):
        kept = kept[: word.start()] + " " * len(word.group()) + kept[word.end() :]
    return kept


def missing_names(text: str, ground: Words, *, is_sentence: bool = True) -> list[str]:
    """Return the words of names in a text that the ground has not."""
    return [token for token in names_in(text, is_sentence=is_sentence) if not is_held(token, ground)]


def _found(text: str, *, is_sentence: bool) -> list[re.Match[str]]:
    """Return the words that are names or parts of them."""
    found = list(_large_words(text, is_sentence=is_sentence))
    if language_of(text) in _CAPITALISE_NOUNS:
        found = [word for word in found if not _begins(text, word) and _has_neighbour(text, word, found)]
    return found


def _name_tokens(word: str) -> list[str]:
    return [token for token in tokens(word) if token not in FUNCTION_WORDS and not token.isdecimal()]


def _large_words(text: str, *, is_sentence: bool) -> Iterator[re.Match[str]]:
    for word in _WORD.finditer(text):
        if word.group()[0].isupper() and (
            not _begins(text, word) or (is_sentence and word.group().casefold() not in _COMMON)
        ):
            yield word


def _begins(text: str, word: re.Match[str]) -> bool:
    """Tell whether a sentence begins with a word."""
    before = text[max(0, word.start() - _LONGEST_END) : word.start()]
    return not any(map(str.isalnum, text[: word.start()])) or _SENTENCE_END.search(before) is not None


def _has_neighbour(text: str, word: re.Match[str], names: list[re.Match[str]]) -> bool:
    return any(
        text[first.end() : second.start()] == " "
        for other in names
        for first, second in ((word, other), (other, word))
        if first.end() < second.start()
    )
