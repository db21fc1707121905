"""What a reader of an HTML page cannot see: hidden elements, by attribute, inline style or simple style sheet rule."""

import re
from collections.abc import Iterator
from typing import Any

# Elements whose text is never shown as text of the page.
_UNSHOWN_TAGS = (
    *("script", "style", "noscript", "template", "title", "object", "embed", "iframe", "svg", "annotation", "canvas"),
    *("audio", "video", "map", "datalist", "select", "option", "textarea", "input", "button", "dialog"),
)
_HIDING_DECLARATIONS = (
    re.compile(r"(?:^|;)\s*display\s*:\s*none\b"),
    re.compile(r"(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)\b"),
    re.compile(r"(?:^|;)\s*opacity\s*:\s*0*\.?0*%?\s*(?:;|!|$)"),
    re.compile(r"(?:^|;)\s*text-indent\s*:\s*-\d{3,}"),
    re.compile(r"(?:^|;)\s*(?:left|top|right|margin-left|margin-top)\s*:\s*-\d{4,}px"),
    re.compile(r"(?:^|;)\s*clip(?:-path)?\s*:\s*(?:rect\(\s*[01]|inset\(\s*(?:50|100)%|circle\(\s*0)"),
    re.compile(r"(?:^|;)\s*color\s*:\s*transparent\b"),
)
_FONT = re.compile(r"(?:^|;)\s*font(?:-size)?\s*:([^;]*)")
_LENGTH = re.compile(r"(?<![\w.#-])(\d*\.?\d+)(px|pt|pc|mm|cm|in|em|rem|ex|ch|vw|vh|%|(?![\w.%]))")
# Up to these sizes text is not meant to be read; em and the like are relative to the size around.
_TINY = {"px": 1.5, "pt": 1.0, "mm": 0.4, "em": 0.1, "rem": 0.1, "ex": 0.2, "ch": 0.2, "%": 10.0, "vw": 0.1, "vh": 0.1}
_FOREGROUND = re.compile(r"(?:^|;)\s*color\s*:\s*([^;!]+)")
_BACKGROUND = re.compile(r"(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)")
_SHORT_HEX = re.compile(r"^#([0-9a-f])([0-9a-f])([0-9a-f])$")
_RGB = re.compile(r"^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+)(%?))?\s*\)$")
_BRACE = re.compile(r"[{}]")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE_SELECTOR = re.compile(r"^(?:[a-z][a-z0-9]*)?([.#])([\w-]+)$", re.IGNORECASE)
_HIDDEN_TAG = "hidden"
_WHITE = "#ffffff"
_NEAR_WHITE = 0xF0
_LONGEST_STYLE_SHEET = 500_000


def drop_hidden(root: Any) -> None:  # noqa: ANN401  # an lxml element; lxml ships no types
    """Remove from the lxml tree ``root`` comments and every element that a reader of the page cannot see.

    Hidden is: the ``hidden`` attribute, ``aria-hidden="true"``, a style that hides (``display: none``, ``visibility:
    hidden``, no opacity, a font of at most one pixel, placed outside the page, transparent or the colour of its
    ground), or a rule of the page's own style sheets with a single class or id as selector that says so. Images go,
    as alternative text is not shown.
    """
    from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used

    hiding_marks = _hiding_marks(root)
    for element in root.iter(etree.Element):
        if _is_hidden(element, hiding_marks):
            element.tag = _HIDDEN_TAG
    etree.strip_elements(root, _HIDDEN_TAG, etree.Comment, etree.ProcessingInstruction, with_tail=False)


def style_hides(style: str, ground: str = _WHITE) -> bool:
    """Tell whether the CSS declarations ``style`` hide text that stands on the colour ``ground`` (``#rrggbb``)."""
    declarations = _CSS_COMMENT.sub("", style).lower()
    if any(pattern.search(declarations) for pattern in _HIDING_DECLARATIONS) or _is_tiny(declarations):
        return True
    foreground = _FOREGROUND.search(declarations)
    if foreground is None:
        return False
    background = _BACKGROUND.search(declarations)
    return _same_colour(_colour(foreground[1]), _colour(background[1]) if background else ground)


def _is_tiny(declarations: str) -> bool:
    """Tell whether the font is too small to read; the size in the shorthand ``font`` is its first length."""
    for font in _FONT.finditer(declarations):
        lengths = [(float(number), unit) for number, unit in _LENGTH.findall(font[1])]
        sizes = [(number, unit) for number, unit in lengths if unit or number == 0]
        if sizes and sizes[0][0] <= _TINY.get(sizes[0][1], 0.0):
            return True
    return False


def _hiding_marks(root: Any) -> frozenset[str]:  # noqa: ANN401  # lxml ships no types
    """Return the ``.class`` and ``#id`` selectors that the page's style sheets hide outside media queries."""
    marks: set[str] = set()
    for sheet in root.iter("style"):
        for selectors, declarations in _plain_rules((sheet.text or "")[:_LONGEST_STYLE_SHEET]):
            if style_hides(declarations, ground=""):
                marks.update(_simple_marks(selectors))
    return frozenset(marks)


def _plain_rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, declarations) of the rules of a style sheet outside blocks such as media queries."""
    text = _CSS_COMMENT.sub("", css)
    depth, start, selectors = 0, 0, ""
    for brace in _BRACE.finditer(text):
        opens = brace[0] == "{"
        if opens and depth == 0:
            selectors = text[start : brace.start()].rpartition(";")[2].strip()
            start = brace.end()
        elif not opens and depth == 1:
            if not selectors.startswith("@"):
                yield selectors, text[start : brace.start()]
            start = brace.end()
        depth = depth + 1 if opens else max(0, depth - 1)


def _simple_marks(selectors: str) -> list[str]:
    found = (_SIMPLE_SELECTOR.match(selector.strip()) for selector in selectors.split(","))
    return [match[1] + match[2] for match in found if match is not None]


def _is_hidden(element: Any, hiding_marks: frozenset[str]) -> bool:  # noqa: ANN401  # lxml ships no types
    tag = element.tag.lower()
    if tag in {"html", "body"}:  # pages hide these until their script has run
        return False
    if tag in _UNSHOWN_TAGS or tag == "img":
        return True
    if element.get("hidden") is not None or element.get("aria-hidden", "").strip().lower() == "true":
        return True
    if tag == "font" and _same_colour(_colour(element.get("color", "")), _WHITE):
        return True
    style = element.get("style")
    if style and style_hides(style, _ground(element)):
        return True
    marks = {f".{name}" for name in element.get("class", "").split()} | {f"#{element.get('id', '')}"}
    return not marks.isdisjoint(hiding_marks)


def _ground(element: Any) -> str:  # noqa: ANN401  # lxml ships no types
    """Return the nearest background colour set inline around ``element``, white where none is."""
    for around in element.iterancestors():
        background = _BACKGROUND.search((around.get("style") or "").lower())
        declared = background[1] if background else around.get("bgcolor", "").lower()
        if declared:
            return _colour(declared)
    return _WHITE


def _colour(value: str) -> str:
    """Return a colour as ``#rrggbb``; empty where it is no plain colour, transparent ones as "transparent"."""
    text = value.strip().lower()
    if text in {"white", "#fff"}:
        return _WHITE
    if short := _SHORT_HEX.match(text):
        return "#" + "".join(digit * 2 for digit in short.groups())
    if rgb := _RGB.match(text):
        if rgb[4] is not None and float(rgb[4].strip(".") or 0) == 0:
            return "transparent"
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in rgb.groups()[:3])
    return {"black": "#000000"}.get(text, text if text.startswith("#") else "")


def _same_colour(foreground: str, ground: str) -> bool:
    """Tell whether text is invisible: transparent, the colour of its ground, or nearly white on nearly white."""
    if foreground == "transparent":
        return True
    if not foreground or not ground:
        return False
    return foreground == ground or (_is_near_white(foreground) and _is_near_white(ground))


def _is_near_white(colour: str) -> bool:
    try:
        parts = bytes.fromhex(colour.removeprefix("#"))
    except ValueError:
        return False
    return len(parts) == 3 and min(parts) >= _NEAR_WHITE
