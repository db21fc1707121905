"""PDF files, page by page: PDFium for the text, pdfplumber for ruled tables and vertical writing."""

import re
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from indexing.cleaning import clean_line
from indexing.loading.errors import UnreadableSource
from indexing.loading.parsed import ParsedSource
from indexing.loading.pdf_glyphs import PageReader
from indexing.loading.pdf_lines import Line, page_lines
from indexing.loading.pdf_tables import Plumber
from indexing.loading.pdf_text import PageWriter, without_furniture
from indexing.loading.settings import LoadingSettings

_SECTION = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s")
_FEWEST_CHARACTERS = 3  # a page with fewer letters and digits shows no text worth a document


def parse_pdf(data: bytes, settings: LoadingSettings) -> ParsedSource:
    """Return each page as Markdown, with hidden text, recurring headers and divided words dealt with.

    The title is the one in the file's metadata if the first page shows it, else the first heading of the first page,
    unless that is one of several numbered sections.
    Raises ``UnreadableSource`` for encrypted, damaged and scanned files and for those with too many pages.
    """
    import pypdfium2  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "encrypted; remove its password" if "password" in str(error).lower() else "damaged, or not a PDF"
        raise UnreadableSource(f"It is {reason}.") from error
    with document:
        if len(document) > settings.max_pdf_pages:
            raise UnreadableSource(
                f"It has {len(document):,} pages, more than {settings.max_pdf_pages:,}; "
                "split it or raise the setting max_pdf_pages."
            )
        pages, damaged = _pages(document, Plumber(data))
        title = _named_title(document)
    if sum(char.isalnum() for page in pages for char in page) < _FEWEST_CHARACTERS:
        why = "Its pages are damaged." if damaged else "It has no text layer; run text recognition (OCR) on it first."
        raise UnreadableSource(why)
    left_out = tuple(f"Page {number + 1} is damaged and left out." for number in damaged)
    return ParsedSource(pages=tuple(pages), title=_title(title, pages), left_out=left_out)


def _pages(document: Any, plumber: Plumber) -> tuple[list[str], list[int]]:  # noqa: ANN401  # pypdfium2 ships no types
    """Return the text of each page, and the numbers (from 0) of those that cannot be read."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415  # heavy import, only when used

    vertical: dict[int, str] = {}
    damaged: list[int] = []
    pages: list[list[Line]] = []
    for number in range(len(document)):
        lines: list[Line] = []
        try:
            with closing(document[number]) as page, closing(PageReader(page)) as reader:
                if reader.grounds.is_vertical():
                    vertical[number] = plumber.vertical_text(number)
                grids = plumber.grids(number) if reader.grounds.has_grid() else ()
                lines = page_lines(reader.lines(), grids)
        except PdfiumError:
            damaged.append(number)
        pages.append([] if vertical.get(number) else lines)
    kept = without_furniture(pages)
    writer = PageWriter(kept)
    return [vertical.get(number) or writer.write(page) for number, page in enumerate(kept)], damaged


def _named_title(document: Any) -> str:  # noqa: ANN401  # pypdfium2 ships no types
    try:
        return clean_line(document.get_metadata_value("Title"))
    except UnicodeDecodeError:
        return ""


def _title(named: str, pages: Sequence[str]) -> str:
    first = next((page for page in pages if page), "")
    if len(named) > 1 and named.casefold() in clean_line(first).casefold():
        return named
    headings = [line.lstrip("#").strip() for page in (first, *pages) for line in page.splitlines() if line[:1] == "#"]
    heading = headings[0] if any(line.startswith("#") for line in first.splitlines()) else ""
    sections = {number[1] for number in map(_SECTION.match, headings) if number is not None}
    return "" if _SECTION.match(heading) and len(sections) > 1 else heading
