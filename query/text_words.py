"""Words of questions and passages: tokens, light English stems, stop words.

The stores have their own tokeniser for searching; this one serves the measures taken after the search (coverage of a
question by a sentence, rarity of a word), so both sides of a comparison always go through it.
"""

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"\w+", re.UNICODE)
# Scripts written without spaces: Han, kana, Hangul stays out (it has spaces), Thai.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
_VOWEL = re.compile(r"[aeiouy]")

_STOP_TEXT = """
a about above after again against all also am an and any are aren as at be because been before being below between
both but by can cannot could couldn did didn do does doesn doing don down during each either else ever every few
for from further had hadn has hasn have haven having he her here hers herself him himself his how however i if in
into is isn it its itself just ll let may me might mine more most much must my myself neither no nor not of off on
once only or other our ours ourselves out over own per please re same shall she should shouldn since so some such
tell than that the their theirs them themselves then there these they this those though through to too under until
up upon us ve very via was wasn we were weren what whatever when where whether which while who whom whose why will
with within without won would wouldn yes yet you your yours yourself yourselves s t d m
"""

STOP_WORDS = frozenset(_STOP_TEXT.split())

_ENDINGS = ("ingly", "edly", "ing", "ed")
_NOUN_ENDINGS = ("ion", "ment", "er", "or")


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
    """Return the stems of the tokens of ``text`` that are no stop words, in order, with repetitions."""
    return [stem(token) for token in tokens(text) if token not in STOP_WORDS]


def unique(items: list[str]) -> tuple[str, ...]:
    """Return ``items`` without repetitions, in order of first appearance."""
    return tuple(dict.fromkeys(items))


@lru_cache(maxsize=200_000)
def stem(token: str) -> str:
    """Return a light stem: plural, -ed, -ing, -ion, -ment, -er, final e and doubled consonants off.

    "cities" -> "city", "planned" -> "plan", "directing", "director" and "direction" -> "direct". Words of other scripts
    and short ones stay as they are.
    """
    if len(token) <= 3 or not token.isascii() or not token.isalpha():
        return token
    singular = _singular(token)
    for ending in _NOUN_ENDINGS:
        if singular.endswith(ending) and len(singular) - len(ending) >= 4:
            return _undoubled(singular[: -len(ending)])
    return _verb_stem(singular)


def _singular(token: str) -> str:
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    if token.endswith(("sses", "shes", "ches", "xes", "zes")):
        return token[:-2]
    if token.endswith("s") and not token.endswith(("ss", "us", "is")):
        return token[:-1]
    return token


def _verb_stem(token: str) -> str:
    for ending in _ENDINGS:
        base = token[: -len(ending)]
        if token.endswith(ending) and len(base) >= 3 and _VOWEL.search(base):
            return _undoubled(base)
    return token[:-1] if token.endswith("e") and len(token) > 4 else token


def _undoubled(base: str) -> str:
    if base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base[:-1] if base.endswith("e") and len(base) > 4 else base
