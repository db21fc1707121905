"""DOCX files: checked and stripped of hidden runs, then through HTML to Markdown."""

import io
import zipfile
import zlib
from typing import Any

from indexing.cleaning import clean_line
from indexing.loading.errors import UnreadableSource
from indexing.loading.html import html_to_markdown
from indexing.loading.parsed import ParsedSource
from indexing.loading.settings import LoadingSettings

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
# What the readers of ZIP files and of Word's XML meet in damaged files.
_ZIP_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, RuntimeError)
_DAMAGE = (*_ZIP_DAMAGE, AttributeError, IndexError, TypeError, AssertionError)
_SMALLEST_FONT = 4  # half points: text of two points and less is not meant to be read
_HEADING = "<h"
_TITLE_CLASS = "document-title"
# By name, which is the same in all languages of Word; by id where the file defines no styles.
_STYLE_MAP = (
    f"p[style-name='Title'] => h1.{_TITLE_CLASS}:fresh\np.Title => h1.{_TITLE_CLASS}:fresh\n"
    "p[style-name='Subtitle'] => p:fresh\np.Subtitle => p:fresh"
)


def parse_docx(data: bytes, settings: LoadingSettings) -> ParsedSource:
    """Return the text of a DOCX file as Markdown, without comments, deletions, images and hidden text."""
    import mammoth  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used

    if data.startswith(_OLE_MAGIC):
        raise UnreadableSource("It is encrypted or in the old DOC format; save it as DOCX without a password.")
    safe, core_title = _checked(data, settings)
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(safe),
            style_map=_STYLE_MAP,
            include_embedded_style_map=False,
            convert_image=lambda _image: [],
        )
    except _DAMAGE as error:
        raise UnreadableSource("It is a damaged DOCX file.") from error
    text = html_to_markdown(result.value)
    return ParsedSource(text=text, title=_styled_title(result.value) or _title(core_title, text))


def _styled_title(html: str) -> str:
    """Return the first paragraph that has the style of a title, "" where none has."""
    from lxml import html as lxml_html  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used

    if _TITLE_CLASS not in html:
        return ""
    titles = lxml_html.fromstring(f"<div>{html}</div>").xpath(f"//h1[@class='{_TITLE_CLASS}']")
    return next((text for title in titles if (text := clean_line(title.text_content()))), "")


def _checked(data: bytes, settings: LoadingSettings) -> tuple[bytes, str]:
    """Return the file with every XML part parsed safely and written again, and its core title."""
    safe = io.BytesIO()
    core_title = ""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed, zipfile.ZipFile(safe, "w") as checked:
            if sum(part.file_size for part in packed.infolist()) > settings.max_unpacked_bytes:
                raise UnreadableSource(
                    f"It unpacks to more than {settings.max_unpacked_bytes:,} bytes (setting max_unpacked_bytes)."
                )
            if "word/document.xml" not in packed.namelist():
                raise UnreadableSource("It is not a DOCX file.")
            for name in _wanted(packed):
                root = _parsed_xml(packed.read(name))
                core_title = core_title or clean_line(root.findtext(_TITLE) or "")
                checked.writestr(name, _written_xml(root))
    except _ZIP_DAMAGE as error:
        raise UnreadableSource("It is a damaged or encrypted DOCX file.") from error
    return safe.getvalue(), core_title


def _wanted(packed: zipfile.ZipFile) -> list[str]:
    """Return the names of the XML parts, each once; pictures and other binary parts are not needed."""
    return sorted({name for name in packed.namelist() if name.endswith((".xml", ".rels"))})


def _parsed_xml(data: bytes) -> Any:  # noqa: ANN401  # lxml ships no types
    from lxml import etree  # noqa: PLC0415  # heavy import

    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableSource("It is a damaged DOCX file.") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise UnreadableSource("Its XML declares entities, which DOCX files do not; it is not read.")
    return root


def _written_xml(root: Any) -> bytes:  # noqa: ANN401  # lxml ships no types
    from lxml import etree  # noqa: PLC0415  # heavy import, only when used

    for run in list(root.iter(f"{_W}r")):
        if _is_hidden(run.find(f"{_W}rPr")):
            run.getparent().remove(run)
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _is_hidden(properties: Any) -> bool:  # noqa: ANN401  # lxml ships no types
    if properties is None:
        return False
    for name in ("vanish", "webHidden", "specVanish"):
        mark = properties.find(_W + name)
        if mark is not None and mark.get(f"{_W}val", "true") not in {"0", "false", "off"}:
            return True
    size = properties.find(f"{_W}sz")
    if size is not None and size.get(f"{_W}val", "").isdigit() and int(size.get(f"{_W}val")) <= _SMALLEST_FONT:
        return True
    colour = properties.find(f"{_W}color")
    is_white = colour is not None and colour.get(f"{_W}val", "").upper() == "FFFFFF"
    return is_white and properties.find(f"{_W}shd") is None and properties.find(f"{_W}highlight") is None


def _title(core_title: str, markdown: str) -> str:
    """Return the core title where the text shows it, else the first heading."""
    if core_title and core_title.casefold() in clean_line(markdown).casefold():
        return core_title
    headings = (line.lstrip("#").strip() for line in markdown.splitlines() if line.startswith("#"))
    return next((heading for heading in headings if heading), "")
