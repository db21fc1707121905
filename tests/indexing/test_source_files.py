"""Which file a document came from, and whether it is still there."""

import os
from pathlib import Path

import pytest

from indexing.source_files import is_gone, source_file


@pytest.mark.parametrize(
    ("source_uri", "document_id", "file"),
    [
        ("/d/notes.md", "notes.md", "/d/notes.md"),
        ("/d/c#/no#tes.md", "c#/no#tes.md", "/d/c#/no#tes.md"),
        ("/d/corpus.jsonl#r1", "r1", "/d/corpus.jsonl"),
        ("/d/CORPUS.JSONL#r1", "r1", "/d/CORPUS.JSONL"),
        ("/d/corpus.jsonl#page#section", "page#section", "/d/corpus.jsonl"),
        ("/d/corpus.jsonl#page#section", "page#section~0a", "/d/corpus.jsonl"),
        ("/d/corpus.jsonl#page#section", "", "/d/corpus.jsonl"),
        ("/d/corpus.jsonl#https://a.de/x.md#top", "https://a.de/x.md#top", "/d/corpus.jsonl"),
        ("/d/corpus.jsonl#a.md", "a.md", "/d/corpus.jsonl"),
        ("/d/corpus.jsonl#/e/rows.jsonl#3", "/e/rows.jsonl#3", "/d/corpus.jsonl"),
        ("/d/x.jsonl#y/rows.jsonl#3", "3", "/d/x.jsonl#y/rows.jsonl"),
        ("/d/n#m/rows.jsonl#3#4", "3#4", "/d/n#m/rows.jsonl"),
        (f"/d/corpus.jsonl#{'K' * 5000}", "K" * 5000, "/d/corpus.jsonl"),
        (f"/d/corpus.jsonl#{'K' * 5000}.md", f"{'K' * 5000}.md", "/d/corpus.jsonl"),
        ("/d/corpus.jsonl#a\0.md", "a\0.md", "/d/corpus.jsonl"),
    ],
)
def test_a_row_is_kept_apart_from_its_file(source_uri: str, document_id: str, file: str) -> None:
    assert source_file(source_uri, document_id) == Path(file)


def test_a_file_that_looks_like_a_row_is_a_file_while_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl#y.md"
    path.write_text("x")
    assert source_file(str(path), "y.md") == path
    path.unlink()
    assert source_file(str(path), "y.md") == tmp_path / "x.jsonl"


def test_what_is_no_file_without_links_is_gone(tmp_path: Path) -> None:
    file, link, folder, loop = (tmp_path / name for name in ("file.md", "link.md", "folder.md", "loop.md"))
    file.write_text("x")
    link.symlink_to(file)
    loop.symlink_to(loop)
    folder.mkdir()
    (tmp_path / "linked").symlink_to(tmp_path)
    assert not is_gone(file)
    names = ["link.md", "folder.md", "loop.md", "none.md", "linked/file.md", "file.md/inner.md", "K" * 5000, "a\0b"]
    assert [name for name in names if not is_gone(tmp_path / name)] == []


@pytest.mark.parametrize("refusal", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_what_cannot_be_looked_at_is_not_gone(refusal: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: object, **_options: object) -> os.stat_result:
        raise refusal

    monkeypatch.setattr(Path, "stat", refused)
    assert not is_gone(Path("/locked/a.md"))
    assert source_file("/locked/corpus.jsonl#r#1", "r#1") == Path("/locked/corpus.jsonl")
