"""Numbers as stores keep them, and as filters write them."""

import re

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
# Longer ones do not fit into 64 bits; as floats they may be infinite, which compares as it should.
_SHORT_INTEGER = re.compile(r"[+-]?\d{1,19}")
_LARGEST_INTEGER = 2**63 - 1


def storable_number(number: int | float) -> int | float:
    """Return what a store can keep: integers of 64 bits as they are, larger ones as floats."""
    return float(number) if abs(number) > _LARGEST_INTEGER else number


def read_number(text: str) -> int | float | None:
    """Return the number that ``text`` writes, None where it writes none."""
    if _SHORT_INTEGER.fullmatch(text):
        return storable_number(int(text))
    return float(text) if _NUMBER.fullmatch(text) else None
