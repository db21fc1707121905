"""What becomes of documents whose files were moved, replaced or locked."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graph_store.access import Access
from indexing.options import IndexOptions
from indexing.reconciling import SourceComparison, compare_sources
from indexing.report import IndexReport
from indexing.settings import IndexingSettings
from tests.indexing.counted_runs import CountedRuns, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

PLAIN = IndexOptions()
PRUNE = IndexOptions(prune=True)
STAFF = IndexOptions(groups=("staff",))
ANYBODY = Access()
STAFF_READER = Access(groups=frozenset({"staff"}))
TEXT = "# Rota station\n\nElsa Brandt directs Rota station.\n"
ROW_IDS = ["page#section", "https://example.org/a.md#top", "a#b.jsonl#c", "K" * 600, "plain"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    (made / "sub").mkdir(parents=True)
    (made / "one.md").write_text(TEXT, encoding="utf-8")
    (made / "sub" / "two.txt").write_text("Porto is a city in Portugal.\n", encoding="utf-8")
    return made


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield made


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    documents = report.documents
    return documents.added, documents.updated, documents.unchanged, documents.deleted


def compared(runs: CountedRuns, *paths: Path, options: IndexOptions = PLAIN) -> SourceComparison:
    return compare_sources(paths, store=runs.store, settings=IndexingSettings(), options=options)


def drifts(runs: CountedRuns, *paths: Path, options: IndexOptions = PLAIN) -> list[tuple[str, str]]:
    found = compared(runs, *paths, options=options).drifts
    return sorted((drift.kind, drift.document_id) for drift in found if drift.kind != "lag")


def held(runs: CountedRuns, access: Access = ANYBODY) -> dict[str, str]:
    return {document.id: document.source_uri for document in runs.store.list_documents(access)}


def write_rows(path: Path, ids: list[str]) -> None:
    rows = [{"id": name, "title": "Row", "text": f"Kestrel bridge number {number}."} for number, name in enumerate(ids)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("place", ["corpus.jsonl", "c#1/d.jsonl#2/corpus.jsonl"])
def test_rows_with_any_id_live_and_go_with_their_file(runs: CountedRuns, folder: Path, place: str) -> None:
    path = folder / "rows" / place
    path.parent.mkdir(parents=True)
    write_rows(path, ROW_IDS)
    assert counts(runs.index(folder)) == (7, 0, 0, 0)
    write_rows(path, ROW_IDS[:-1])
    other = folder / "one.md"
    assert counts(runs.index(other, options=PRUNE)) == (0, 0, 1, 0), "a file that was not read holds its rows"
    assert counts(runs.index(folder, options=PRUNE)) == (0, 0, 6, 1)
    assert set(ROW_IDS) & set(held(runs)) == set(ROW_IDS[:-1])
    path.unlink()
    assert counts(runs.index(folder, options=PRUNE)) == (0, 0, 2, 4)


def test_rows_with_any_id_move_with_their_file(runs: CountedRuns, folder: Path) -> None:
    path = folder / "corpus.jsonl"
    write_rows(path, ROW_IDS)
    runs.index(folder)
    path.rename(folder / "m#ved.jsonl")
    assert counts(runs.index(folder)) == (0, 5, 2, 0)
    assert {uri for name, uri in held(runs).items() if name in ROW_IDS} == {
        f"{folder}/m#ved.jsonl#{name}" for name in ROW_IDS
    }


def locked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to look at a folder, as the system does for all but the owner: tests may run as root."""
    stat, scandir = Path.stat, os.scandir

    def refusing(look: Callable[..., object]) -> Callable[..., object]:
        def looked(path: Path | str | int, *args: object, **options: object) -> object:
            place = Path() if isinstance(path, int) else Path(path)
            if folder in place.parents or (place == folder and look is scandir):
                raise PermissionError(13, "Permission denied", str(path))
            return look(path, *args, **options)

        return looked

    monkeypatch.setattr(Path, "stat", refusing(stat))
    monkeypatch.setattr("os.scandir", refusing(scandir))


def test_a_locked_folder_is_named_and_keeps_its_documents(
    runs: CountedRuns, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(folder / "sub" / "corpus.jsonl", ROW_IDS)
    runs.index(folder)
    before = held(runs)
    (folder / "new.md").write_text("# Hugo Quell\n\nHugo Quell painted.\n", encoding="utf-8")
    locked(folder / "sub", monkeypatch)
    report = runs.index(folder, options=PRUNE)
    assert counts(report) == (1, 0, 1, 0)
    assert [failure.uri for failure in report.documents.failed] == [str(folder / "sub")]
    assert report.documents.gone == 0
    assert held(runs) == {**before, "new.md": str(folder / "new.md")}
    assert drifts(runs, folder) == []
    assert [failure.uri for failure in compared(runs, folder).unreadable] == [str(folder / "sub")]
    inside = folder / "sub" / "two.txt"
    assert [failure.uri for failure in runs.index(folder, inside, options=PRUNE).documents.failed] == [
        str(folder / "sub"),
        str(inside),
    ]
    assert len(held(runs)) == len(before) + 1


def test_a_file_that_became_a_folder_is_gone(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    (folder / "one.md").unlink()
    (folder / "one.md").mkdir()
    (folder / "one.md" / "inner.md").write_text("# Hugo Quell\n\nHugo Quell painted.\n", encoding="utf-8")
    assert drifts(runs, folder) == [("missing", "one.md/inner.md"), ("orphaned", "one.md")]
    assert counts(runs.index(folder, options=PRUNE)) == (1, 0, 1, 1)
    assert drifts(runs, folder) == []


def test_a_file_that_became_a_link_to_another_source_is_gone(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    (folder / "one.md").unlink()
    (folder / "one.md").symlink_to("sub/two.txt")
    assert drifts(runs, folder) == [("orphaned", "one.md")]
    assert counts(runs.index(folder, options=PRUNE)) == (0, 0, 1, 1)
    assert drifts(runs, folder) == []


def test_a_file_that_moved_and_left_a_link_is_the_same_document(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    (folder / "one.md").rename(folder / "sub" / "one.md")
    (folder / "one.md").symlink_to("sub/one.md")
    assert counts(runs.index(folder)) == (0, 1, 1, 0)
    assert held(runs)["one.md"] == str(folder / "sub" / "one.md")


def test_a_file_behind_a_link_that_leaves_the_folder_is_named_and_stays(
    runs: CountedRuns, folder: Path, tmp_path: Path
) -> None:
    runs.index(folder)
    (folder / "sub").rename(tmp_path / "elsewhere")
    (folder / "sub").symlink_to(tmp_path / "elsewhere")
    report = runs.index(folder, options=PRUNE)
    assert counts(report) == (0, 0, 1, 0)
    assert [failure.uri for failure in report.documents.failed] == [str(folder / "sub")]
    assert counts(runs.index(folder, tmp_path / "elsewhere")) == (0, 1, 1, 0)
    assert held(runs)["sub/two.txt"] == str(tmp_path / "elsewhere" / "two.txt")


def test_what_moved_to_where_fewer_may_read_is_restricted(runs: CountedRuns, folder: Path, tmp_path: Path) -> None:
    write_rows(folder / "corpus.jsonl", ["r1", "r2"])
    runs.index(folder)
    private = tmp_path / "private"
    private.mkdir()
    for name in ("one.md", "corpus.jsonl"):
        (folder / name).rename(private / name)
    assert drifts(runs, private, options=STAFF) == [("stale", "one.md"), ("stale", "r1"), ("stale", "r2")]
    assert counts(runs.index(private, options=STAFF)) == (0, 3, 0, 0)
    assert set(held(runs)) == {"sub/two.txt"}
    assert set(held(runs, STAFF_READER)) == {"sub/two.txt", "one.md", "r1", "r2"}
    assert drifts(runs, private, options=STAFF) == []
    (private / "one.md").rename(folder / "back.md")
    assert counts(runs.index(folder / "back.md")) == (0, 1, 0, 0)
    assert set(held(runs)) == {"sub/two.txt"}
    assert counts(runs.index(folder / "back.md", options=replace(STAFF, groups=(), public=True))) == (0, 1, 0, 0)
    assert held(runs)["one.md"] == str(folder / "back.md")


def test_a_renamed_row_that_moved_to_where_fewer_may_read_is_restricted(
    runs: CountedRuns, folder: Path, tmp_path: Path
) -> None:
    write_rows(folder / "corpus.jsonl", ["r1", "r2"])
    runs.index(folder)
    private = tmp_path / "private.jsonl"
    (folder / "corpus.jsonl").unlink()
    write_rows(private, ["s1", "s2"])
    assert counts(runs.index(private, options=STAFF)) == (0, 2, 0, 0)
    assert set(held(runs)) == {"one.md", "sub/two.txt"}


def test_a_copy_for_fewer_readers_leaves_the_open_one_alone(runs: CountedRuns, folder: Path, tmp_path: Path) -> None:
    runs.index(folder)
    copy = tmp_path / "copy.md"
    copy.write_text(TEXT, encoding="utf-8")
    assert counts(runs.index(copy, options=STAFF)) == (1, 0, 0, 0)
    assert set(held(runs)) == {"one.md", "sub/two.txt"}
