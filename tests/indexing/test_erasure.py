"""What is deleted, changed, pruned or moved leaves no word in any file of the store."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.settings import StoreSettings
from indexing.build_index import build_index
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from model_clients.hashing_embedder import HashingEmbedder
from tests.indexing.secret_words import left_behind, secret_row, secret_words, write_rows, write_secret_file

Index = Callable[..., None]

pytestmark = pytest.mark.model  # the parser is loaded

EMBEDDER = HashingEmbedder(32)
SMALL = StoreSettings(keyword_memory_bytes=15_000_000)
# As large stores are: files of vectors, neighbour graphs, keyword indexes that go on from commit to commit.
LARGE = StoreSettings(
    keyword_memory_bytes=15_000_000,
    vector_file_rows=1,
    ann_threshold=1,
    exact_rows=0,
    keyword_rebuild_texts=0,
    keyword_dead_share=1.0,
)
PRUNE = IndexOptions(prune=True)


@pytest.fixture(params=[SMALL, LARGE], ids=["small", "large"])
def settings(request: pytest.FixtureRequest) -> StoreSettings:
    found: StoreSettings = request.param
    return found


@pytest.fixture(params=[0.0, 1.0], ids=["made anew", "repaired"])
def index(request: pytest.FixtureRequest) -> Index:
    """Return a function that indexes, making communities and trees anew or repairing them."""
    made_with = IndexingSettings(repair_share=request.param)

    def run(store: EmbeddedStore, folder: Path, options: IndexOptions | None = None) -> None:
        build_index([folder], store=store, embedder=EMBEDDER, settings=made_with, options=options or IndexOptions())

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two files and a corpus of three rows, one file and one row of secret words."""
    made = tmp_path / "in"
    made.mkdir()
    plain = (
        "Elsa Brandt directs the harbour of Bergen. Elsa Brandt was born in Lisbon. The harbour of Bergen is large.\n"
    )
    (made / "plain.md").write_text(f"# Elsa Brandt\n\n{plain}", encoding="utf-8")
    write_secret_file(made, "file")
    others: list[dict[str, object]] = [
        {"id": f"row-{n}", "title": f"Harbour {n}", "text": f"{plain} Ship {n} came."} for n in range(2)
    ]
    write_rows(made / "corpus.jsonl", [*others, secret_row("row")])
    return made


@pytest.fixture
def store_folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(store_folder: Path, settings: StoreSettings, folder: Path, index: Index) -> Iterator[EmbeddedStore]:
    """A store with all of the folder in it, open for writing."""
    with opened(store_folder, settings) as made:
        index(made, folder)
        yield made


def opened(folder: Path, settings: StoreSettings) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(
        folder,
        embedding_model=EMBEDDER.model_id,
        dimension=EMBEDDER.dimension,
        token_space=EMBEDDER.token_space,
        token_dimension=EMBEDDER.token_dimension,
        settings=settings,
    )


def all_words(*seeds: str) -> list[str]:
    return [word for seed in seeds for word in secret_words(seed).values()]


def test_the_words_are_in_the_store_before(store: EmbeddedStore, store_folder: Path) -> None:
    store.close()
    missing = [word for word in all_words("file", "row") if not left_behind(store_folder, [word])]
    assert missing == []


def test_a_deleted_document_leaves_no_word(store: EmbeddedStore, store_folder: Path) -> None:
    ids = [f"{secret_words('file')['file']}.md", f"row-{secret_words('row')['file']}"]
    assert store.delete_documents("default", ids) == tuple(ids)
    assert left_behind(store_folder, all_words("file", "row")) == set()


def test_a_pruned_document_leaves_no_word(store: EmbeddedStore, store_folder: Path, folder: Path, index: Index) -> None:
    (folder / f"{secret_words('file')['file']}.md").unlink()
    write_rows(folder / "corpus.jsonl", [{"id": "row-0", "text": "Harbour."}])
    index(store, folder, PRUNE)
    assert left_behind(store_folder, all_words("file", "row")) == set()


def test_a_changed_document_leaves_no_old_word(
    store: EmbeddedStore, store_folder: Path, folder: Path, index: Index
) -> None:
    words = secret_words("file")
    path = folder / f"{words['file']}.md"
    path.write_text("# Quiet harbour\n\nNothing came in that year.\n", encoding="utf-8")
    changed = {**secret_row("newer"), "id": secret_row("row")["id"]}
    write_rows(folder / "corpus.jsonl", [changed])
    index(store, folder, PRUNE)
    old = [word for seed in ("file", "row") for place, word in secret_words(seed).items() if place != "file"]
    assert left_behind(store_folder, old) == set()
    assert left_behind(store_folder, [secret_words("newer")["body"]])


def test_a_moved_file_leaves_no_word_of_its_old_place(
    store: EmbeddedStore, store_folder: Path, folder: Path, settings: StoreSettings, index: Index
) -> None:
    place = secret_words("place")["file"]
    (folder / place).mkdir()
    (folder / "plain.md").rename(folder / place / "plain.md")
    index(store, folder)
    store.close()
    assert left_behind(store_folder, [place])
    (folder / place / "plain.md").rename(folder / "plain.md")
    with opened(store_folder, settings) as again:
        index(again, folder)
        assert left_behind(store_folder, [place]) == set()


def test_a_document_changed_without_a_new_layer_leaves_no_old_word(
    store: EmbeddedStore, store_folder: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, index: Index
) -> None:
    words = secret_words("file")
    (folder / f"{words['file']}.md").write_text("# Quiet harbour\n\nNothing came in that year.\n", encoding="utf-8")

    def stop(*_given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(store, "publish", stop)
        with pytest.raises(KeyboardInterrupt):
            index(store, folder)
    store.close()
    assert left_behind(store_folder, [word for place, word in words.items() if place != "file"]) == set()


def test_a_reader_that_held_on_is_no_reason_to_keep_words(
    store: EmbeddedStore, store_folder: Path, settings: StoreSettings
) -> None:
    with EmbeddedStore.open(store_folder, settings=settings) as reader, reader._database.snapshot() as connection:
        connection.execute("SELECT count(*) FROM documents").fetchone()
        store.delete_documents("default", [f"{secret_words('file')['file']}.md"])
        assert left_behind(store_folder, all_words("file")), "the reader still sees what it began with"
    store.close()
    assert left_behind(store_folder, all_words("file")) == set()
