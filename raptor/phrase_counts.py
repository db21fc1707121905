"""Which phrases tell a group of chunks from the rest of its collection, by class-based counts."""

from collections import Counter
from collections.abc import Sequence
from math import log

from raptor.audience import IntVector

# A phrase of several words says more than one word of it does.
_SEVERAL_WORDS = 2.0
# Chance alone makes a phrase that the collection says once, or one document alone, look telling.
_SAID_ONCE = 0.3
_ONE_DOCUMENT = 0.5
_COUNTED_IN_CHUNK = 2


class PhraseCounts:
    """Counts of phrases in chunks; ``found`` holds those of each chunk, ``documents`` the document of each."""

    def __init__(self, found: Sequence[Counter[str]], documents: Sequence[str]) -> None:
        self._found = found
        self._documents = documents
        self._everywhere: Counter[str] = Counter()
        for counts in found:
            self._everywhere.update(_capped(counts))

    def telling(self, rows: IntVector) -> list[str]:
        """Return the phrases of the chunks ``rows``, most telling first, ties by alphabet. O(phrases of the group).

        The score of a phrase is its part of the Kullback-Leibler divergence between the group and the collection.
        """
        inside: Counter[str] = Counter()
        holders: dict[str, set[str]] = {}
        for row in rows.tolist():
            for phrase, count in _capped(self._found[row]).items():
                inside[phrase] += count
                holders.setdefault(phrase, set()).add(self._documents[row])
        documents = {self._documents[row] for row in rows.tolist()}
        scores = {
            phrase: self._score(phrase, count / len(rows)) * _spread(len(holders[phrase]), len(documents))
            for phrase, count in inside.items()
        }
        return sorted(scores, key=lambda phrase: (-round(scores[phrase], 9), phrase))

    def _score(self, phrase: str, share: float) -> float:
        total = self._everywhere[phrase]
        # The small term lets frequent phrases stand where the group is the whole collection and nothing is telling.
        telling = log(share * len(self._found) / total + 1.0 / (1.0 + len(self._found)))
        factor = (_SEVERAL_WORDS if " " in phrase else 1.0) * (_SAID_ONCE if total < 2 else 1.0)
        return factor * share * telling


def _spread(holders: int, documents: int) -> float:
    return _ONE_DOCUMENT if holders == 1 and documents > 1 else 1.0


def _capped(counts: Counter[str]) -> dict[str, int]:
    """Let a phrase that a chunk repeats count more, but not without end."""
    return {phrase: min(count, _COUNTED_IN_CHUNK) for phrase, count in counts.items()}
