"""Runs that repair the derived layer: what stays the very same, and what ``rebuild`` makes anew."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Community, TreeNode
from indexing.build_index import build_index
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from tests.indexing.counted_runs import CountedRuns, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

EVERYBODY = Access()
STAFF = Access(groups=frozenset({"staff"}))
PEOPLE = ("Anna Lind", "Erik Holm", "Ada Byrne", "Jon Vik", "Mara Sund", "Otto Prell")
TOWNS = ("Bergen", "Lisbon", "Genoa", "Tallinn", "Porto")


def _article(number: int, word: str = "harbour") -> str:
    person, friend, town = PEOPLE[number % 6], PEOPLE[number // 6 % 6], TOWNS[number % 5]
    return (
        f"# The {word} of {town} {number}\n\n{person} was a captain from {town}. {person} met {friend} in {town}.\n\n"
        f"## Ships\n\nThe ship Quolm{number} left {town} in 18{10 + number}. {friend} built the ship Quolm{number}.\n"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for number in range(16):
        (tmp_path / "in" / f"d{number:02}.md").write_text(_article(number), encoding="utf-8")
    return tmp_path / "in"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield made


def _texts(store: EmbeddedStore, access: Access = EVERYBODY) -> dict[str, tuple[object, ...]]:
    told: dict[str, tuple[object, ...]] = {
        item.id: (item.title, item.report, item.chunk_ids) for item in store.communities(access)
    }
    return told | {node.id: (node.title, node.summary, node.chunk_ids) for node in store.tree_nodes(access)}


def _derived(store: EmbeddedStore, access: Access = EVERYBODY) -> list[Community | TreeNode]:
    return [*store.communities(access), *store.tree_nodes(access)]


def test_one_more_document_leaves_most_as_it_is(folder: Path, runs: CountedRuns) -> None:
    runs.index(folder)
    before = _texts(runs.store)
    (folder / "d90.md").write_text(_article(90), encoding="utf-8")
    runs.index(folder)
    after = _texts(runs.store)
    assert before.keys() <= after.keys()
    rewritten = [key for key in before if before[key] != after[key]]
    assert 0 < len(rewritten) <= len(before) / 2
    changed = {key for key, told in after.items() if before.get(key) != told}
    chunks = {chunk.id for chunk in runs.store.document_chunks(EVERYBODY, "d90.md")}
    embedded_anew = len(runs.work.embedded) - len(chunks)
    assert embedded_anew <= len(changed), "only what reads otherwise is embedded"


def test_a_run_that_repairs_ends_the_same_from_any_batching(folder: Path, runs: CountedRuns, tmp_path: Path) -> None:
    digests = []
    for batch in (1, 256):
        with EmbeddedStore.create_or_open(
            tmp_path / f"s{batch}",
            embedding_model=runs.embedder.model_id,
            dimension=64,
            token_space=runs.embedder.token_space,
            token_dimension=runs.embedder.token_dimension,
        ) as store:
            for number in (3, 7, 90):
                (folder / f"d{number:02}.md").write_text(_article(number), encoding="utf-8")
            _index(store, runs, folder, IndexingSettings(batch_chunks=batch))
            for number in (3, 7, 90):
                (folder / f"d{number:02}.md").write_text(_article(number, "market"), encoding="utf-8")
            _index(store, runs, folder, IndexingSettings(batch_chunks=batch))
            digests.append(store.content_digest("default"))
    assert digests[0] == digests[1]


def _index(store: EmbeddedStore, runs: CountedRuns, folder: Path, settings: IndexingSettings) -> None:
    build_index([folder], store=store, embedder=runs.embedder, settings=settings, options=IndexOptions())


def test_rebuilding_reads_and_embeds_everything_and_ends_as_a_fresh_store_does(
    folder: Path, runs: CountedRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.index(folder)
    for number in (90, 91, 92):
        (folder / f"d{number}.md").write_text(_article(number), encoding="utf-8")
    runs.index(folder)
    versions = {key: state.version for key, state in runs.store.document_states("default").items()}
    report = runs.index(folder, options=IndexOptions(rebuild=True))
    assert (report.documents.updated, report.documents.unchanged) == (19, 0)
    assert len(runs.work.read) == 19
    assert {key: state.version for key, state in runs.store.document_states("default").items()} == versions
    with counted_runs(tmp_path / "fresh", monkeypatch) as fresh:
        fresh.index(folder)
        assert runs.store.content_digest("default") == fresh.store.content_digest("default")
        assert sorted(runs.work.embedded) == sorted(fresh.work.embedded)


def test_many_changes_make_everything_anew(
    folder: Path, runs: CountedRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.index(folder)
    for number in range(90, 94):
        (folder / f"d{number}.md").write_text(_article(number), encoding="utf-8")
        runs.index(folder)
        assert runs.store.read_generation("default").changed_documents == number - 89
    (folder / "d94.md").write_text(_article(94), encoding="utf-8")
    runs.index(folder)
    assert runs.store.read_generation("default").changed_documents == 0, "5 of 21 are more than a fifth"
    with counted_runs(tmp_path / "fresh", monkeypatch) as fresh:
        fresh.index(folder)
        assert runs.store.content_digest("default") == fresh.store.content_digest("default")


def test_other_settings_make_everything_anew(folder: Path, runs: CountedRuns) -> None:
    runs.index(folder)
    (folder / "d90.md").write_text(_article(90), encoding="utf-8")
    runs.index(folder, settings=IndexingSettings(repair_share=0.0))
    assert runs.store.read_generation("default").changed_documents == 0


def test_a_document_that_is_closed_leaves_what_everybody_reads(folder: Path, runs: CountedRuns) -> None:
    runs.index(folder)
    runs.index(folder / "d05.md", folder / "d06.md", options=IndexOptions(groups=("staff",)))
    hidden = {chunk.id for chunk in runs.store.document_chunks(STAFF, "d05.md")}
    assert hidden
    for item in _derived(runs.store):
        assert hidden.isdisjoint(item.chunk_ids)
        assert "Quolm5 " not in repr(item)
    assert any(hidden <= set(node.chunk_ids) for node in runs.store.tree_nodes(STAFF))


def test_a_superseded_document_is_in_no_report_and_hides_none(tmp_path: Path, runs: CountedRuns) -> None:
    rows = [{"id": f"d{number}", "title": f"Town {number}", "text": _article(number)} for number in range(12)]
    rows.append({"id": "new", "title": "Town 3 again", "text": _article(3, "market"), "supersedes": "d3"})
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    runs.index(corpus)
    old = {chunk.id for chunk in runs.store.document_chunks(EVERYBODY, "d3")}
    assert runs.store.superseded_documents(EVERYBODY) == {"d3"}
    assert old
    told = {key for item in _derived(runs.store) for key in item.chunk_ids}
    assert old.isdisjoint(told)
    current = [name for name in ("new", *(f"d{number}" for number in range(12))) if name != "d3"]
    for name in current:
        assert told.issuperset(chunk.id for chunk in runs.store.document_chunks(EVERYBODY, name))
    runs.store.delete_documents("default", ["new"])
    runs.index()
    assert old <= {key for node in runs.store.tree_nodes(EVERYBODY) for key in node.chunk_ids}, "it is current again"
