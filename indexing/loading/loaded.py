"""What a loader returns."""

from dataclasses import dataclass, field

from graph_store.records import Metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpan:
    """Page ``number`` (from 1) of a paged source covers ``text[char_start:char_end]``."""

    number: int
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDocument:
    """A source as cleaned Markdown text; tables stay Markdown tables, headings stay ``#`` headings.

    ``key`` identifies the document within its source across runs: the ``id`` of a corpus row or of a JSON Lines row,
    else empty (one document per file). ``title`` is empty where the source has none. ``updated_at`` is ISO 8601, UTC.
    """

    source_uri: str
    key: str
    title: str
    media_type: str
    text: str
    pages: tuple[PageSpan, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    updated_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFailure:
    """A source that could not be read, with one sentence that says why.

    ``passing`` says that reading the same bytes again may well succeed: the system failed, not the source.
    """

    uri: str
    error: str
    passing: bool = False
