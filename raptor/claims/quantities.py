"""What stands around the digits of a number, a sign, a unit and the like, and numbers in words."""

import re
from collections.abc import Iterator
from decimal import Decimal

_UNITS = {
    form: forms.split()[0]
    for forms in (
        "metre m metres meter meters", "kilometre km kilometres kilometer kilometers", "centimetre cm centimetres",
        "millimetre mm millimetres", "mile miles", "foot ft feet", "inch inches", "yard yards", "acre acres",
        "hectare ha hectares", "gram g grams", "kilogram kg kilograms", "tonne tonnes", "ton tons", "ounce ounces",
        "litre litres liter liters", "gallon gallons", "second seconds", "minute minutes", "hour hours", "day days",
        "week weeks", "month months", "year years", "decade decades", "euro euros eur €", "dollar dollars usd $",
        "pound pounds £", "yen ¥", "percent %",
    )
    for form in forms.split()
}  # fmt: skip
_ORDINAL = frozenset({"st", "nd", "rd", "th", "s"})
# In a script without spaces a whole clause may stand behind the digits: its first character is the unit.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_NEXT = re.compile(r"(?:\s|-)?([^\W\d_]+|[%€£¥$])")
_SMALL = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_SMALL.split(), start=1)} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=1)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SCALED = re.compile(rf"[\s-]?({'|'.join(_SCALES)})(?!\w)", re.IGNORECASE)
_ANY = "|".join([*_VALUES, *_SCALES])
_IN_WORDS = re.compile(rf"(?<!\w)(?<!\d[\s-])(?:{_ANY})(?:[\s-]+(?:and\s+)?(?:{_ANY}))*(?!\w)", re.IGNORECASE)
_LONGEST_UNIT = 20
_DECIMAL = re.compile(r"\d{1,40}(?:\.\d{1,40})?")


def with_signs(readings: frozenset[str], sign: str, tail: str) -> frozenset[str]:
    """Return the readings of digits with a sign before them and what is glued to their end ("300\u2079", "300k")."""
    if tail.casefold() == "k":
        readings = frozenset(f"{reading}000" for reading in readings if reading.isdecimal())
    elif tail and not (tail.isalpha() or tail in _UNITS):
        readings = frozenset(reading + tail for reading in readings)
    return frozenset(f"-{reading}" for reading in readings) if sign else readings


def with_scale(readings: frozenset[str], text: str, end: int) -> tuple[frozenset[str], int]:
    """Return the readings of digits that end at ``end``, times the "million" behind them; and where that ends."""
    found = _SCALED.match(text, end)
    if found is None:
        return readings, end
    scale = _SCALES[found.group(1).casefold()]
    scaled = [f"{Decimal(reading) * scale:f}" for reading in readings if _DECIMAL.fullmatch(reading)]
    return frozenset(number.rstrip("0").rstrip(".") if "." in number else number for number in scaled), found.end()


def unit_of(currency: str, tail: str, text: str, end: int) -> str:
    """Return the unit of a number by the sign before it, the letters glued to it, or the word after it; "" for none.

    ``end`` is where the number with its tail ends in ``text``.
    """
    if currency:
        return _UNITS[currency]
    glued = tail.casefold()
    if glued and glued not in _ORDINAL:
        return glued[0] if _UNSPACED.match(glued) else _UNITS.get(glued, glued)
    return unit_after(text, end)


def unit_after(text: str, end: int) -> str:
    """Return the unit that the word is which follows a number at ``end``, "" for none."""
    found = _NEXT.match(text[end : end + _LONGEST_UNIT])
    return _UNITS.get(found.group(1).casefold(), "") if found is not None else ""


def numbers_in_words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers that a text has in English words, in digits, with their unit; "one" may count nothing."""
    for found in _IN_WORDS.finditer(text):
        if (value := _value_of(found)) > 1:
            yield str(value), unit_after(text, found.end())


def in_digits(text: str) -> str:
    """Return a text with digits where it has numbers in English words."""
    return _IN_WORDS.sub(lambda found: str(value) if (value := _value_of(found)) > 1 else found.group(), text)


def _value_of(found: re.Match[str]) -> int:
    return _value([word for word in re.split(r"[\s-]+", found.group().casefold()) if word != "and"])


def _value(words: list[str]) -> int:
    whole, part = 0, 0
    for word in words:
        if word == "hundred":
            part = max(1, part) * 100
        elif word in _SCALES:
            whole, part = whole + max(1, part) * _SCALES[word], 0
        else:
            part += _VALUES[word]
    return whole + part
