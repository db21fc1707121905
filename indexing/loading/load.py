"""From a path to loaded documents: read, decode, parse by suffix, clean."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from indexing.cleaning import clean_text, clean_title
from indexing.loading.decoding import decode
from indexing.loading.docx import parse_docx
from indexing.loading.errors import LoadError, UnreadableSource
from indexing.loading.html import parse_html
from indexing.loading.loaded import LoadedDocument, LoadFailure, PageSpan
from indexing.loading.markdown import parse_markdown
from indexing.loading.media_types import MEDIA_TYPES, unsupported_sentence
from indexing.loading.parsed import ParsedSource
from indexing.loading.pdf import parse_pdf
from indexing.loading.plain_text import parse_plain_text
from indexing.loading.rows import iterate_rows
from indexing.loading.settings import LoadingSettings
from indexing.loading.tables import parse_csv

_LOGGING_READERS = ("pdfminer", "pypdfium2", "trafilatura", "justext", "readability", "charset_normalizer")


def iterate_source(path: Path, settings: LoadingSettings) -> Iterator[LoadedDocument | LoadFailure]:
    """Yield what the file at ``path`` holds: one document or failure, or one per row of a JSON Lines file.

    Never raises for what a file holds: whatever cannot be read is a failure with one sentence. A document of which
    parts are unreadable is followed by a failure for each.
    """
    _quieten_readers()
    try:
        if path.suffix.lower() == ".jsonl":
            yield from iterate_rows(path, _modified(path), settings)
        else:
            yield from _iterate_whole(path, settings)
    except LoadError as error:
        yield LoadFailure(uri=error.uri, error=error.sentence)
    except OSError as error:
        yield LoadFailure(uri=str(path), error=f"It cannot be read: {error.strerror}.", passing=True)


def _quieten_readers() -> None:
    """Keep libraries from logging what they meet in damaged files; what matters of it is said by our failures."""
    for name in _LOGGING_READERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def load_source(path: Path, settings: LoadingSettings) -> tuple[LoadedDocument, ...]:
    """Return all documents of the file at ``path``; raises ``LoadError`` at the first that cannot be read."""
    documents: list[LoadedDocument] = []
    for item in iterate_source(path, settings):
        if isinstance(item, LoadFailure):
            raise LoadError(item.uri, item.error)
        documents.append(item)
    return tuple(documents)


def _iterate_whole(path: Path, settings: LoadingSettings) -> Iterator[LoadedDocument | LoadFailure]:
    """Yield the one document of a file, then a failure for each part of it that had to be left out."""
    try:
        parsed = _parse(path.suffix.lower(), _read(path, settings), settings)
    except UnreadableSource as error:
        raise LoadError(str(path), str(error)) from error
    yield _document(path, parsed)
    for sentence in parsed.left_out:
        yield LoadFailure(uri=str(path), error=sentence)


def _document(path: Path, parsed: ParsedSource) -> LoadedDocument:
    text, pages = _joined_pages(parsed.pages) if parsed.pages else (clean_text(parsed.text), ())
    if not text.strip():
        raise LoadError(str(path), "It holds no text.")
    return LoadedDocument(
        source_uri=str(path),
        key="",
        title=clean_title(parsed.title),
        media_type=MEDIA_TYPES[path.suffix.lower()],
        text=text,
        pages=pages,
        metadata=parsed.metadata,
        updated_at=_modified(path),
    )


def _parse(suffix: str, data: bytes, settings: LoadingSettings) -> ParsedSource:  # noqa: PLR0911  # one a format
    match suffix:
        case ".txt":
            return parse_plain_text(decode(data))
        case ".md" | ".markdown":
            return parse_markdown(decode(data))
        case ".html" | ".htm":
            return parse_html(data)
        case ".csv":
            return parse_csv(decode(data), ",")
        case ".tsv":
            return parse_csv(decode(data), "\t")
        case ".pdf":
            return parse_pdf(data, settings)
        case ".docx":
            return parse_docx(data, settings)
        case _:
            raise UnreadableSource(unsupported_sentence(suffix))


def _read(path: Path, settings: LoadingSettings) -> bytes:
    with path.open("rb") as file:
        data = file.read(settings.max_file_bytes + 1)
    if len(data) > settings.max_file_bytes:
        raise UnreadableSource(
            f"It is larger than {settings.max_file_bytes:,} bytes; split it or raise the setting max_file_bytes."
        )
    return data


def _modified(path: Path) -> str:
    """Return when the file was changed last; empty where its time is beyond what a date can tell."""
    try:
        return datetime.fromtimestamp(int(path.stat().st_mtime), tz=UTC).isoformat()
    except (ValueError, OverflowError):
        return ""


def _joined_pages(pages: tuple[str, ...]) -> tuple[str, tuple[PageSpan, ...]]:
    """Return the cleaned pages as one text and the span of each page that has text, numbered from 1."""
    parts: list[str] = []
    spans: list[PageSpan] = []
    length = 0
    for number, page in enumerate(pages, start=1):
        cleaned = clean_text(page).strip()
        if not cleaned:
            continue
        if parts:
            parts.append("\n\n")
            length += 2
        parts.append(cleaned)
        spans.append(PageSpan(number=number, char_start=length, char_end=length + len(cleaned)))
        length += len(cleaned)
    return "".join(parts), tuple(spans)
