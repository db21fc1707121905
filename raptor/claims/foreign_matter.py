"""What must not get into an answer unless it stands in a cited passage: links, addresses, markup, the prompt itself."""

import re
import unicodedata
from collections.abc import Iterable

from raptor.text_words import tokens

_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|www\.|(?:h(?:tt|xx)ps?|ftp|mailto|data|javascript|vbscript|file|tel|sms):(?=\S))"
    r"[^\s<>\"'`)\]]*"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@/.-])(?:[a-z0-9](?:[\w-]*\w)?\.)+[a-z]{2,24}(?:[:/?#][^\s<>\"'`)\]]*)?(?![\w-])"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/[^\s<>\"'`)\]]*)?"
    r"|//[\w\[-][^\s<>\"'`)\]]*",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"!\[[^\]]*\]\s*[(\[][^)\]]*[)\]]|\[[^\]]*\]\s*\([^)]*\)|\[[^\]]+\]:\s*\S+|<[a-z/!?][^>]*>?|&#?\w{2,10};"
    r"|[\[\uff3b\u3010\u3014\u27e6][^\[\]\n]{0,20}?\d[^\[\]\uff3b\uff3d\u3010\u3011\u3014\u3015\s]{0,20}"
    r"[\]\uff3d\u3011\u3015\u27e7]?|\d\s*[\]\uff3d\u3011\u3015\u27e7]|__\S"
    r"|```|~~~|\{\{.*?\}\}|\$\{.*?\}|\\(?:href|url|includegraphics)\b",
    re.IGNORECASE | re.DOTALL,
)
# How host names are written so that they are no links to a plain eye, and still lead there.
_DOT = re.compile(r"(?<=\w)(?:[\u3002\uff61\uff0e]|\[\.\]|\(\.\)|[\[(]dot[\])])(?=[a-z])", re.IGNORECASE)
# Colons and slashes that look like those of links; others are found by compatibility forms.
_LOOK_ALIKES = str.maketrans({"\u2236": ":", "\ua789": ":", "\u2044": "/", "\u2215": "/", "\u29f8": "/"})
_AFTER_LINK = ".,;:!?…"
# As many words in a row are taken from a text, and do not come about by chance.
_RUN = 6


def links_in(text: str) -> frozenset[str]:
    """Return the links, mail addresses and host names in a text, folded, without what ends a sentence.

    What is no link but looks like one ("evil\u2024example") is returned as the link that it looks like.
    """
    plain = [_DOT.sub(".", form) for form in _forms(text)]
    return frozenset(found.group().rstrip(_AFTER_LINK).casefold() for form in plain for found in _LINK.finditer(form))


def markup_in(text: str) -> frozenset[str]:
    """Return what would be read as markup: images, links, tags, entities, fences, templates; look-alikes, too."""
    return frozenset(" ".join(found.group().split()) for form in _forms(text) for found in _MARKUP.finditer(form))


def has_foreign_links(text: str, ground: str) -> bool:
    """Tell whether a text has a link that the ground has not letter by letter, or markup that it has not."""
    flat = "\n".join(" ".join(form.split()) for form in _forms(ground))
    if not all(markup in flat for markup in markup_in(text)):
        return True
    return not links_in(text) <= links_in(ground)


def _forms(text: str) -> tuple[str, ...]:
    """Return a text as it is written, and as what it looks like where that is something else."""
    if text.isascii():
        return (text,)
    return text, unicodedata.normalize("NFKC", text).translate(_LOOK_ALIKES)


def repeats(text: str, instructions: Iterable[str], ground: str) -> bool:
    """Tell whether a text repeats a run of words of the instructions that does not stand in the ground."""
    said = _runs(text)
    if not said:
        return False
    told = frozenset().union(*(_runs(instruction) for instruction in instructions))
    return bool((said & told) - _runs(ground))


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    return frozenset(tuple(words[place : place + _RUN]) for place in range(len(words) - _RUN + 1))
