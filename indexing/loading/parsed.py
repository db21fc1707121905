"""What a format's parser returns: raw text that loading cleans and completes."""

from dataclasses import dataclass, field

from graph_store.records import Metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSource:
    """The text of one source as Markdown, not yet cleaned; ``pages`` holds it page by page for paged sources.

    ``title`` is empty where the source has none. Where ``pages`` is given, ``text`` is empty. ``left_out`` says in one
    sentence each what could not be read of an else readable source.
    """

    text: str = ""
    pages: tuple[str, ...] = ()
    title: str = ""
    metadata: Metadata = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
