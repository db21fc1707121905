"""PDF files, page by page."""

from indexing.loading.errors import UnreadableSource
from indexing.loading.parsed import ParsedSource
from indexing.loading.settings import LoadingSettings


def parse_pdf(data: bytes, settings: LoadingSettings) -> ParsedSource:
    """Return the text of each page."""
    import pypdfium2  # type: ignore[import-untyped]  # noqa: PLC0415  # heavy import, only when used

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise UnreadableSource("It is encrypted or damaged.") from error
    if len(document) > settings.max_pdf_pages:
        raise UnreadableSource(
            f"It has {len(document):,} pages, more than {settings.max_pdf_pages:,} (setting max_pdf_pages)."
        )
    pages = tuple(str(page.get_textpage().get_text_bounded()) for page in document)
    if not any(page.strip() for page in pages):
        raise UnreadableSource("It has no text layer; run text recognition (OCR) on it first.")
    return ParsedSource(pages=pages)
