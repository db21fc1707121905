"""Pruning deletes what lay below the given paths, and nothing from elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_store.access import Access
from indexing.errors import FolderEmptied
from indexing.given_paths import GivenPaths
from indexing.options import IndexOptions
from tests.indexing.counted_runs import CountedRuns, counted_runs

PRUNE = IndexOptions(prune=True)
EVERYTHING = Access(groups=frozenset({"staff"}))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield made


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with two files each."""
    made = tmp_path / "docs", tmp_path / "docs-share"
    for folder in made:
        folder.mkdir()
        for name in ("one", "two"):
            (folder / f"{name}.txt").write_text(f"The {folder.name} of {name}.\n", encoding="utf-8")
    return made


def test_what_lies_below_is_told_by_names(tmp_path: Path) -> None:
    folder, rows, file = tmp_path / "in", tmp_path / "corpus.jsonl", tmp_path / "note.md"
    folder.mkdir()
    rows.touch()
    file.touch()
    given = GivenPaths([folder, rows, file])
    inside = [
        f"{folder}/a.md",
        f"{folder}/deep/rows.jsonl#../x",
        f"{folder}/a#b/c.md",
        f"{rows}#a#b",
        str(rows),
        str(file),
    ]
    outside = [f"{folder}-2/a.md", f"{folder}#a/b.md", f"{rows}.md", f"{file}#x.md", f"{tmp_path}/other.md", "/in/a.md"]
    assert [name for name in inside if not given.hold(name)] == []
    assert [name for name in outside if given.hold(name)] == []
    assert not GivenPaths([]).hold(str(file))


@pytest.mark.model
def test_what_is_gone_elsewhere_is_counted_and_stays(runs: CountedRuns, folders: tuple[Path, Path]) -> None:
    docs, share = folders
    runs.index(docs)
    runs.index(share, options=IndexOptions(groups=("staff",)))
    for folder in folders:
        (folder / "one.txt").unlink()
    counted = runs.index(docs).documents
    assert (counted.gone, counted.gone_outside, counted.deleted) == (1, 1, 0)
    pruned = runs.index(docs, options=PRUNE).documents
    assert (pruned.gone, pruned.gone_outside, pruned.deleted) == (0, 1, 1)
    assert len(runs.store.list_documents(EVERYTHING)) == 3
    assert runs.index(share, options=IndexOptions(groups=("staff",), prune=True)).documents.deleted == 1


@pytest.mark.model
def test_what_is_gone_elsewhere_gives_its_id_to_no_other_document(
    runs: CountedRuns, folders: tuple[Path, Path]
) -> None:
    docs, share = folders
    runs.index(share)
    (share / "one.txt").unlink()
    assert runs.index(docs, options=PRUNE).documents.added == 2
    assert len(runs.store.list_documents(EVERYTHING)) == 4


@pytest.mark.model
def test_a_file_that_moves_to_another_folder_stays_the_same_document(
    runs: CountedRuns, folders: tuple[Path, Path]
) -> None:
    docs, share = folders
    runs.index(docs)
    (docs / "one.txt").rename(share / "moved.txt")
    report = runs.index(share, options=PRUNE).documents
    assert (report.added, report.updated, report.deleted, report.gone_outside) == (2, 1, 0, 0)


@pytest.mark.model
def test_the_rows_of_a_given_file_alone_are_pruned(runs: CountedRuns, tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        rows = [{"id": f"{file.stem}{number}", "text": f"Row {number} of {file.stem}."} for number in range(2)]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    runs.index(*files)
    files[1].unlink()
    files[0].write_text(files[0].read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    report = runs.index(files[0], options=PRUNE).documents
    assert (report.deleted, report.gone_outside) == (1, 2)


@pytest.mark.model
def test_a_given_folder_without_any_source_is_not_pruned(runs: CountedRuns, folders: tuple[Path, Path]) -> None:
    docs, share = folders
    runs.index(*folders)
    for path in share.iterdir():
        path.unlink()
    (docs / "new.txt").write_text("New.\n", encoding="utf-8")
    (share / "README").write_text("Nothing is mounted here.\n", encoding="utf-8")
    before = runs.store.content_digest("default")
    with pytest.raises(FolderEmptied, match=r"docs-share' holds no source any more, while the store has 2 documents"):
        runs.index(*folders, options=PRUNE)
    assert runs.store.content_digest("default") == before
    assert runs.index(*folders).documents.gone == 2
    runs.index(docs, options=PRUNE)
    assert len(runs.store.list_documents(EVERYTHING)) == 5


@pytest.mark.model
def test_a_folder_whose_files_all_moved_is_pruned(runs: CountedRuns, folders: tuple[Path, Path]) -> None:
    docs, share = folders
    runs.index(*folders)
    for path in share.iterdir():
        path.rename(docs / f"moved-{path.name}")
    report = runs.index(*folders, options=PRUNE).documents
    assert (report.updated, report.unchanged, report.deleted) == (2, 2, 0)
