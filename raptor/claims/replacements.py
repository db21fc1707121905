"""Whether a sentence repeats another but for one word, which is another there: "accepted" where "rejected" stands."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from raptor.claims.quantities import in_digits
from raptor.claims.words import Words, is_held, number_places, words_of
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import tokens

_LEAST_REPEATED = 3
"""As many words or numbers around the replaced one must be the same, one of them with a meaning of its own."""

_Item: TypeAlias = str | frozenset[str]
"""A word, or a number by its readings."""


def replaces_word(claim: str, sentences: Iterable[str]) -> bool:
    """Tell whether a claim has a word, which no sentence has, in the place of one that it has not."""
    listed = list(sentences)
    said, told = words_of(claim), words_of("\n".join(listed))
    mine = _items(claim)
    new = [place for place, word in enumerate(mine) if _is_new(word, told)]
    if not new:
        return False
    for theirs in map(_items, listed):
        old = [place for place, word in enumerate(theirs) if _is_new(word, said)]
        if any(_is_same_place(mine, here, theirs, there) for here in new for there in old):
            return True
    return False


def _items(text: str) -> list[_Item]:
    """Return the words of a text in order, and the numbers that are no part of a word."""
    text = in_digits(text)
    items, last = list[_Item](), 0
    for start, end, readings in number_places(text):
        if not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()):
            items += [*tokens(text[last:start]), readings]
            last = end
    return [*items, *tokens(text[last:])]


def _is_new(item: _Item, words: Words) -> bool:
    return isinstance(item, str) and _means(item) and not is_held(item, words)


def _is_same_place(mine: Sequence[_Item], here: int, theirs: Sequence[_Item], there: int) -> bool:
    before = _same_from(mine[:here][::-1], theirs[:there][::-1])
    after = _same_from(mine[here + 1 :], theirs[there + 1 :])
    around = [*before, *after]
    is_within = bool(before) and (bool(after) or here + 1 == len(mine))
    return is_within and len(around) >= _LEAST_REPEATED and any(map(_means, around))


def _same_from(mine: Sequence[_Item], theirs: Sequence[_Item]) -> Sequence[_Item]:
    """Return the words with which both begin."""
    same = 0
    while same < min(len(mine), len(theirs)) and _is_same(mine[same], theirs[same]):
        same += 1
    return mine[:same]


def _is_same(one: _Item, other: _Item) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return not one.isdisjoint(other)


def _means(item: _Item) -> bool:
    return isinstance(item, str) and item not in FUNCTION_WORDS and not item.isdecimal()
