"""A changed document embeds its changed chunks alone, and has the very vectors that it would have without a past."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.bundles import DocumentBundle
from graph_store.packing import pack_tokens, quantise, restore
from indexing.chunking.settings import ChunkingSettings
from indexing.options import IndexOptions
from indexing.passages import chunk_tokens, passages_of
from indexing.settings import IndexingSettings
from model_clients.embedder import Embedder
from tests.indexing.counted_runs import CountedRuns, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

STAFF = Access(groups=frozenset({"staff"}))
PARTS = {
    "Origin": "Elsa Brandt founded Rota station in 1954. It stands on the northern shore of the bay, near Lisbon.",
    "Work": "The station measures tides. Hugo Quell leads the measuring of all seven gauges on the coast.",
    "Trouble": "A storm broke the mast in 1987. Nobody was hurt, but the records of two whole winters were lost in it.",
}
SETTINGS = IndexingSettings(chunking=ChunkingSettings(max_tokens=40))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield made


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, runs: CountedRuns) -> list[DocumentBundle]:
    """The bundles that are written to the store."""
    bundles: list[DocumentBundle] = []
    write = runs.store.write_documents

    def note(given_bundles: list[DocumentBundle]) -> None:
        bundles.extend(given_bundles)
        write(given_bundles)

    monkeypatch.setattr(runs.store, "write_documents", note)
    return bundles


def article(title: str = "Rota station", **changed: str) -> str:
    sections = "".join(f"\n## {name}\n\n{changed.get(name, text)}\n" for name, text in PARTS.items())
    return f"# {title}\n{sections}"


def same_vectors(bundle: DocumentBundle, embedder: Embedder) -> bool:
    """Tell whether all vectors are those that the embedder makes, and chunks and tokens stand where they should."""
    title = bundle.document.title
    fresh = embedder.embed_passages(passages_of(title, bundle.chunks, bundle.sentences), with_tokens=True)
    spans = np.concatenate([np.zeros((0, embedder.dimension), dtype=np.float32), *fresh.spans])
    tokens = zip(chunk_tokens(title, bundle.chunks, fresh.tokens), bundle.token_vectors, strict=True)
    return (
        fresh.passages.tobytes() == bundle.chunk_vectors.tobytes()
        and quantise(spans).tobytes() == quantise(bundle.sentence_vectors).tobytes()
        and all(pack_tokens(one) == pack_tokens(other) for one, other in tokens)
    )


def own_texts(runs: CountedRuns) -> list[str]:
    """Return what was embedded for chunks: those of the article have their headings in them, summaries have none."""
    return [text for text in runs.work.embedded if "## " in text]


@pytest.mark.parametrize("access", [Access(), STAFF])
def test_one_changed_section_is_embedded_and_no_other(
    runs: CountedRuns, written: list[DocumentBundle], tmp_path: Path, access: Access
) -> None:
    path, options = tmp_path / "rota.md", IndexOptions(groups=tuple(access.groups))
    path.write_text(article(), encoding="utf-8")
    runs.index(path, options=options, settings=SETTINGS)
    first = own_texts(runs)
    assert len(first) == 3
    path.write_text(
        article(Work="The station measures winds. Hugo Quell leads the measuring of all seven gauges on the coast."),
        encoding="utf-8",
    )
    runs.index(path, options=options, settings=SETTINGS)
    (text,) = own_texts(runs)
    assert "winds" in text
    assert len(written[-1].chunks) == 3
    assert same_vectors(written[-1], runs.embedder)
    assert len(runs.store.document_chunks(access, "rota.md")) == 3


def test_a_section_that_moves_within_its_document_is_not_embedded(
    runs: CountedRuns, written: list[DocumentBundle], tmp_path: Path
) -> None:
    path = tmp_path / "rota.md"
    path.write_text(article(), encoding="utf-8")
    runs.index(path, settings=SETTINGS)
    origin, work, trouble = article().split("\n## ")[1:]
    path.write_text(
        "# Rota station\n" + "".join(f"\n## {part.strip()}\n" for part in (origin, trouble, work)), encoding="utf-8"
    )
    runs.index(path, settings=SETTINGS)
    assert own_texts(runs) == []
    assert same_vectors(written[-1], runs.embedder)


def test_a_moved_file_with_a_title_of_its_own_embeds_nothing(
    runs: CountedRuns, written: list[DocumentBundle], tmp_path: Path
) -> None:
    path = tmp_path / "rota.md"
    path.write_text(article(), encoding="utf-8")
    runs.index(path, settings=SETTINGS)
    before = written[-1]
    path.rename(tmp_path / "station.md")
    runs.index(tmp_path / "station.md", settings=SETTINGS)
    assert own_texts(runs) == []
    assert [chunk.id for chunk in written[-1].chunks] == [chunk.id for chunk in before.chunks]
    assert same_vectors(written[-1], runs.embedder)


def test_documents_opened_to_other_readers_embed_nothing(
    runs: CountedRuns, written: list[DocumentBundle], tmp_path: Path
) -> None:
    path = tmp_path / "rota.md"
    path.write_text(article(), encoding="utf-8")
    runs.index(path, options=IndexOptions(groups=("staff", "board")), settings=SETTINGS)
    runs.index(path, options=IndexOptions(public=True), settings=SETTINGS)
    assert own_texts(runs) == []
    assert same_vectors(written[-1], runs.embedder)


def test_another_title_embeds_all_for_it_stands_before_each_chunk(
    runs: CountedRuns, written: list[DocumentBundle], tmp_path: Path
) -> None:
    path = tmp_path / "rota.md"
    path.write_text(article(), encoding="utf-8")
    runs.index(path, settings=SETTINGS)
    path.write_text(article("Rota tower"), encoding="utf-8")
    runs.index(path, settings=SETTINGS)
    assert len(own_texts(runs)) == 3
    assert same_vectors(written[-1], runs.embedder)


def test_what_another_tenant_holds_is_embedded_again(runs: CountedRuns, tmp_path: Path) -> None:
    path = tmp_path / "rota.md"
    path.write_text(article(), encoding="utf-8")
    runs.index(path, settings=SETTINGS)
    runs.index(path, options=IndexOptions(tenant="other"), settings=SETTINGS)
    assert len(own_texts(runs)) == 3


@given(st.lists(st.lists(st.floats(-1, 1, width=32), min_size=5, max_size=5), min_size=1, max_size=4))
def test_sentence_vectors_that_are_written_again_are_the_same(rows: list[list[float]]) -> None:
    matrix = np.array(rows, dtype=np.float32)
    matrix[:, 0] += np.where(np.abs(matrix).max(axis=1) < 1e-3, 1, 0)
    once = quantise(matrix)
    assert quantise(restore(once)).tobytes() == once.tobytes()
