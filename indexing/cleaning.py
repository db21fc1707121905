"""Cleaned text: what is stored, what offsets refer to, and what a person would see on paper."""

import re
import unicodedata

from model_clients.unseen_characters import UNSEEN

MAX_TITLE_CHARS = 200

_UNUSUAL = re.compile(r"[^\t\n -~]")
_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# All of Zs but the blank itself, and the Braille blank, which shows nothing either.
_BLANKS = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]")
_JOINERS = re.compile("[\u200c\u200d]+")
# Arabic, Syriac, N'Ko and their neighbours; the Brahmic scripts to Tibetan; Myanmar; Khmer; Mongolian; extensions.
_JOINING_SCRIPTS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af\ua840-\ua87f\ua8e0-\ua8ff\ua980-\uaaff"
    "\ufb50-\ufdcf\ufe70-\ufefc\U00011000-\U00011fff]"
)
_MANY_BLANK_LINES = re.compile(r"\n{4,}")
_MOST_MARKS = 30  # marks on one letter, as in the stream-safe text of Unicode Standard Annex 15
_VIRAMA = 9  # canonical combining class of the signs that join a consonant to the next


def clean_text(text: str) -> str:
    """Return ``text`` in NFC with LF line ends, without invisible characters, trailing blanks or long gaps.

    Removed are zero-width characters, bidirectional controls, soft hyphens, tag characters, variation selectors,
    control characters and lone surrogates; joiners stay where Arabic and Indic scripts spell with them. Blanks of all
    widths become the plain blank; at most two blank lines follow one another; the text has no blank line at its ends.
    ``clean_text(clean_text(t)) == clean_text(t)``.
    """
    if _UNUSUAL.search(text):
        text = _LINE_ENDS.sub("\n", text)
        text = _BLANKS.sub(" ", text)
        text = UNSEEN.sub("", text)
        text = _JOINERS.sub(_kept_joiner, text)
        text = unicodedata.normalize("NFC", text)
    # Not by a pattern: one that looks for blanks before a line end takes time in the square of a long run of blanks.
    text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return _MANY_BLANK_LINES.sub("\n\n\n", text).strip("\n")


def clean_line(text: str) -> str:
    """Return ``text`` cleaned, on one line, with single blanks."""
    return " ".join(clean_text(text).split())


def clean_title(text: str) -> str:
    """Return ``text`` as a title: one clean line, cut at a word end where it is longer than ``MAX_TITLE_CHARS``.

    The title is indexed with every chunk, so a page-long "title" would drown the text.
    """
    line = clean_line(text)
    if len(line) <= MAX_TITLE_CHARS:
        return line
    cut = line[:MAX_TITLE_CHARS]
    return (cut.rpartition(" ")[0] or cut).rstrip()


def _kept_joiner(match: re.Match[str]) -> str:
    """Keep one joiner of a run where it spells: between letters of a joining script, or after a virama.

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
    for start in range(end - 1, max(0, end - _MOST_MARKS) - 1, -1):
        if not _is_mark(text[start]):
            return text[start:end]
    return ""


def _letter_after(text: str, start: int) -> str:
    """Return the first letter from ``start`` on, empty where there is none."""
    return next((char for char in text[start : start + _MOST_MARKS] if not _is_mark(char)), "")


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or char in "\u200c\u200d"


def _has_virama(letter: str) -> bool:
    return any(unicodedata.combining(char) == _VIRAMA for char in letter)
