"""The words and names that tell a group of chunks from the rest of its collection."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from raptor.audience import AudienceView, IntVector
from raptor.stop_words import STOP_WORDS

_NAME = re.compile(r"[A-Z][\w'\u2019\-]*(?: (?:of |de |van |von )?[A-Z][\w'\u2019\-]*){1,5}")
_WORD = re.compile(r"[^\W\d_][\w'\u2019\-]*")
_POSSESSIVE = re.compile(r"['\u2019]s?$")

# A name of several words says more than one word of it does.
_NAME_FACTOR = 1.25


class KeyPhrases:
    """Finds the key phrases of any group of chunks of one audience; built once, in one pass over the text.

    A phrase is a word, or a name of two to six capitalised words. The score of a phrase is its part of the
    Kullback-Leibler divergence between the group and the collection, over chunks that contain it.
    """

    def __init__(self, view: AudienceView) -> None:
        surfaces: dict[str, Counter[str]] = defaultdict(Counter)
        numbers: dict[str, int] = {}
        spans: list[IntVector] = []
        for row, chunk in enumerate(view.chunks):
            found = list(_phrases(f"{view.title_of(row)}.\n{chunk.text}"))
            for key, surface in found:
                surfaces[key][surface] += 1
            keys = sorted({key for key, _ in found})
            spans.append(np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64))
        self._terms = spans
        self._keys = tuple(numbers)
        self._surfaces = tuple(_most_common(surfaces[key]) for key in self._keys)
        self._alphabetical = np.argsort(np.argsort(np.array(self._keys, dtype=np.str_)))
        self._factors = np.array([_NAME_FACTOR if " " in key else 1.0 for key in self._keys], dtype=np.float64)
        self._counts = np.bincount(_joined(spans), minlength=len(numbers)) if numbers else np.zeros(0, dtype=np.int64)

    def of(
        self, rows: IntVector, limit: int, *, taken: Sequence[str] = (), names_only: bool = False
    ) -> tuple[str, ...]:
        """Return up to ``limit`` phrases of the chunks ``rows``, most telling first, none a part of another or of one
        of ``taken``. O(terms of the group).
        """
        terms, inside = np.unique(_joined([self._terms[row] for row in rows]), return_counts=True)
        share = inside / max(len(rows), 1)
        rest = self._counts[terms] / max(len(self._terms), 1)
        # The small term lets frequent phrases stand where the group is the whole collection and nothing is telling.
        telling = np.log(share / rest + 1.0 / (1.0 + len(self._terms)))
        scores = self._factors[terms] * share * telling
        scores[inside < min(2, len(rows))] *= 0.2
        if names_only:
            several = self._factors[terms] > 1.0
            terms, scores = terms[several], scores[several]
        order = np.lexsort((self._alphabetical[terms], -np.round(scores, 9)))
        return self._first_apart(terms[order[: 12 * limit]].tolist(), limit, taken)

    def _first_apart(self, terms: Sequence[int], limit: int, taken: Sequence[str]) -> tuple[str, ...]:
        chosen: list[str] = []
        for term in terms:
            if len(chosen) < limit and not shares_word(self._keys[term], (*taken, *chosen)):
                chosen.append(self._surfaces[term])
        return tuple(chosen)


def _joined(spans: Sequence[IntVector]) -> IntVector:
    return np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    """Yield (key, surface) of the names of a text and of the words outside them."""
    for match in _NAME.finditer(text):
        surface = _POSSESSIVE.sub("", match.group())
        words = surface.split(" ")
        while words and words[0].casefold() in STOP_WORDS:  # a sentence that begins "The Deep Space Network"
            words = words[1:]
        if len(words) > 1:
            yield " ".join(words).casefold(), " ".join(words)
    for match in _WORD.finditer(_NAME.sub(_kept_word, text)):
        surface = _POSSESSIVE.sub("", match.group())
        key = surface.casefold()
        if len(key) > 3 and key not in STOP_WORDS:
            yield key, surface


def _kept_word(match: re.Match[str]) -> str:
    """Leave of a name only what a sentence may begin with: "Later Galileo" is a name for the pattern alone."""
    first, _, rest = match.group().partition(" ")
    return rest if first.casefold() in STOP_WORDS and " " not in rest else " "


def _most_common(surfaces: Counter[str]) -> str:
    """Return the commonest surface form; of equals, the one in lower case."""
    return min(surfaces, key=lambda surface: (-surfaces[surface], surface.swapcase()))


def shares_word(phrase: str, others: Iterable[str]) -> bool:
    """Tell whether a phrase has a word, in any form, that one of ``others`` has."""
    words = phrase.casefold().split()
    return any(_same_stem(word, other) for taken in others for other in taken.casefold().split() for word in words)


def _same_stem(one: str, other: str) -> bool:
    """Tell whether two words are forms of one word ("film", "films"), roughly: they share most of their length."""
    shorter, longer = sorted((one, other), key=len)
    return (
        len(shorter) > 2 and longer.startswith(shorter[: max(3, len(shorter) - 1)]) and len(longer) - len(shorter) <= 3
    )
