"""HTML pages: hidden text goes, then navigation and other boilerplate, and the rest becomes Markdown."""

import copy
import re
from collections.abc import Sequence
from typing import Any

from indexing.cleaning import clean_line
from indexing.loading.decoding import decode
from indexing.loading.emphasis_html import drop_emphasis
from indexing.loading.hidden_html import drop_hidden
from indexing.loading.parsed import ParsedSource

_DECLARED = re.compile(rb"""<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4096  # bytes; the HTML standard asks for 1,024
_BOILERPLATE_TAGS = ("nav", "header", "footer", "aside", "form", "menu")
_BOILERPLATE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "menu"})
_SUSPICIOUSLY_LITTLE = 0.2
_PAGE_LINK_SHARE = 0.3
_MANY_ELEMENTS = 5_000
_BODY = re.compile(r"<body\b", re.IGNORECASE)
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BARE_BAR = re.compile(r"(?<!\\)\|")
_PARTS = re.compile(r"\s+[|\u2013\u2014·»:-]\s+")  # an en or em dash among them


def parse_html(data: bytes) -> ParsedSource:
    """Return the main text of a page as Markdown; a page without a title has none.

    A page with marks of a web site (navigation, footers, many links) goes through boilerplate removal; a page without
    them is a document, and is kept whole.
    """
    declared = _DECLARED.search(data[:_DECLARED_WITHIN])
    html = decode(data, declared[1].decode("ascii") if declared else "")
    root = _tree(html)
    if root is None:
        return ParsedSource()
    names = _page_names(root)
    drop_hidden(root)
    drop_emphasis(root)
    text = _main_text(root) if _is_web_page(root) else _markdown(root)
    headings = [clean_line(heading.text_content()) for heading in root.iter("h1")]
    title = _title(names, [heading for heading in headings if heading])
    if text and title in headings and title not in clean_line(text):
        text = f"# {title}\n\n{text}"  # extraction takes the main heading for a part of the page's frame
    return ParsedSource(text=text, title=title)


def html_to_markdown(html: str) -> str:
    """Return all of ``html`` as Markdown: headings with ``#``, tables as tables, the words alone of links and emphasis,
    no images.
    """
    root = _tree(html)
    if root is None:
        return ""
    drop_emphasis(root)
    return _markdown(root)


def _markdown(root: Any) -> str:  # noqa: ANN401  # lxml ships no types
    from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used
    from markdownify import markdownify  # noqa: PLC0415  # heavy import, only when used

    _escape_bars(root)
    try:
        markdown = markdownify(
            etree.tostring(root, encoding="unicode", method="html"),
            heading_style="ATX",
            bullets="-",
            strip=["a", "img"],
            escape_asterisks=False,
            escape_underscores=False,
            escape_misc=False,
            table_infer_header=True,
        )
    except RecursionError:  # elements nested hundreds deep: the text counts, not its form
        return "\n".join(root.itertext())
    return str(markdown)


def _escape_bars(root: Any) -> None:  # noqa: ANN401  # lxml ships no types
    """Escape bars within table cells, where they would begin a new cell."""
    for cell in root.iter("td", "th"):
        for element in cell.iter():
            if "|" in (element.text or ""):
                element.text = _BARE_BAR.sub(r"\\|", element.text)
            if "|" in (element.tail or "") and element is not cell:
                element.tail = _BARE_BAR.sub(r"\\|", element.tail)


def _tree(html: str) -> Any:  # noqa: ANN401  # lxml ships no types
    from lxml import etree, html as lxml_html  # noqa: PLC0415, I001  # heavy import, only when used

    if not _BODY.search(html):
        html = f"<html><body>{html}"  # else the parser takes the page's first elements for a part of its head
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml_html.document_fromstring(html.replace("\0", "").encode("utf-8", errors="replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):  # the page is empty
        return None
    _drop_controls(root)
    return root


def _drop_controls(root: Any) -> None:  # noqa: ANN401  # lxml ships no types
    """Remove the control characters that the parser lets in, and that no element's text may be set to."""
    for element in root.iter():
        if _NOT_XML.search(element.text or ""):
            element.text = _NOT_XML.sub("", element.text)
        if _NOT_XML.search(element.tail or ""):
            element.tail = _NOT_XML.sub("", element.tail)


def _is_web_page(root: Any) -> bool:  # noqa: ANN401  # lxml ships no types
    """Tell whether a page has parts that are not its text: marked as such, or a third of it and more being links."""
    if next(root.iter(*_BOILERPLATE_TAGS), None) is not None:
        return True
    if any(element.get("role") in _BOILERPLATE_ROLES for element in root.iter()):
        return True
    linked = sum(len(clean_line(link.text_content())) for link in root.iter("a"))
    return linked > _PAGE_LINK_SHARE * max(1, len(clean_line(root.text_content())))


def _main_text(root: Any) -> str:  # noqa: ANN401  # lxml ships no types
    """Return the main text; where extraction finds nearly nothing, the page without its marked boilerplate."""
    import trafilatura  # noqa: PLC0415  # heavy import, only when used

    _escape_bars(root)
    try:
        extracted = trafilatura.extract(
            copy.deepcopy(root),
            output_format="markdown",
            fast=sum(1 for _ in root.iter()) > _MANY_ELEMENTS,  # its thorough way takes time in the square of the page
            include_comments=False,
            include_tables=True,
            favor_recall=True,
        )
    except (RecursionError, ValueError):  # elements nested too deep, or text that it cannot write
        extracted = None
    main = extracted or ""
    rest = _without_boilerplate(root)
    if len(clean_line(main)) < _SUSPICIOUSLY_LITTLE * len(clean_line(rest.text_content())):
        return _markdown(rest)
    return main


def _without_boilerplate(root: Any) -> Any:  # noqa: ANN401  # lxml ships no types
    pruned = copy.deepcopy(root)
    for element in list(pruned.iter(*_BOILERPLATE_TAGS)):
        if element.tag != "header" or not element.xpath("ancestor::article"):
            element.drop_tree()
    for element in [one for one in pruned.iter() if one.get("role") in _BOILERPLATE_ROLES]:
        element.drop_tree()
    return pruned


def _page_names(root: Any) -> tuple[str, str]:  # noqa: ANN401  # lxml ships no types
    """Return (og:title, title element) as they stand in the head."""
    og_titles = root.xpath("//meta[@property='og:title']/@content")
    titles = root.xpath("//head/title/text() | //body/title/text()")
    return clean_line(str(og_titles[0])) if og_titles else "", clean_line(str(titles[0])) if titles else ""


def _title(names: tuple[str, str], headings: Sequence[str]) -> str:
    """Return the title that a reader sees: a main heading that begins the page's name, else the page's name.

    Of the page's names og:title is taken if the page shows it: metadata that nobody sees is no title, but a place to
    hide text in. The title element often ends in the name of the site, which is cut off.
    """
    og_title, title = names
    for heading in headings:
        if title.startswith(heading) or og_title.startswith(heading):
            return heading
    if og_title and (og_title in title or og_title in headings):
        return og_title
    parts = _PARTS.split(title)
    if len(headings) == 1 and headings[0] not in parts[1:]:
        return headings[0]
    site = parts[-1]
    return title.removesuffix(site).rstrip(" |\u2013\u2014·»:-") if 2 * len(site) < len(title) else title
