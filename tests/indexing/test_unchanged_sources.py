"""A source that has not changed costs nothing: it is neither read nor embedded, and no model is loaded for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from graph_store.access import Access
from indexing.chunking.settings import ChunkingSettings
from indexing.loading.parsed import ParsedSource
from indexing.loading.plain_text import parse_plain_text
from indexing.loading.settings import LoadingSettings
from indexing.options import IndexOptions
from indexing.report import IndexReport
from indexing.settings import IndexingSettings
from model_clients.embedder import Passage, PassageVectors
from model_clients.errors import ModelUnusable
from tests.indexing.counted_runs import CountedRuns, Work, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

ROWS = [
    {"id": f"r{number}", "title": f"Row {number}", "text": f"Kestrel bridge number {number}."} for number in range(3)
]
PRUNE = IndexOptions(prune=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    (made / "one.md").write_text("# Rota station\n\nElsa Brandt directs Rota station.\n", encoding="utf-8")
    (made / "two.txt").write_text("Porto is a city in Portugal.\n", encoding="utf-8")
    write_rows(made, ROWS)
    return made


def write_rows(folder: Path, rows: list[dict[str, str]]) -> None:
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield made


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    documents = report.documents
    return documents.added, documents.updated, documents.unchanged, documents.deleted


def test_nothing_changed_costs_nothing(runs: CountedRuns, folder: Path) -> None:
    assert counts(runs.index(folder)) == (5, 0, 0, 0)
    assert sorted(runs.work.read) == ["corpus.jsonl", "one.md", "two.txt"]
    assert counts(runs.index(folder)) == (0, 0, 5, 0)
    assert runs.work == Work()


def test_a_source_that_was_touched_is_not_read(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    os.utime(folder / "one.md", (1_000_000_000, 1_000_000_000))
    assert counts(runs.index(folder)) == (0, 0, 5, 0)
    assert runs.work == Work()


def test_a_change_that_keeps_size_and_time_is_seen(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    path = folder / "two.txt"
    stat = path.stat()
    path.write_text("Paris is a city in Portugal.\n", encoding="utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert counts(runs.index(folder)) == (0, 1, 4, 0)
    assert runs.work.read == ["two.txt"]


def test_one_row_changed_reads_its_file_and_embeds_that_row(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    write_rows(folder, [*ROWS[:2], {**ROWS[2], "text": "Merlin tunnel."}])
    assert counts(runs.index(folder)) == (0, 1, 4, 0)
    assert runs.work.read == ["corpus.jsonl"]
    assert [text for text in runs.work.embedded if "Kestrel" in text and "\n" not in text] == []
    assert counts(runs.index(folder)) == (0, 0, 5, 0)
    assert runs.work == Work()


@pytest.mark.parametrize(
    "settings",
    [
        IndexingSettings(loading=LoadingSettings(max_pdf_pages=7)),
        IndexingSettings(chunking=ChunkingSettings(max_tokens=60)),
    ],
)
def test_other_settings_of_reading_read_all_again(runs: CountedRuns, folder: Path, settings: IndexingSettings) -> None:
    runs.index(folder)
    runs.index(folder, settings=settings)
    assert len(runs.work.read) == 3
    runs.index(folder, settings=settings)
    assert runs.work == Work()


def test_other_readers_are_seen(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    assert counts(runs.index(folder, options=IndexOptions(groups=("staff",)))) == (0, 5, 0, 0)
    assert runs.store.counts(Access()).documents == 0
    assert counts(runs.index(folder, options=IndexOptions(groups=("staff",)))) == (0, 0, 5, 0)
    assert runs.work == Work()


def test_a_deleted_document_comes_back_while_its_source_is_there(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    runs.store.delete_documents("default", ["r1", "two.txt"])
    assert counts(runs.index(folder)) == (2, 0, 3, 0)
    assert sorted(runs.work.read) == ["corpus.jsonl", "two.txt"]


def test_a_source_that_changed_and_changed_back_in_a_stopped_run_is_read(
    runs: CountedRuns, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "two.txt"
    first = path.read_text(encoding="utf-8")
    runs.index(folder)
    path.write_text("Bremen is a city in Germany.\n", encoding="utf-8")

    def stop(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(runs.store, "remember_sources", stop)
        with pytest.raises(KeyboardInterrupt):
            runs.index(folder)
    assert runs.store.document_text(Access(), "two.txt") == "Bremen is a city in Germany."
    path.write_text(first, encoding="utf-8")
    assert counts(runs.index(folder)) == (0, 1, 4, 0)
    assert runs.store.document_text(Access(), "two.txt") == first.strip()


def test_a_source_that_changes_while_it_is_read_is_read_again(
    runs: CountedRuns, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "two.txt"
    first = path.read_text(encoding="utf-8")

    def parse(text: str) -> ParsedSource:
        path.write_text("Bremen is a city in Germany.\n", encoding="utf-8")
        return parse_plain_text(text)

    with monkeypatch.context() as patched:
        patched.setattr("indexing.loading.load.parse_plain_text", parse)
        runs.index(folder)
    assert runs.store.document_text(Access(), "two.txt") == first.strip()
    assert counts(runs.index(folder)) == (0, 1, 4, 0)


def test_what_could_not_be_read_is_named_again_without_reading_it(runs: CountedRuns, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "rows.jsonl").write_text('{"id": "good", "text": "Good."}\n{"text": "No id."}\n', encoding="utf-8")
    dated = {"id": "dated", "text": "Dated.", "metadata": {"effective_from": "soon"}}
    (folder / "dated.jsonl").write_text(json.dumps(dated), encoding="utf-8")
    first = runs.index(folder)
    second = runs.index(folder)
    assert len(first.documents.failed) == 3
    assert second.documents.failed == first.documents.failed
    assert runs.work == Work()


def test_a_broken_source_that_is_mended_is_read_and_one_that_goes_is_forgotten(runs: CountedRuns, folder: Path) -> None:
    broken = folder / "broken.txt"
    broken.write_bytes(b"\x00\x01\x02" * 50)
    runs.index(folder)
    assert str(broken) in runs.store.source_states("default")
    broken.write_text("Mended.\n", encoding="utf-8")
    assert counts(runs.index(folder)) == (1, 0, 5, 0)
    broken.write_bytes(b"\x00\x01\x02" * 50)
    runs.index(folder)
    broken.unlink()
    runs.index(folder, options=PRUNE)
    assert str(broken) not in runs.store.source_states("default")


def test_a_row_that_went_is_pruned_later_though_the_file_is_not_read(runs: CountedRuns, folder: Path) -> None:
    runs.index(folder)
    write_rows(folder, ROWS[:2])
    assert runs.index(folder).documents.gone == 1
    report = runs.index(folder, options=PRUNE)
    assert counts(report) == (0, 0, 4, 1)
    assert runs.work.read == []


def test_no_library_of_models_is_loaded_for_an_unchanged_folder(folder: Path, tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from belvedere.knowledge_base import KnowledgeBase\n"
        "with KnowledgeBase.open(sys.argv[1]) as kb:\n"
        "    report = kb.index(sys.argv[2])\n"
        "print(report.documents.unchanged)\n"
        "print(sorted(set(sys.modules) & {'torch', 'spacy', 'tokenizers', 'sklearn', 'trafilatura', 'pdfplumber'}))\n"
    )
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "product"), str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.split("\n")[:2])
    assert told[0][0] == "0"
    assert told[1] == ["5", "[]"]


def test_a_model_that_fails_half_way_costs_what_was_not_stored_alone(
    runs: CountedRuns, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = IndexingSettings(batch_chunks=1)
    embed = runs.embedder.embed_passages
    calls = 0

    def fail(passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise ModelUnusable("the endpoint does not answer")
        return embed(passages, with_tokens=with_tokens)

    with monkeypatch.context() as patched:
        patched.setattr(runs.embedder, "embed_passages", fail)
        with pytest.raises(ModelUnusable):
            runs.index(folder, settings=settings)
    held = {document.id for document in runs.store.list_documents(Access())}
    assert len(held) == 2
    assert counts(runs.index(folder, settings=settings)) == (3, 0, 2, 0)
    assert counts(runs.index(folder, settings=settings)) == (0, 0, 5, 0)
    assert runs.work == Work()
