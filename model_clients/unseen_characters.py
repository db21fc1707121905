"""Characters that show nothing and so can hide or split words, and marks that show where no word is written."""

import re
import unicodedata

UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]+"
)
"""Control and format characters, lone surrogates, variation selectors, fillers, tags, noncharacters, in runs.

Not among them are line ends, the two joiners, which some scripts spell with, and format characters with a shape of
their own (Arabic number signs, Egyptian joiners).
"""

MOST_MARKS = 8
"""Marks that one letter may bear.

The highest stack that is written anywhere, the Tibetan sign of the ten powers, has eight; pointed Hebrew with accents
has five, Vietnamese two. Unicode Standard Annex 15 (stream-safe text) allows 30, which is enough to blot out lines.
"""

_JOINERS = re.compile("[\u200c\u200d]+")
# Arabic, Syriac, N'Ko and their neighbours; the Brahmic scripts to Tibetan; Myanmar; Khmer; Mongolian; extensions.
_JOINING_SCRIPTS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af\ua840-\ua87f\ua8e0-\ua8ff\ua980-\uaaff"
    "\ufb50-\ufdcf\ufe70-\ufefc\U00011000-\U00011fff]"
)
_MARKS_LOOKED_THROUGH = 30  # marks on one letter, as in the stream-safe text of Unicode Standard Annex 15
_VIRAMA = 9  # canonical combining class of the signs that join a consonant to the next
# No mark is a character of words; a run of marks that is too long stands in one of these.
_MANY_NO_LETTERS = re.compile(rf"[^\w\s\x00-\x7f]{{{MOST_MARKS + 1},}}")


def without_idle_joiners(text: str) -> str:
    """Return ``text`` with a joiner only where it spells: between letters of a joining script, or after a virama."""
    return _JOINERS.sub(_kept_joiner, text)


def with_few_marks(text: str) -> str:
    """Return ``text`` with ``MOST_MARKS`` marks on a letter at most, the first ones."""
    return text if text.isascii() else _MANY_NO_LETTERS.sub(_few_marks, text)


def _few_marks(match: re.Match[str]) -> str:
    kept, marks = [], 0
    for character in match.group():
        if unicodedata.category(character).startswith("M"):
            marks += 1
        elif not _is_mark(character):
            marks = 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def _kept_joiner(match: re.Match[str]) -> str:
    """Keep one joiner of a run where it spells.

    Marks and other joiners around are looked through, so that their order, which NFC may change, does not matter.
    """
    before = _letter_before(match.string, match.start())
    if not _JOINING_SCRIPTS.match(before):
        return ""
    after = _letter_after(match.string, match.end())
    spells = bool(_JOINING_SCRIPTS.match(after)) or _has_virama(before)
    return match.group()[0] if spells else ""


def _letter_before(text: str, end: int) -> str:
    """Return the last letter before ``end`` with the marks on it, empty where there is none."""
    for start in range(end - 1, max(0, end - _MARKS_LOOKED_THROUGH) - 1, -1):
        if not _is_mark(text[start]):
            return text[start:end]
    return ""


def _letter_after(text: str, start: int) -> str:
    """Return the first letter from ``start`` on, empty where there is none."""
    return next((char for char in text[start : start + _MARKS_LOOKED_THROUGH] if not _is_mark(char)), "")


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or char in "\u200c\u200d"


def _has_virama(letter: str) -> bool:
    return any(unicodedata.combining(char) == _VIRAMA for char in letter)
