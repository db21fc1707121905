"""What stands around the digits of a number, a sign, a unit and the like, and numbers in words."""

import re
from collections.abc import Iterator

_UNITS = {
    form: forms.split()[0]
    for forms in (
        "metre m metres meter meters", "kilometre km kilometres kilometer kilometers", "centimetre cm centimetres",
        "millimetre mm millimetres", "mile miles", "foot ft feet", "inch inches", "yard yards", "acre acres",
        "hectare ha hectares", "gram g grams", "kilogram kg kilograms", "tonne tonnes", "ton tons", "ounce ounces",
        "litre litres liter liters", "gallon gallons", "second seconds", "minute minutes", "hour hours", "day days",
        "week weeks", "month months", "year years", "decade decades", "euro euros eur €", "dollar dollars usd $",
        "pound pounds £", "yen ¥", "percent %", "hundred", "thousand", "million", "billion",
    )
    for form in forms.split()
}  # fmt: skip
_ORDINAL = frozenset({"st", "nd", "rd", "th", "s"})
_NEXT = re.compile(r"(?:\s|-)?([^\W\d_]+|[%€£¥$])")
_SMALL = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_SMALL.split(), start=1)} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=1)
}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_ANY = "|".join([*_VALUES, "hundred", *_SCALES])
_IN_WORDS = re.compile(rf"(?<!\w)(?<!\d\s)(?:{_ANY})(?:[\s-]+(?:and\s+)?(?:{_ANY}))*(?!\w)", re.IGNORECASE)
_LARGEST_SMALL = 12


def with_signs(readings: frozenset[str], sign: str, tail: str) -> frozenset[str]:
    """Return the readings of digits with a sign before them and what is glued to their end ("300\u2079", "300k")."""
    if tail.casefold() == "k":
        readings = frozenset(f"{reading}000" for reading in readings if reading.isdecimal())
    elif tail and not (tail.isalpha() or tail in _UNITS):
        readings = frozenset(reading + tail for reading in readings)
    return frozenset(f"-{reading}" for reading in readings) if sign else readings


def unit_of(currency: str, tail: str, rest: str) -> str:
    """Return the unit of a number by the sign before it, the letters glued to it, or the word after it; "" for none."""
    if currency:
        return _UNITS[currency]
    glued = tail.casefold()
    if glued and glued not in _ORDINAL:
        return _UNITS.get(glued, glued)
    found = _NEXT.match(rest)
    return _UNITS.get(found.group(1).casefold(), "") if found is not None else ""


def numbers_in_words(text: str) -> Iterator[str]:
    """Yield the numbers above twelve that a text has in English words, in digits."""
    for found in _IN_WORDS.finditer(text):
        value = _value([word for word in re.split(r"[\s-]+", found.group().casefold()) if word != "and"])
        if value > _LARGEST_SMALL:
            yield str(value)


def _value(words: list[str]) -> int:
    whole, part = 0, 0
    for word in words:
        if word in _SCALES:
            whole, part = whole + max(1, part) * _SCALES[word], 0
        elif word == "hundred":
            part = max(1, part) * 100
        else:
            part += _VALUES[word]
    return whole + part
