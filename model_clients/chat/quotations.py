"""Finds the words that a model quotes in the text that it was given."""

import re
import unicodedata
from collections.abc import Iterator

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_AROUND = " \t\r\n\"'.…|"
_BAR = re.compile(r"\n\s*\|\s?")


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return the span ``[start, end)`` of ``text`` that says ``quote`` word by word; None where none does.

    Blanks, letter case, the form of quotation marks and dashes, and characters that are not seen make no difference;
    nor do quotation marks and points around the quote. Of several places the first is returned. O(len(text)).
    """
    wanted = "".join(folded for _, folded in _folded(_BAR.sub("\n", quote.strip(_AROUND))))
    if not wanted.strip():
        return None
    places = list(_folded(text))
    found = _found_whole("".join(folded for _, folded in places), wanted.strip())
    if found is None:
        return None
    start, end = found
    return places[start][0], places[end - 1][0] + 1


def _found_whole(text: str, wanted: str) -> tuple[int, int] | None:
    """Return where ``wanted`` stands in ``text`` with no word cut at either end."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        cut_before = start > 0 and text[start - 1].isalnum() and wanted[0].isalnum()
        cut_after = end < len(text) and text[end].isalnum() and wanted[-1].isalnum()
        if not cut_before and not cut_after:
            return start, end
        start = text.find(wanted, start + 1)
    return None


def _folded(text: str) -> Iterator[tuple[int, str]]:
    """Yield each character that counts, folded, with its place; a run of blanks as one."""
    blank = False
    for place, character in enumerate(text):
        if character.isspace():
            if not blank:
                yield place, " "
            blank = True
        elif unicodedata.category(character) not in {"Cc", "Cf"}:
            blank = False
            for folded in character.translate(_ALIKE).casefold():
                yield place, folded
