"""A run that is not told for whom: what is stored for groups stays so, and nothing is opened unasked."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_store.access import Access
from indexing.options import IndexOptions
from indexing.report import IndexReport
from indexing.settings import IndexingSettings
from tests.indexing.counted_runs import CountedRuns, Work, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

STAFF = IndexOptions(groups=("staff",))
OTHER_SETTINGS = IndexingSettings(batch_chunks=1)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "secret").mkdir(parents=True)
    (made / "open.txt").write_text("Porto is a city.\n", encoding="utf-8")
    (made / "secret" / "plan.txt").write_text("The plan of the heron.\n", encoding="utf-8")
    return made


@pytest.fixture
def mixed(runs: CountedRuns, folder: Path) -> Path:
    """The folder, of which a part is stored for groups."""
    runs.index(folder / "secret", options=STAFF)
    runs.index(folder / "open.txt")
    return folder


def readable(runs: CountedRuns, *groups: str) -> set[str]:
    documents = runs.store.list_documents(Access(groups=frozenset(groups)))
    return {Path(document.source_uri).name for document in documents}


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    documents = report.documents
    return documents.added, documents.updated, documents.unchanged, len(documents.failed)


def test_a_mixed_folder_is_indexed_in_one_run(runs: CountedRuns, mixed: Path) -> None:
    assert counts(runs.index(mixed)) == (0, 0, 2, 0)
    assert runs.work == Work()
    (mixed / "secret" / "plan.txt").write_text("The new plan of the heron.\n", encoding="utf-8")
    (mixed / "new.txt").write_text("Bergen is a city.\n", encoding="utf-8")
    assert counts(runs.index(mixed)) == (1, 1, 1, 0)
    assert readable(runs) == {"open.txt", "new.txt"}
    assert readable(runs, "staff") == {"open.txt", "new.txt", "plan.txt"}
    assert counts(runs.index(mixed)) == (0, 0, 3, 0)
    assert runs.work == Work()


def test_rebuilding_and_other_settings_keep_readers(runs: CountedRuns, mixed: Path) -> None:
    shutil.copy(mixed / "secret" / "plan.txt", mixed / "copy.txt")
    for options in (IndexOptions(rebuild=True), IndexOptions(prune=True)):
        report = runs.index(mixed, options=options, settings=OTHER_SETTINGS)
        assert report.documents.failed[0].uri == str(mixed / "copy.txt")
        assert readable(runs) == {"open.txt"}
        assert readable(runs, "staff") == {"open.txt", "plan.txt"}


def test_what_was_kept_can_be_opened_on_purpose(runs: CountedRuns, mixed: Path) -> None:
    (mixed / "secret" / "plan.txt").write_text("The new plan of the heron.\n", encoding="utf-8")
    runs.index(mixed)
    assert counts(runs.index(mixed, options=IndexOptions(public=True))) == (0, 1, 1, 0)
    assert readable(runs) == {"open.txt", "plan.txt"}
    runs.index(mixed, options=IndexOptions(groups=("board",)))
    assert readable(runs, "staff") == set()
    assert readable(runs, "board") == {"open.txt", "plan.txt"}
    runs.index(mixed)
    assert readable(runs) == set()


@pytest.mark.parametrize("changed", [False, True])
def test_a_copy_of_what_groups_have_is_left_out_by_name(runs: CountedRuns, mixed: Path, *, changed: bool) -> None:
    plan, copy = mixed / "secret" / "plan.txt", mixed / "a-copy.txt"
    if changed:
        plan.write_text("The new plan of the heron.\n", encoding="utf-8")
    shutil.copy(plan, copy)
    (mixed / "new.txt").write_text("Bergen is a city.\n", encoding="utf-8")
    for added in (1, 0):
        report = runs.index(mixed)
        assert (report.documents.added, [failure.uri for failure in report.documents.failed]) == (added, [str(copy)])
        assert "stored for the groups staff alone" in report.documents.failed[0].error
        assert readable(runs) == {"open.txt", "new.txt"}
    assert counts(runs.index(copy, options=STAFF)) == (1, 0, 0, 0)
    assert counts(runs.index(mixed)) == (0, 0, 4, 0)
    assert readable(runs) == {"open.txt", "new.txt"}


def test_a_document_that_becomes_a_copy_stays_as_it_was(runs: CountedRuns, mixed: Path) -> None:
    shutil.copy(mixed / "secret" / "plan.txt", mixed / "open.txt")
    report = runs.index(mixed, options=IndexOptions(prune=True))
    assert [failure.uri for failure in report.documents.failed] == [str(mixed / "open.txt")]
    assert report.documents.deleted == 0
    assert runs.store.document_text(Access(), "open.txt") == "Porto is a city."


def test_what_moved_over_an_open_document_is_not_opened_by_pruning_twice(runs: CountedRuns, mixed: Path) -> None:
    (mixed / "secret" / "plan.txt").replace(mixed / "open.txt")
    for _ in range(3):
        report = runs.index(mixed, options=IndexOptions(prune=True))
        assert (report.documents.deleted, len(report.documents.failed)) == (0, 1)
        assert runs.store.document_text(Access(), "open.txt") == "Porto is a city."


def test_a_document_of_other_groups_that_becomes_a_copy_opens_nothing(runs: CountedRuns, mixed: Path) -> None:
    runs.index(mixed / "open.txt", options=IndexOptions(groups=("board",)))
    shutil.copy(mixed / "secret" / "plan.txt", mixed / "open.txt")
    assert len(runs.index(mixed).documents.failed) == 1
    assert runs.store.document_text(Access(groups=frozenset({"board"})), "open.txt") == "Porto is a city."


@pytest.mark.parametrize("prune", [False, True])
def test_a_document_that_moved_keeps_its_readers(runs: CountedRuns, mixed: Path, *, prune: bool) -> None:
    (mixed / "secret" / "plan.txt").rename(mixed / "moved.txt")
    for expected in ((0, 1, 1, 0), (0, 0, 2, 0), (0, 0, 2, 0)):
        assert counts(runs.index(mixed, options=IndexOptions(prune=prune))) == expected
    assert runs.work == Work()
    assert readable(runs) == {"open.txt"}
    assert readable(runs, "staff") == {"open.txt", "moved.txt"}
    runs.index(mixed, options=IndexOptions(public=True))
    assert readable(runs) == {"open.txt", "moved.txt"}


def test_a_new_row_has_the_readers_of_its_file(runs: CountedRuns, tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    rows = [{"id": f"r{number}", "text": f"Row number {number}."} for number in range(3)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows[:2]), encoding="utf-8")
    runs.index(file, options=STAFF)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert counts(runs.index(file)) == (1, 0, 2, 0)
    assert readable(runs) == set()
    assert len(readable(runs, "staff")) == 3
    assert counts(runs.index(file)) == (0, 0, 3, 0)
    assert runs.work == Work()
