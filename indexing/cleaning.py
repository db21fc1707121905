"""Cleaned text: what is stored, what offsets refer to, and what a person would see on paper."""

import re
import unicodedata

from model_clients.unseen_characters import UNSEEN, without_idle_joiners

MAX_TITLE_CHARS = 200

_UNUSUAL = re.compile(r"[^\t\n -~]")
_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# All of Zs but the blank itself, and the Braille blank, which shows nothing either.
_BLANKS = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]")
_MANY_BLANK_LINES = re.compile(r"\n{4,}")


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
        text = without_idle_joiners(text)
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
