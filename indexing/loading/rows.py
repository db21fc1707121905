"""JSON Lines: one document per row, and one bad row costs that row alone."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from graph_store.records import MetadataValue
from indexing.cleaning import clean_line, clean_text, clean_title
from indexing.loading.errors import LoadError
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.loading.media_types import MEDIA_TYPES
from indexing.loading.metadata import flat_metadata
from indexing.loading.settings import LoadingSettings

_OWN_FIELDS = frozenset({"id", "title", "text", "metadata", "updated_at"})


def iterate_rows(path: Path, updated_at: str, settings: LoadingSettings) -> Iterator[LoadedDocument | LoadFailure]:
    """Yield the document or the failure of each row that is not blank, in file order.

    Bad rows beyond ``max_reported_rows`` are counted in one last failure. Raises ``LoadError`` where the file as a
    whole is not UTF-8, ``OSError`` where it cannot be read.
    """
    failures = 0
    seen: set[str] = set()
    for number, line in _lines(path, settings.max_row_bytes):
        try:
            yield _document(path, number, line, seen=seen, updated_at=updated_at)
        except LoadError as error:
            failures += 1
            if failures <= settings.max_reported_rows:
                yield LoadFailure(uri=error.uri, error=error.sentence)
    unreported = failures - settings.max_reported_rows
    if unreported > 0:
        yield LoadFailure(uri=str(path), error=f"Besides, {unreported:,} more rows of this file could not be read.")


def _lines(path: Path, longest: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield (line number from 1, line) for lines with something in them; None for a line longer than ``longest``.

    A long line is passed over piece by piece, so memory stays bounded by ``longest``.
    """
    with path.open("rb") as file:
        if file.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise LoadError(str(path), "It is UTF-16, but JSON Lines are UTF-8; convert it.")
        if file.peek(3)[:3] == b"\xef\xbb\xbf":
            file.read(3)
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                while line and not line.endswith(b"\n"):
                    line = file.readline(longest)
                yield number, None
            elif line.strip():
                yield number, line


def _document(path: Path, number: int, line: bytes | None, *, seen: set[str], updated_at: str) -> LoadedDocument:
    uri = f"{path}#line {number}"
    if line is None:
        raise LoadError(uri, "The row is longer than the limit (setting max_row_bytes).")
    row = _parsed(uri, line)
    key = _key(uri, row.get("id"))
    uri = f"{path}#{key}"
    if key in seen:
        raise LoadError(uri, f"The id {key!r} is used twice in this file; the row in line {number} is left out.")
    text = row.get("text")
    cleaned = clean_text(text) if isinstance(text, str) else ""
    if not cleaned.strip():
        raise LoadError(uri, f"The row in line {number} has no text.")
    seen.add(key)
    title, updated = row.get("title"), row.get("updated_at")
    return LoadedDocument(
        source_uri=uri,
        key=key,
        title=clean_title(title) if isinstance(title, str) else "",
        media_type=MEDIA_TYPES[".jsonl"],
        text=cleaned,
        metadata=_metadata(row),
        updated_at=clean_line(updated) if isinstance(updated, str) else updated_at,
    )


def _parsed(uri: str, line: bytes) -> Mapping[str, object]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise LoadError(uri, "The row is not UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise LoadError(uri, f"The row is not valid JSON: {clean_line(str(error))[:200]}.") from error
    if not isinstance(row, dict):
        raise LoadError(uri, "The row is not a JSON object with the fields id, title and text.")
    return row


def _key(uri: str, value: object) -> str:
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    key = clean_line(str(value)) if is_id else ""
    if not key:
        raise LoadError(uri, "The row has no id (text or a whole number).")
    return key


def _metadata(row: Mapping[str, object]) -> dict[str, MetadataValue]:
    """Return the row's other fields; those of its ``metadata`` mapping win where both name one."""
    fields: dict[object, object] = {name: value for name, value in row.items() if name not in _OWN_FIELDS}
    given = row.get("metadata")
    return flat_metadata(fields | given) if isinstance(given, dict) else flat_metadata(fields)
