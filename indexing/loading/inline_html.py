"""HTML within Markdown: comments and hidden elements go with their text, other tags go and leave theirs."""

import re

from indexing.loading.hidden_html import style_hides

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNSHOWN = frozenset({"script", "style", "template", "noscript", "iframe", "svg", "object", "head", "textarea"})
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "source", "col", "area", "base", "embed"})
_SHOWN = frozenset(
    (
        *("a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "body", "caption"),
        *("center", "cite", "code", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "fieldset"),
        *("figcaption", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "html", "i"),
        *("ins", "kbd", "label", "legend", "li", "main", "mark", "nav", "ol", "p", "picture", "pre", "q", "rp", "rt"),
        *(
            "ruby",
            "s",
            "samp",
            "section",
            "small",
            "span",
            "strike",
            "strong",
            "sub",
            "summary",
            "sup",
            "table",
            "tbody",
        ),
        *("td", "tfoot", "th", "thead", "time", "title", "tr", "tt", "u", "ul", "var", "video", "audio"),
    )
)
_TAG = re.compile(
    r"""<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*(/?)>"""
)
_STYLE = re.compile(r"""\bstyle\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_HIDDEN = re.compile(r"""\bhidden\b(?!\s*=\s*["']?until-found)|\baria-hidden\s*=\s*["']?true""", re.IGNORECASE)
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_WHITE_FONT = re.compile(r"""\bcolor\s*=\s*["']?\s*(?:white|#fff(?:fff)?)\b""", re.IGNORECASE)


def without_html(text: str) -> str:
    """Return Markdown ``text`` without HTML comments, hidden elements and tags; a line break tag becomes one."""
    text = _COMMENT.sub("", text)
    kept: list[str] = []
    end = 0
    hidden: list[str] = []  # the open tags within the outermost hidden element, which stands first
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if name not in _SHOWN and name not in _UNSHOWN and name not in _VOID:
            continue
        if not hidden:
            kept.append(text[end : tag.start()])
            kept.append("\n" if name in {"br", "p", "div", "tr", "li"} else "")
        end = tag.end()
        _track(hidden, name, tag)
    if not hidden:
        kept.append(text[end:])
    return "".join(kept)


def _track(hidden: list[str], name: str, tag: re.Match[str]) -> None:
    """Keep ``hidden`` up to date at ``tag``: a closing tag closes the last of its name and all within it."""
    if name in _VOID or tag[4]:
        return
    if tag[1]:
        if name in hidden:
            del hidden[len(hidden) - 1 - hidden[::-1].index(name) :]
    elif hidden or name in _UNSHOWN or _hides(tag[3]):
        hidden.append(name)


def _hides(attributes: str) -> bool:
    style = _STYLE.search(attributes)
    if style is not None and style_hides(style[1] or style[2] or ""):
        return True
    bare = _QUOTED.sub(lambda match: match[0] if match[0][1:-1].lower() == "true" else '""', attributes)
    return bool(_HIDDEN.search(bare) or _WHITE_FONT.search(attributes))
