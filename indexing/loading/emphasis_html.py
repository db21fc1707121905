"""Emphasis within a line of an HTML page: its words stay, without marks that a quotation would then show."""

import re
from typing import Any

_EMPHASIS = ("b", "strong", "i", "em", "u", "code", "kbd", "samp", "tt", "var", "sub", "sup")
_UNWRAPPED = "unwrapped"
_DIGITS = re.compile(r"\d+\Z", re.ASCII)
_RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_BLOCK_LINES = 2  # line ends from which code is a block by itself


def drop_emphasis(root: Any) -> None:  # noqa: ANN401  # an lxml element; lxml ships no types
    """Put the words of bold, italic, underlined and code elements in their place; blocks of code stay as they are.

    A power of ten keeps its meaning: raised digits behind a digit become superscript digits. What is struck out keeps
    its element, since without a mark it would count as said.
    """
    from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used

    preformatted = {element for block in root.iter("pre") for element in block.iter()}
    for element in list(root.iter(*_EMPHASIS)):
        if element in preformatted or (element.tag == "code" and _is_block(element)):
            continue
        if element.tag == "sup" and len(element) == 0 and _DIGITS.match(element.text or "") and _follows_digit(element):
            element.text = element.text.translate(_RAISED)
        element.tag = _UNWRAPPED
    etree.strip_tags(root, _UNWRAPPED)


def _is_block(element: Any) -> bool:  # noqa: ANN401  # lxml ships no types
    return str(element.text_content()).strip().count("\n") >= _BLOCK_LINES


def _follows_digit(element: Any) -> bool:  # noqa: ANN401  # lxml ships no types
    before = element.getprevious()
    text = (element.getparent().text if before is None else before.tail) or ""
    return text[-1:].isdigit()
