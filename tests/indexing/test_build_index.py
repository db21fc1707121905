"""Whole indexing runs over small folders: what they count, what they leave behind, and what stopping them costs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from indexing.build_index import build_index
from indexing.options import IndexOptions
from indexing.report import IndexReport, Progress, ProgressListener
from indexing.settings import IndexingSettings
from model_clients.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.model  # the parser is loaded

EMBEDDER = HashingEmbedder(64)
ONE_BY_ONE = IndexingSettings(batch_chunks=1)
ARTICLES = {
    "north/readme.md": "# Rota station\n\nElsa Brandt directs Rota station. Rota station opened in Lisbon in 1954.\n",
    "south/readme.md": "# Hugo Quell\n\nHugo Quell painted the Rota mural. Hugo Quell was born in Bremen.\n",
    "porto.txt": "Porto is a city in Portugal. The university of Porto taught Elsa Brandt.\n",
    "same.txt": "Porto is a city in Portugal. The university of Porto taught Elsa Brandt.\n",
}


class Stopped(Exception):
    """Stands for whatever ends a run before its end."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in ARTICLES.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "in"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with make_store(tmp_path / "store") as made:
        yield made


def make_store(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(
        folder,
        embedding_model=EMBEDDER.model_id,
        dimension=EMBEDDER.dimension,
        token_space=EMBEDDER.token_space,
        token_dimension=EMBEDDER.token_dimension,
    )


def index(
    store: EmbeddedStore,
    *paths: Path,
    options: IndexOptions | None = None,
    settings: IndexingSettings = ONE_BY_ONE,
    progress: ProgressListener | None = None,
) -> IndexReport:
    return build_index(
        paths,
        store=store,
        embedder=EMBEDDER,
        settings=settings,
        options=options if options is not None else IndexOptions(),
        progress=progress,
    )


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    documents = report.documents
    return documents.added, documents.updated, documents.unchanged, documents.deleted


def fresh_digest(tmp_path: Path, *paths: Path, tenant: str = "default") -> str:
    """Return the digest of a store that was made in one go from what is there now."""
    with make_store(tmp_path / "fresh") as fresh:
        index(fresh, *paths, options=IndexOptions(tenant=tenant), settings=IndexingSettings())
        return fresh.content_digest(tenant)


def everything(store: EmbeddedStore, access: Access) -> str:
    """Return all texts that the caller may read, of every layer."""
    documents = store.list_documents(access)
    texts = [store.document_text(access, document.id) for document in documents]
    layers = (documents, store.communities(access), store.tree_nodes(access), store.list_entities(access))
    return repr((texts, layers, store.list_relations(access)))


def test_a_first_run_adds_and_a_second_one_changes_nothing(folder: Path, store: EmbeddedStore) -> None:
    report = index(store, folder)
    assert counts(report) == (4, 0, 0, 0)
    assert report.documents.failed == ()
    assert report.chunks == 4
    assert report.entities > 0
    assert report.relations > 0
    before = store.content_digest("default")
    assert counts(index(store, folder)) == (0, 0, 4, 0)
    assert store.content_digest("default") == before


def test_every_chunk_has_the_tokens_of_its_indexed_text(folder: Path, store: EmbeddedStore) -> None:
    index(store, folder, settings=IndexingSettings())
    chunks = [
        chunk for document in store.list_documents(Access()) for chunk in store.document_chunks(Access(), document.id)
    ]
    found = store.token_vectors(Access(), [chunk.id for chunk in chunks])
    assert len(found) == len(chunks) == 4
    for chunk in chunks:
        starts = found[chunk.id].starts
        assert starts[starts >= 0].tolist() == [start for start, _ in EMBEDDER.token_spans(chunk.text)]
        assert (starts < 0).any(), "the title is indexed with the text"


def test_a_store_without_tokens_gets_none(folder: Path, tmp_path: Path) -> None:
    with EmbeddedStore.create_or_open(tmp_path / "bare", embedding_model=EMBEDDER.model_id, dimension=64) as bare:
        assert index(bare, folder).chunks == 4
        assert bare.token_vectors(Access(), [chunk.id for chunk in bare.read_collection("default").chunks]) == {}


def test_equal_names_and_equal_texts_stay_apart(folder: Path, store: EmbeddedStore) -> None:
    index(store, folder / "north", folder / "south", folder)
    found = {document.source_uri: document.id for document in store.list_documents(Access())}
    assert len(set(found.values())) == len(ARTICLES)
    assert found[str(folder / "north" / "readme.md")] == "readme.md"
    assert found[str(folder / "south" / "readme.md")].startswith("readme.md~")
    (elsa,) = store.find_entities(Access(), "Elsa Brandt")
    mentioned = {mention.chunk_id for mention in store.entity_mentions(Access(), elsa.id)}
    chunks = store.chunks(Access(), sorted(mentioned))
    assert {chunk.document_id for chunk in chunks} >= {"porto.txt", "same.txt"}


def test_an_updated_document_leaves_nothing_of_the_old_one(folder: Path, store: EmbeddedStore) -> None:
    index(store, folder)
    (folder / "north" / "readme.md").write_text(
        "# Rota station\n\nMilo Vance directs Rota station.\n", encoding="utf-8"
    )
    assert counts(index(store, folder)) == (0, 1, 3, 0)
    held = everything(store, Access())
    assert "Milo Vance" in held
    assert "Lisbon" not in held
    assert "1954" not in held


def test_what_is_gone_stays_until_it_is_pruned(folder: Path, store: EmbeddedStore, tmp_path: Path) -> None:
    index(store, folder)
    (folder / "south" / "readme.md").unlink()
    kept = index(store, folder)
    assert (counts(kept), kept.documents.gone) == ((0, 0, 3, 0), 1)
    assert "Bremen" in everything(store, Access())
    pruned = index(store, folder, options=IndexOptions(prune=True))
    assert (counts(pruned), pruned.documents.gone) == ((0, 0, 3, 1), 0)
    assert "Bremen" not in everything(store, Access())
    assert store.content_digest("default") == fresh_digest(tmp_path, folder)


def test_a_row_and_an_emptied_file_are_pruned_and_an_unreadable_one_is_not(folder: Path, store: EmbeddedStore) -> None:
    rows = folder / "corpus.jsonl"
    kept = json.dumps({"id": "r1", "title": "Kestrel bridge", "text": "Ivo Marsh built the Kestrel bridge."})
    gone = json.dumps({"id": "r2", "title": "Merlin tunnel", "text": "Ada Flint dug the Merlin tunnel."})
    rows.write_text(f"{kept}\n{gone}\n", encoding="utf-8")
    assert counts(index(store, folder)) == (6, 0, 0, 0)
    rows.write_text(f"{kept}\n", encoding="utf-8")
    (folder / "same.txt").write_text(" \n", encoding="utf-8")
    (folder / "porto.txt").write_bytes(b"\x00\x01\x02" * 50)
    report = index(store, folder, options=IndexOptions(prune=True))
    assert counts(report) == (0, 0, 3, 2)
    assert {Path(failure.uri).name for failure in report.documents.failed} == {"same.txt", "porto.txt"}
    held = {document.id for document in store.list_documents(Access())}
    assert held == {"north/readme.md", "south/readme.md", "porto.txt", "r1"}


def test_what_cannot_be_read_is_named_and_the_rest_is_indexed(folder: Path, store: EmbeddedStore) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "empty.md").write_text(" \n\n", encoding="utf-8")
    report = index(store, folder)
    assert counts(report) == (4, 0, 0, 0)
    assert {Path(failure.uri).name for failure in report.documents.failed} == {"broken.pdf", "picture.png", "empty.md"}
    assert all(failure.error for failure in report.documents.failed)


def test_a_renamed_file_is_the_same_document(folder: Path, store: EmbeddedStore) -> None:
    index(store, folder)
    (folder / "south" / "readme.md").rename(folder / "south" / "quell.md")
    (folder / "porto.txt").rename(folder / "city.txt")
    assert counts(index(store, folder)) == (0, 2, 2, 0)
    held = {document.id: (document.source_uri, document.version) for document in store.list_documents(Access())}
    assert held == {
        "north/readme.md": (str(folder / "north" / "readme.md"), 1),
        "south/readme.md": (str(folder / "south" / "quell.md"), 2),
        "porto.txt": (str(folder / "city.txt"), 2),
        "same.txt": (str(folder / "same.txt"), 1),
    }
    (porto,) = store.documents(Access(), ["porto.txt"])
    assert porto.title == "city"
    assert counts(index(store, folder, options=IndexOptions(prune=True))) == (0, 0, 4, 0)


def test_another_file_under_the_old_name_is_another_document(folder: Path, store: EmbeddedStore) -> None:
    index(store, folder)
    (folder / "porto.txt").rename(folder / "city.txt")
    index(store, folder)
    (folder / "porto.txt").write_text("Kestrel Lane is a street in Bremen.\n", encoding="utf-8")
    assert counts(index(store, folder)) == (1, 0, 4, 0)
    found = {document.source_uri: document.id for document in store.list_documents(Access())}
    assert found[str(folder / "city.txt")] == "porto.txt"
    assert found[str(folder / "porto.txt")].startswith("porto.txt~")


@pytest.mark.parametrize("method", ["write_documents", "delete_documents"])
def test_a_row_renamed_by_a_run_that_was_stopped_leaves_one_document(
    folder: Path, store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    row = {"id": "r1", "title": "Kestrel bridge", "text": "Ivo Marsh built the Kestrel bridge."}
    (folder / "old.jsonl").write_text(json.dumps(row), encoding="utf-8")
    index(store, folder)
    (folder / "old.jsonl").unlink()
    (folder / "new.jsonl").write_text(json.dumps({**row, "id": "r2"}), encoding="utf-8")

    def killed(*_args: object) -> None:
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(store, method, killed)
        with pytest.raises(Stopped):
            index(store, folder)
    index(store, folder)
    held = {document.id for document in store.list_documents(Access())}
    assert held == {*ARTICLES, "r2"}
    assert store.content_digest("default") == fresh_digest(tmp_path, folder)


@pytest.mark.parametrize("prune", [False, True])
def test_a_folder_that_moved_keeps_its_documents(
    folder: Path, store: EmbeddedStore, tmp_path: Path, prune: bool
) -> None:
    index(store, folder)
    moved = folder.rename(tmp_path / "elsewhere")
    assert counts(index(store, moved, options=IndexOptions(prune=prune))) == (0, 4, 0, 0)
    found = {document.id: document.source_uri for document in store.list_documents(Access())}
    assert found == {name: str(moved / name) for name in ARTICLES}


def test_a_run_that_was_stopped_is_taken_up_again(folder: Path, store: EmbeddedStore, tmp_path: Path) -> None:
    def stop(event: Progress) -> None:
        if event.step == "documents" and event.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(store, folder, progress=stop)
    assert store.tenant_counts("default").documents == 1
    assert store.derived_fingerprint("default") is None
    assert counts(index(store, folder)) == (3, 0, 1, 0)
    assert store.content_digest("default") == fresh_digest(tmp_path, folder)


@pytest.mark.parametrize("step", ["resolve", "graph", "communities", "tree", "embed_summaries"])
def test_stopping_while_deriving_leaves_the_old_layer_or_none(
    folder: Path, store: EmbeddedStore, tmp_path: Path, step: str
) -> None:
    def stop(event: Progress) -> None:
        if event.step == step:
            raise Stopped

    with pytest.raises(Stopped):
        index(store, folder, progress=stop)
    held = store.tenant_counts("default")
    assert (held.documents, held.entities, held.communities, held.tree_nodes) == (4, 0, 0, 0)
    assert counts(index(store, folder)) == (0, 0, 4, 0)
    assert store.content_digest("default") == fresh_digest(tmp_path, folder)


def test_progress_goes_forward_step_by_step(folder: Path, store: EmbeddedStore) -> None:
    events: list[Progress] = []
    index(store, folder, progress=events.append)
    assert list(dict.fromkeys(event.step for event in events)) == [
        *("load", "documents", "resolve", "graph", "communities", "tree", "embed_summaries"),
    ]
    for step in ("load", "documents"):
        done = [event.done for event in events if event.step == step]
        assert done == sorted(done)
        assert (done[0], done[-1]) == (0, len(ARTICLES))
        assert {event.total for event in events if event.step == step} == {len(ARTICLES)}


def test_tenants_do_not_touch_each_other(folder: Path, store: EmbeddedStore, tmp_path: Path) -> None:
    index(store, folder / "north")
    first = store.content_digest("default")
    report = index(store, folder / "south", options=IndexOptions(tenant="other", prune=True))
    assert counts(report) == (1, 0, 0, 0)
    assert store.content_digest("default") == first
    assert "Bremen" not in everything(store, Access())
    assert "Lisbon" not in everything(store, Access(tenant="other"))
    assert store.content_digest("other") == fresh_digest(tmp_path, folder / "south", tenant="other")


def test_restricted_documents_are_opened_where_that_is_meant(store: EmbeddedStore, folder: Path) -> None:
    index(store, folder, options=IndexOptions(groups=("staff",)))
    index(store, folder, options=IndexOptions(public=True))
    assert store.counts(Access()).documents == len(ARTICLES)
