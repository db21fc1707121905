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
# Thai, Lao, Burmese, Khmer; Japanese and Han: a name there begins and ends in the middle of a run of letters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_BAR = re.compile(r"\n\s*\|\s?")


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return the span ``[start, end)`` of ``text`` that says ``quote`` word by word; None where none does.

    Blanks, letter case, the form of quotation marks and dashes, and characters that are not seen make no difference;
    nor do quotation marks and points around the quote. Of several places the first is returned. O(len(text)).
    """
    return next(SearchedText(text).find_all(quote), None)


class SearchedText:
    """A text in which several quotes are looked for, each as ``find_quote`` does."""

    def __init__(self, text: str) -> None:
        places = list(_folded(text))
        self._text = "".join(folded for _, folded in places)
        self._places = [place for place, _ in places]

    def find_all(self, quote: str) -> Iterator[tuple[int, int]]:
        """Yield all spans of the text that say ``quote``, in order and without overlaps."""
        wanted = "".join(folded for _, folded in _folded(_BAR.sub("\n", quote.strip(_AROUND)))).strip()
        start = self._text.find(wanted) if wanted else -1
        while start >= 0:
            end = start + len(wanted)
            if self._is_whole(start, end):
                yield self._places[start], self._places[end - 1] + 1
                start = end - 1
            start = self._text.find(wanted, start + 1)

    def _is_whole(self, start: int, end: int) -> bool:
        """Tell whether no word is cut at either end."""
        return not _is_within_word(self._text[start - 1 : start + 1] if start else "") and not _is_within_word(
            self._text[end - 1 : end + 1]
        )


def _is_within_word(pair: str) -> bool:
    """Tell whether two characters belong to one word, which those of scripts without blanks never tell."""
    return len(pair) == 2 and pair.isalnum() and not any(_UNSPACED.match(character) for character in pair)


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
