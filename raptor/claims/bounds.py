"""Whether a sentence turns a bound of a number round: "at least 12" where "up to 12" is said.

Only opposite bounds of the same number are told apart: who leaves a bound away, or adds one, may still mean the same.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from raptor.claims.quantities import in_digits
from raptor.claims.words import number_places

_Side: TypeAlias = Literal["upper", "lower"]

_UPPER = (
    "at most", "up to", "less than", "fewer than", "lower than", "under", "below", "a maximum of", "nearly", "almost",
    "höchstens", "maximal", "bis zu", "weniger als", "unter", "knapp", "au plus", "au maximum", "jusqu'à", "moins de",
    "presque", "como máximo", "a lo sumo", "hasta", "menos de", "casi", "al massimo", "fino a", "meno di", "quasi",
    "no máximo", "até", "quase", "hoogstens", "maximaal", "minder dan", "bijna", "högst", "upp till", "mindre än",
    "nästan", "najwyżej", "maksymalnie", "mniej niż", "prawie", "максимум", "менее", "меньше", "почти", "до",
)  # fmt: skip
_LOWER = (
    "at least", "more than", "greater than", "over", "above", "upwards of", "a minimum of", "exceeding", "mindestens",
    "wenigstens", "mehr als", "über", "au moins", "au minimum", "plus de", "al menos", "por lo menos", "como mínimo",
    "más de", "almeno", "più di", "oltre", "pelo menos", "no mínimo", "mais de", "minstens", "ten minste", "meer dan",
    "minst", "åtminstone", "mer än", "över", "co najmniej", "przynajmniej", "ponad", "więcej niż", "минимум", "более",
    "больше", "свыше",
)  # fmt: skip
_MORE_AFTER = (
    "or more", "or above", "and more", "and above", "oder mehr", "und mehr", "ou plus", "o más", "o più", "ou mais",
    "of meer", "eller mer", "lub więcej", "или более", "или больше",
)  # fmt: skip
_LESS_AFTER = (
    "or less", "or fewer", "or below", "at most", "oder weniger", "ou moins", "o menos", "o meno", "ou menos",
    "of minder", "eller mindre", "lub mniej", "или менее", "или меньше",
)  # fmt: skip
# Said before a bound, it makes one of the other side: "no more than".
_TURNED = r"(?P<turned>(?:no|not|never|nicht|pas|non|não|niet|inte|nie|не)\s+)?"
_LONGEST = 40


def _any_of(phrases: tuple[str, ...]) -> str:
    return "|".join(phrase.replace(" ", r"\s+").replace("'", "['\u2019]") for phrase in phrases)


_BEFORE = re.compile(
    rf"(?<!\w){_TURNED}(?:(?P<upper>{_any_of(_UPPER)})|(?P<lower>{_any_of(_LOWER)}))\s*$", re.IGNORECASE
)
# With one word between, a unit: "12 kilograms or more".
_AFTER = re.compile(
    rf"(?:[\s-]*[^\W\d]+|\s*%)?\s+(?:(?P<upper>{_any_of(_LESS_AFTER)})|(?P<lower>{_any_of(_MORE_AFTER)}))(?!\w)",
    re.IGNORECASE,
)


def turns_bound(claim: str, sentences: Iterable[str]) -> bool:
    """Tell whether a claim has an upper bound of a number that the sentences have with a lower one alone, or so."""
    told = [bounded for sentence in sentences for bounded in _bounds(sentence)]
    for readings, side in _bounds(claim):
        sides = {other for number, other in told if not number.isdisjoint(readings)}
        if side is not None and sides and side not in sides and None not in sides:
            return True
    return False


def _bounds(text: str) -> Iterator[tuple[frozenset[str], _Side | None]]:
    """Yield the numbers of a text, each as it may be read, with the side that it bounds."""
    text = in_digits(text)
    for start, end, readings in number_places(text):
        before = _BEFORE.search(text[max(0, start - _LONGEST) : start])
        if before is not None:
            is_upper = (before["upper"] is not None) != (before["turned"] is not None)
            yield readings, "upper" if is_upper else "lower"
        elif (after := _AFTER.match(text[end : end + _LONGEST])) is not None:
            yield readings, "upper" if after["upper"] is not None else "lower"
        else:
            yield readings, None
