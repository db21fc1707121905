"""What must not get into an answer unless it stands in a cited passage: links, addresses, markup, the prompt itself."""

import re
from collections.abc import Iterable

from raptor.text_words import tokens

_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|www\.|(?:h(?:tt|xx)ps?|ftp|mailto|data|javascript|vbscript|file|tel|sms):(?=\S))"
    r"[^\s<>\"'`)\]]*"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@/.-])(?:[a-z0-9](?:[\w-]*\w)?\.)+[a-z]{2,24}(?:[:/?#][^\s<>\"'`)\]]*)?(?![\w-])"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/[^\s<>\"'`)\]]*)?"
    r"|//[\w-]+(?:\.[\w-]+)+[^\s<>\"'`)\]]*",
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
_AFTER_LINK = ".,;:!?…"
# As many words in a row are taken from a text, and do not come about by chance.
_RUN = 6


def links_in(text: str) -> frozenset[str]:
    """Return the links, mail addresses and host names in a text, folded, without what ends a sentence."""
    plain = _DOT.sub(".", text)
    return frozenset(found.group().rstrip(_AFTER_LINK).casefold() for found in _LINK.finditer(plain))


def markup_in(text: str) -> frozenset[str]:
    """Return what would be read as markup: images, links, tags, entities, fences, templates."""
    return frozenset(" ".join(found.group().split()) for found in _MARKUP.finditer(text))


def has_foreign_links(text: str, ground: str) -> bool:
    """Tell whether a text has a link that the ground has not letter by letter, or markup that it has not."""
    flat = " ".join(ground.split())
    if not all(markup in flat for markup in markup_in(text)):
        return True
    return not links_in(text) <= links_in(ground)


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
