"""Words and numbers of a sentence and of the text it is said to rest on, in a form in which they can be compared."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raptor.claims.quantities import numbers_in_words, unit_of, with_scale, with_signs
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem, tokens

# Digits with what groups or divides them: "1,932", "1.5", "12 000" (the blank is one that does not break).
_NUMBER = re.compile(
    r"(?P<sign>(?:(?<=[\s(\[])|^)[-\u2212])?(?P<currency>[$€£¥])?"
    r"(?P<digits>\d+(?:[.,'\u2019\u00a0\u202f]\d+)*)(?P<tail>\w+|%)?"
)
# A raised number behind a number may be a note, so that a claim may do without it.
_NOTE = re.compile(r"[\u00b2\u00b3\u00b9\u2070-\u2079]+")
_GROUPED = re.compile(r"\d{1,3}(?:[.,'\u2019\u00a0\u202f]\d{3})+")
# They may be pronouns, so that no claim needs them, and count where they stand in the ground.
_MAY_COUNT = {"zero": "0", "one": "1"}
_SHORTEST_INFLECTED = 4
_LONGEST_ENDING = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The folded tokens of a text, their stems without function words, and its numbers, each as it may be read.

    ``units`` are the units ("" for none) of numbers, ``without_notes`` readings of those that may have a note.
    """

    tokens: frozenset[str]
    stems: frozenset[str]
    numbers: tuple[frozenset[str], ...]
    units: frozenset[tuple[str, str]] = frozenset()
    without_notes: frozenset[str] = frozenset()

    @property
    def readings(self) -> frozenset[str]:
        """All that the numbers may be read as."""
        words = {_MAY_COUNT[token] for token in self.tokens if token in _MAY_COUNT}
        return frozenset(words.union(self.without_notes, *self.numbers))


def words_of(text: str) -> Words:
    """Return what can be compared of a text."""
    folded = tokens(text)
    numbers, units, without_notes = list[frozenset[str]](), set[tuple[str, str]](), set[str]()
    for found in _NUMBER.finditer(text):
        plain, tail = _readings(found["digits"]), found["tail"] or ""
        scaled, end = (plain, found.end()) if tail else with_scale(plain, text, found.end())
        readings = with_signs(scaled, found["sign"] or "", tail)
        unit = unit_of(found["currency"] or "", tail, text, end)
        numbers.append(readings)
        units.update((reading, unit) for reading in readings)
        without_notes |= plain if _NOTE.fullmatch(tail) else set()
    for number, unit in numbers_in_words(text):
        numbers.append(frozenset({number}))
        units.add((number, unit))
    return Words(
        tokens=frozenset(folded),
        stems=frozenset(stem(token) for token in folded if token not in FUNCTION_WORDS and not token.isdecimal()),
        numbers=tuple(numbers),
        units=frozenset(units),
        without_notes=frozenset(without_notes),
    )


def number_places(text: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yield where each number in digits begins, with its sign, and ends, and how it may be read without one."""
    for found in _NUMBER.finditer(text):
        plain = _readings(found["digits"])
        readings, end = (plain, found.end("digits")) if found["tail"] else with_scale(plain, text, found.end())
        yield found.start(), end, readings


def together(parts: Iterable[Words]) -> Words:
    """Return the words of several texts."""
    listed = list(parts)
    return Words(
        tokens=frozenset().union(*(part.tokens for part in listed)),
        stems=frozenset().union(*(part.stems for part in listed)),
        numbers=tuple(number for part in listed for number in part.numbers),
        units=frozenset().union(*(part.units for part in listed)),
        without_notes=frozenset().union(*(part.without_notes for part in listed)),
    )


def _readings(number: str) -> frozenset[str]:
    """Return how a number may be meant: 1.932 is a decimal fraction to some, and grouped by thousands to others."""
    readings = set()
    if _GROUPED.fullmatch(number):
        readings.add(_plain("".join(character for character in number if character.isdigit())))
    parts = re.split(r"[.,'\u2019\u00a0\u202f]", number)
    if len(parts) == 1:
        readings.add(_plain(number))
    elif len(parts) == 2:  # a whole part and a fraction
        fraction = parts[1].rstrip("0")
        readings.add(f"{_plain(parts[0])}.{fraction}" if fraction else _plain(parts[0]))
    else:
        # A grouped number with a fraction, or a date or version: the last part, and the parts by themselves.
        readings.add(f"{_plain(''.join(parts[:-1]))}.{parts[-1].rstrip('0')}")
        readings.add(".".join(_plain(part) for part in parts))
    return frozenset(readings)


def _plain(digits: str) -> str:
    return str(int(digits)) if len(digits) < 300 else digits  # int() refuses numbers of thousands of digits


def missing_numbers(claimed: Words, ground: Words) -> bool:
    """Tell whether the claim has a number that the ground has not, however either is meant, or with other units."""
    held = ground.readings
    if any(number.isdisjoint(held) for number in claimed.numbers):
        return True
    return any(unit and _has_another_unit(reading, unit, ground) for reading, unit in claimed.units)


def _has_another_unit(reading: str, unit: str, ground: Words) -> bool:
    units = {other for number, other in ground.units if number == reading}
    return bool(units) and units.isdisjoint({unit, ""})


def is_held(token: str, ground: Words) -> bool:
    """Tell whether the ground has a folded token or stem, a longer one also with another ending."""
    if token in ground.tokens or token in ground.stems or stem(token) in ground.stems:
        return True
    if len(token) < _SHORTEST_INFLECTED:
        return False
    return any(_same_but_ending(token, other) for other in ground.tokens)


def _same_but_ending(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_INFLECTED or len(long) - len(short) > _LONGEST_ENDING:
        return False
    # Words in other scripts change their last letter, too (Москва, Москве).
    kept = len(short) if short.isascii() else len(short) - 1
    return long.startswith(short[:kept])


def coverage(claimed: Words, ground: Words) -> float:
    """Return the share of the claim's content stems that the ground has; 1 where it has none."""
    if not claimed.stems:
        return 1.0
    return sum(is_held(word, ground) for word in claimed.stems) / len(claimed.stems)
