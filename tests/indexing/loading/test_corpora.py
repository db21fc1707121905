"""Real files and pages: what must be found in them, what must not, in which order, and which must be refused."""

import json
import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from indexing.loading.load import iterate_source
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.loading.media_types import SUPPORTED_SUFFIXES
from indexing.loading.settings import LoadingSettings

pytestmark = pytest.mark.corpus

MUST_BE_REFUSED = {"needs_ocr", "encrypted", "empty", "unsupported"}


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def loaded(path: Path) -> LoadedDocument | LoadFailure:
    (item,) = iterate_source(path, LoadingSettings())
    return item


def plain(text: str) -> str:
    """Return ``text`` in NFKC without Markdown's marks, white space collapsed."""
    return " ".join(re.sub(r"[*_`#]|\\(?=\|)", "", unicodedata.normalize("NFKC", text)).split())


def holds(text: str, phrase: str) -> bool:
    return plain(phrase) in text


def test_files_of_supported_formats_are_read_right_or_refused(corpora: Path) -> None:
    folder = corpora / "files"
    checked = [record for record in records(folder) if Path(record["file"]).suffix in SUPPORTED_SUFFIXES]
    assert len(checked) >= 30
    faults = [fault for record in checked for fault in faults_of(record, loaded(folder / record["file"]))]
    assert faults == []


def faults_of(record: dict[str, Any], item: LoadedDocument | LoadFailure) -> list[str]:
    name = record["file"]
    if record["outcome"] in MUST_BE_REFUSED:
        return [] if isinstance(item, LoadFailure) else [f"{name}: read, but {record['outcome']}"]
    if isinstance(item, LoadFailure):
        return [f"{name}: {item.error}"]
    text = plain(f"{item.title}\n{item.text}")
    missing = [f"{name}: lacks {phrase!r}" for phrase in record["must_contain"] if not holds(text, phrase)]
    present = [f"{name}: holds {phrase!r}" for phrase in record["must_not_contain"] if holds(text, phrase)]
    places = [plain(item.text).find(plain(phrase)) for phrase in record["in_order"]]
    disordered = [f"{name}: order"] if any(before > after for before, after in pairwise(places)) else []
    return missing + present + disordered


def test_files_of_other_formats_are_refused_by_name(corpora: Path) -> None:
    folder = corpora / "files"
    others = [record["file"] for record in records(folder) if Path(record["file"]).suffix not in SUPPORTED_SUFFIXES]
    assert others
    for name in others:
        item = loaded(folder / name)
        assert isinstance(item, LoadFailure)
        assert "not supported" in item.error


def test_encrypted_and_scanned_files_are_told_apart(corpora: Path) -> None:
    said = {
        record["outcome"]: item.error
        for record in records(corpora / "files")
        if record["file"].endswith(".pdf")
        and record["outcome"] in MUST_BE_REFUSED
        and isinstance(item := loaded(corpora / "files" / record["file"]), LoadFailure)
    }
    assert set(said) == {"needs_ocr", "encrypted"}
    assert "OCR" in said["needs_ocr"]
    assert "encrypted" in said["encrypted"]


@pytest.mark.parametrize(
    ("name", "phrase", "count"),
    [
        ("docling__textbox.docx", "Sore throat", 1),
        ("docling__docx_comments.docx", "This is a sample reviewer comment on the first paragraph.", 0),
        ("docling__invisible_text_layer.pdf", "Invisible OCR text layer", 0),
        ("docling__right_to_left_01.pdf", "\u0627\u0644\u0625\u0646\u062a\u0627\u062c\u064a\u0629", 3),
        ("unstructu__multi-column-2p.pdf", "dual-encoder", 2),
        ("markitdow__test_wikipedia.html", "Jump to content", 0),
    ],
)
def test_text_stands_as_often_as_a_reader_sees_it(corpora: Path, name: str, phrase: str, count: int) -> None:
    item = loaded(corpora / "files" / name)
    assert isinstance(item, LoadedDocument)
    assert plain(item.text).count(phrase) == count


def test_pages_keep_their_main_text_and_lose_the_rest(corpora: Path) -> None:
    folder = corpora / "html_boilerplate"
    wanted, unwanted = [], []
    for record in records(folder):
        item = loaded(folder / record["file"])
        text = plain(item.text) if isinstance(item, LoadedDocument) else ""
        wanted += [holds(text, phrase) for phrase in record["must_contain"]]
        unwanted += [not holds(text, phrase) for phrase in record["must_not_contain"]]
    found, absent = sum(wanted) / len(wanted), sum(unwanted) / len(unwanted)
    print(f"main text found {found:.3f} of {len(wanted)}, boilerplate absent {absent:.3f} of {len(unwanted)}")  # noqa: T201  # the figure reported
    assert found >= 0.92
    assert absent >= 0.90


def test_every_row_of_the_corpora_is_a_document(corpora: Path) -> None:
    rows = failures = 0
    for path in sorted(corpora.glob("*/corpus.jsonl")):
        items = list(iterate_source(path, LoadingSettings()))
        rows += len(items)
        failures += sum(isinstance(item, LoadFailure) for item in items)
    assert rows > 10_000
    assert failures <= rows // 1000
