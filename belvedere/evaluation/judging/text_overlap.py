"""How many words two texts share, in any order and in one order."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, lower case; letters and digits of any script."""
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def share_of_words(words: Sequence[str], texts: Iterable[str]) -> float:
    """Return the share of ``words`` (one at least) that stand in any of ``texts``, each as often as it stands there."""
    known: Counter[str] = Counter()
    for text in texts:
        known |= Counter(words_of(text))
    return sum((Counter(words) & known).values()) / len(words)


def rouge_l(text: Sequence[str], reference: Sequence[str]) -> float:
    """Return ROUGE-L: the harmonic mean of the shares that the longest common subsequence of words has of both texts.

    Lin, 2004, with recall and precision weighed alike, without stemming. O(len(text) x len(reference)).
    """
    common = longest_common_subsequence(text, reference)
    return 2.0 * common / (len(text) + len(reference)) if text or reference else 1.0


def longest_common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many words both have in the same order, others between them or not (Hirschberg, 1975)."""
    lengths = [0] * (len(right) + 1)
    for word in left:
        above = 0
        for place, other in enumerate(right, start=1):
            found = above + 1 if word == other else max(lengths[place], lengths[place - 1])
            above, lengths[place] = lengths[place], found
    return lengths[-1]
