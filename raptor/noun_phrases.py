"""Noun phrases of one to three words, found without a parser: nouns are known by the company that they keep.

"The antennas", "of antennas": what stands between an article or preposition and the end of a phrase is a noun. A word
of which a collection says that often enough is taken for one everywhere; so no model is loaded and no list of nouns is
needed. Only English function words are known: texts in other languages give few phrases, or none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from raptor.stop_words import STOP_WORDS

_TOKEN = re.compile(r"[^\W\d_][\w'\u2019\-]*|\d[\w.,]*|[^\w\s]|\n\n")
_POSSESSIVE = re.compile(r"['\u2019]s?$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPENERS = _words(
    """
    the a an this these those its their his her our my your each every no some any of in for from with on at by
    into between under over against through without across among during several many few two three four other
    """
)
# Adjectives that say little: passed over, so that "the large antenna" counts as "the antenna".
_PALE = _words(
    """
    new old young good bad great long short high low higher lower highest lowest wide narrow early earlier
    latest large larger small smaller tiny huge strong weak full whole special general simple close deep top
    next real true total second third half double third-party own main key recent current former final overall
    """
)
# Nouns that measure, count or fill.
_EMPTY = _words(
    """
    number amount part piece lot way kind sort type form case thing fact point end start beginning side time
    date day days week weeks month months year years decade decades century hour hours minute minutes second
    seconds metre metres meter meters kilometre kilometres kilometer kilometers mile miles kilogram kilograms
    gram grams per cent percent pound pounds dollar dollars euro euros people person man men woman women mr mrs
    ms others rest most result results example examples chance reason place places name names word words level
    rate something everything anything nothing someone everyone anyone morning evening afternoon night weekend
    today tomorrow yesterday times bit lots dozens hundreds thousands millions billions bn m km kg mm cm size
    length width height total half quarter third fifth tenth step steps use uses task tasks effect effects sight
    return rise fall life lives object objects visit visits remains terms view views
    """
)
_STARTERS = frozenset((".", "!", "?", ":", "\n\n"))
_LONGEST = 3
_LEAST_NOUN_SHARE = 0.2
_LEAST_MODIFIER_SHARE = 0.2
_FEW_USES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Neighbouring words with content, in lower case; ``opened`` where an article or preposition stands before."""

    words: tuple[str, ...]
    opened: bool


class NounPhrases:
    """Finds the noun phrases of any text, with what a sample of its collection says of words; texts are given as their
    runs (:func:`runs_of`), so that one that is in the sample is read once.
    """

    def __init__(self, sample: Iterable[Sequence[Run]]) -> None:
        uses: Counter[str] = Counter()
        heads: Counter[str] = Counter()
        modifiers: Counter[str] = Counter()
        for runs in sample:
            for run in runs:
                uses.update(map(singular, run.words))
                if run.opened:
                    (heads if len(run.words) == 1 else modifiers)[singular(run.words[0])] += 1
        self._nouns = frozenset(word for word in heads if _is_noun(word, heads[word], uses[word]))
        self._modifiers = self._nouns | {
            word for word, count in modifiers.items() if count >= _LEAST_MODIFIER_SHARE * uses[word] and count > 1
        }

    def of(self, runs: Iterable[Run]) -> Iterator[tuple[str, str]]:
        """Yield (key, surface) of the noun phrases of a text, shorter ones within longer ones too, with repetitions.

        A key is the phrase with its last word in the singular, so that "antenna" and "antennas" are one.
        """
        for run in runs:
            for words in _parts(run.words):
                if self._is_phrase(words):
                    yield " ".join((*words[:-1], singular(words[-1]))), " ".join(words)

    def _is_phrase(self, words: Sequence[str]) -> bool:
        last = singular(words[-1])
        if last not in self._nouns or words[-1] in _EMPTY or last in _EMPTY or len(last) < 3:
            return False
        return all(singular(word) in self._modifiers and not word.endswith("ly") for word in words[:-1])


def singular(word: str) -> str:
    """Return an English word without its plural ending; roughly, and the same for every text."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")) else word


def _parts(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield all neighbouring words of which there are at most the longest phrase's number."""
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - _LONGEST), end):
            yield words[start:end]


def _is_noun(word: str, heads: int, uses: int) -> bool:
    if word.endswith(("ed", "ly", "est", "iest")) and len(word) > 5:
        return False
    return heads >= _LEAST_NOUN_SHARE * uses and (heads > 1 or uses <= _FEW_USES)


def runs_of(text: str) -> tuple[Run, ...]:
    """Return the runs of a text in order. O(words)."""
    return tuple(_runs(text))


def _runs(text: str) -> Iterator[Run]:
    words: list[str] = []
    opened = False
    starts = True
    for token in _TOKEN.findall(text):
        word = _POSSESSIVE.sub("", token)
        folded = word.casefold()
        inside = _has_content(word, folded, starts=starts) and (bool(words) or folded not in _PALE)
        if inside:
            words.append(folded)
        if words and (not inside or word != token):
            yield Run(words=tuple(words), opened=opened)
            words = []
        if word != token:  # "the craft's antenna": a phrase ends here, and another is opened
            opened = True
        elif not inside and folded not in _PALE:
            opened = folded in _OPENERS
        starts = token in _STARTERS
    if words:
        yield Run(words=tuple(words), opened=opened)


def _has_content(word: str, folded: str, *, starts: bool) -> bool:
    """Names end a run; a capital at the start of a sentence makes no name."""
    return len(word) > 1 and word[0].isalpha() and (word[0].islower() or starts) and folded not in STOP_WORDS
