"""Whether a sentence repeats another but for one word, which is another there: "accepted" where "rejected" stands."""

from collections.abc import Iterable, Sequence

from raptor.claims.words import is_held, words_of
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import tokens

_LEAST_REPEATED = 3
"""As many words around the replaced one must be the same, one of them with a meaning of its own."""


def replaces_word(claim: str, sentences: Iterable[str]) -> bool:
    """Tell whether a claim has a word, which no sentence has, in the place of one that it has not."""
    listed = list(sentences)
    said, told = words_of(claim), words_of("\n".join(listed))
    mine = tokens(claim)
    new = [place for place, word in enumerate(mine) if _means(word) and not is_held(word, told)]
    if not new:
        return False
    for theirs in map(tokens, listed):
        old = [place for place, word in enumerate(theirs) if _means(word) and not is_held(word, said)]
        if any(_is_same_place(mine, here, theirs, there) for here in new for there in old):
            return True
    return False


def _is_same_place(mine: Sequence[str], here: int, theirs: Sequence[str], there: int) -> bool:
    before = _same_from(mine[:here][::-1], theirs[:there][::-1])
    after = _same_from(mine[here + 1 :], theirs[there + 1 :])
    around = [*before, *after]
    is_within = bool(before) and (bool(after) or here + 1 == len(mine))
    return is_within and len(around) >= _LEAST_REPEATED and any(map(_means, around))


def _same_from(mine: Sequence[str], theirs: Sequence[str]) -> Sequence[str]:
    """Return the words with which both begin."""
    same = 0
    while same < min(len(mine), len(theirs)) and mine[same] == theirs[same]:
        same += 1
    return mine[:same]


def _means(word: str) -> bool:
    return word not in FUNCTION_WORDS and not word.isdecimal()
