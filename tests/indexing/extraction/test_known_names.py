"""Names that a document announces itself."""

from graph_store.records import Chunk, Document
from indexing.extraction.known_names import known_names, numbered_names


def test_numbered_family_is_known() -> None:
    assert numbered_names(["Mariner 3 failed.", "Mariner 4 did not."]) == {"Mariner 3", "Mariner 4"}


def test_single_or_common_numbers_are_not_names() -> None:
    assert (
        numbered_names(["Toyota 20 was there", "On May 30 and May 31", "Page 3, Page 4", "In 12 of 14", "In 13"])
        == set()
    )


def test_title_and_headings_are_known() -> None:
    document = Document(id="d", source_uri="d", title="Early Mariners", media_type="text/markdown", content_hash="")
    chunk = Chunk(
        id="c",
        document_id="d",
        document_version=1,
        text="text",
        heading_path=("Early Mariners", "Olympus Mons", "Overview", "How it went"),
        char_start=0,
        char_end=4,
        position=0,
    )
    assert known_names(document, [chunk]) == ("Early Mariners", "Olympus Mons")
