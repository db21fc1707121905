"""Words of questions and passages: tokens, English stems.

The stores have their own tokeniser for searching; this one serves the measures taken after the search (coverage of a
question by a sentence, rarity of a word), so both sides of a comparison always go through it.
"""

import re
import unicodedata
from functools import lru_cache
from threading import Lock

from Stemmer import Stemmer  # type: ignore[import-not-found]  # an extension without types

from raptor.stop_words import FUNCTION_WORDS

_TOKEN = re.compile(r"\w+", re.UNICODE)
# Scripts written without spaces: Han, kana, Hangul stays out (it has spaces), Thai.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")

# The keyword index stems by Snowball's English too, so a word that it finds counts as found here. One thread at a time.
_STEMMER = Stemmer("english", 0)
_STEMMING = Lock()


def tokens(text: str) -> list[str]:
    """Return the word tokens of ``text``, NFKC and case folded; runs of unspaced scripts become overlapping pairs."""
    if text.isascii():
        return _TOKEN.findall(text.lower())
    found: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if len(token) > 2 and _UNSPACED.match(token):
            found.extend(token[i : i + 2] for i in range(len(token) - 1))
        else:
            found.append(token)
    return found


def content_stems(text: str) -> list[str]:
    """Return the stems of the tokens of ``text`` that carry more than grammar, in order, with repetitions."""
    return [stem(token) for token in tokens(text) if token not in FUNCTION_WORDS]


def unique(items: list[str]) -> tuple[str, ...]:
    """Return ``items`` without repetitions, in order of first appearance."""
    return tuple(dict.fromkeys(items))


@lru_cache(maxsize=200_000)
def stem(token: str) -> str:
    """Return the Snowball English stem of a folded token: "cities" -> "citi", "planned" -> "plan"."""
    with _STEMMING:
        stemmed: str = _STEMMER.stemWord(token)
    return stemmed
