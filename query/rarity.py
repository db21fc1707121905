"""How rare the words of a collection are, from a sample of its passages."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem, tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRarity:
    """Passage frequencies of stems in ``sampled`` passages.

    A weight is log((n + 1) / (frequency + 1)) / log(n + 1): 1 for a stem that no sampled passage has, 0 for one that
    all have; so weights of collections of different size can be compared.
    """

    frequencies: Mapping[str, int]
    sampled: int

    def weight(self, word_stem: str) -> float:
        """Return the weight of a stem, 0 to 1; 1 for every stem where nothing was sampled."""
        if self.sampled == 0:
            return 1.0
        return log((self.sampled + 1) / (self.frequencies.get(word_stem, 0) + 1)) / log(self.sampled + 1)

    def shares(self, stems: Iterable[str]) -> dict[str, float]:
        """Return stem -> its share of the whole weight of ``stems`` (sum 1; equal shares where all weigh 0)."""
        weights = {word_stem: self.weight(word_stem) for word_stem in stems}
        total = sum(weights.values())
        if total <= 0.0:
            return dict.fromkeys(weights, 1.0 / max(1, len(weights)))
        return {word_stem: weight / total for word_stem, weight in weights.items()}


def count_rarity(texts: Iterable[str]) -> WordRarity:
    """Count in how many of ``texts`` each stem stands; stop words are not counted."""
    counts: Counter[str] = Counter()
    sampled = 0
    for text in texts:
        counts.update({stem(token) for token in set(tokens(text)) if token not in FUNCTION_WORDS})
        sampled += 1
    return WordRarity(frequencies=counts, sampled=sampled)
