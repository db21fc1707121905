import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import InvalidRecord, StoreDiskFull, StoreLocked, StoreMismatch, StoreMissing, StoreUnusable
from graph_store.settings import StoreSettings
from tests.graph_store.builders import (
    DIMENSION,
    MODEL,
    TOKEN_DIMENSION,
    TOKEN_SPACE,
    document_bundle,
    generation_of,
    vector_of,
    with_tokens,
)

PUBLIC = Access()


def writer(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION)


def found(store: EmbeddedStore, text: str) -> list[str]:
    return [hit.id for hit in store.search_keywords(PUBLIC, text, kind="chunk", k=10)]


def near(store: EmbeddedStore, text: str) -> list[str]:
    return [hit.id for hit in store.search_vectors(PUBLIC, vector_of(text), kind="chunk", k=10)]


def test_a_closed_store_reads_as_it_was_written(store_folder: Path) -> None:
    bundles = [document_bundle("a", ["Alpha word"])]
    with writer(store_folder) as store:
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        digest = store.content_digest("default")
    with EmbeddedStore.open(store_folder, expected_model=MODEL) as store:
        assert store.content_digest("default") == digest
        assert found(store, "alpha") == near(store, "Alpha word") == ["a-0"]
        assert (store.embedding_model, store.dimension) == (MODEL, DIMENSION)


def test_a_reader_sees_what_a_writer_commits(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        with EmbeddedStore.open(store_folder) as reader:
            assert found(reader, "word") == near(reader, "Alpha word") == ["a-0"]
            bundles = [document_bundle("a", ["Alpha word"]), document_bundle("b", ["Beta word"])]
            store.write_documents(bundles)
            assert sorted(near(reader, "Beta word")) == ["a-0", "b-0"]
            assert not reader.communities(PUBLIC)
            store.publish(generation_of(bundles))
            assert found(reader, "word") == ["a-0", "b-0"]
            assert len(reader.communities(PUBLIC)) == 1
            assert len(reader.search_keywords(PUBLIC, "word", kind="report", k=3)) == 1
            assert reader.passage_graph(PUBLIC).chunk_ids == ("a-0", "b-0")
            store.delete_documents("default", ["a"])
            assert found(reader, "word") == near(reader, "Alpha word") == ["b-0"]


def test_a_reader_may_not_write(store_folder: Path) -> None:
    writer(store_folder).close()
    with EmbeddedStore.open(store_folder) as reader:
        with pytest.raises(StoreUnusable, match="read only"):
            reader.write_documents([document_bundle("a", ["Alpha"])])
        with pytest.raises(StoreUnusable, match="read only"):
            reader.delete_documents("default", ["a"])
        with pytest.raises(StoreUnusable, match="read only"):
            reader.publish(generation_of([]))


def test_a_reader_leaves_no_trace(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha"])])
    kept = [path for path in store_folder.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
    before = {path: path.read_bytes() for path in kept}  # -shm is the memory that readers and the writer share
    with EmbeddedStore.open(store_folder) as reader:
        assert found(reader, "alpha") == ["a-0"]
    assert {path: path.read_bytes() for path in before} == before


def test_a_folder_that_cannot_be_written_is_read(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha"])])
    script = (
        "import os, sys, tantivy\n"
        "from pathlib import Path\n"
        "from graph_store.access import Access\n"
        "from graph_store.embedded.embedded_store import EmbeddedStore\n"
        "os.getuid() == 0 and os.setuid(65534)\n"  # the superuser may write anywhere
        "store = EmbeddedStore.open(Path(sys.argv[1]))\n"
        "print([h.id for h in store.search_keywords(Access(), 'alpha', kind='chunk', k=3)])\n"
    )
    os.chmod(store_folder.parent, 0o755)
    for path in (store_folder, *store_folder.rglob("*")):
        os.chmod(path, 0o555 if path.is_dir() else 0o444)
    try:
        done = subprocess.run(
            [sys.executable, "-c", script, str(store_folder)], capture_output=True, text=True, check=False
        )
    finally:
        for path in (store_folder, *store_folder.rglob("*")):
            os.chmod(path, 0o755)
    assert done.stdout.strip() == "['a-0']", done.stderr


def test_a_second_writer_is_told_who_writes(store_folder: Path) -> None:
    with writer(store_folder), pytest.raises(StoreLocked, match=str(os.getpid())):
        writer(store_folder)
    writer(store_folder).close()


def test_closing_twice_is_harmless_and_reading_after_it_is_told(store_folder: Path) -> None:
    store = writer(store_folder)
    store.close()
    store.close()
    with pytest.raises(StoreUnusable, match="closed"):
        store.list_documents(PUBLIC)


def test_no_store_is_told(store_folder: Path) -> None:
    with pytest.raises(StoreMissing, match="belvedere index"):
        EmbeddedStore.open(store_folder)
    assert not store_folder.exists()


def test_a_file_is_no_store(store_folder: Path) -> None:
    store_folder.write_text("text")
    with pytest.raises(StoreUnusable, match="is a file"):
        writer(store_folder)
    with pytest.raises(StoreMissing):
        EmbeddedStore.open(store_folder)


@pytest.mark.parametrize("content", [b"this is not a database, but long enough to look at" * 100, b""])
def test_another_file_under_the_name_is_no_store(store_folder: Path, content: bytes) -> None:
    store_folder.mkdir()
    (store_folder / "belvedere.sqlite").write_bytes(content)
    with pytest.raises(StoreUnusable):
        EmbeddedStore.open(store_folder)


def test_another_database_is_no_store(store_folder: Path) -> None:
    store_folder.mkdir()
    connection = sqlite3.connect(store_folder / "belvedere.sqlite")
    connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()
    with pytest.raises(StoreMissing, match="no Belvedere store"):
        EmbeddedStore.open(store_folder)
    with pytest.raises(StoreMissing, match="no Belvedere store"):
        writer(store_folder)


def test_another_format_is_refused(store_folder: Path) -> None:
    writer(store_folder).close()
    connection = sqlite3.connect(store_folder / "belvedere.sqlite")
    connection.execute("UPDATE store_state SET schema_version = 999")
    connection.commit()
    connection.close()
    for read_only in (True, False):
        with pytest.raises(StoreMismatch, match=r"format 999.*index again"):
            EmbeddedStore.open(store_folder, read_only=read_only)
    with pytest.raises(StoreMismatch, match="format 999"):
        writer(store_folder)


def test_another_model_or_dimension_is_refused(store_folder: Path) -> None:
    writer(store_folder).close()
    with pytest.raises(StoreMismatch, match="'test-model', not 'newer'"):
        EmbeddedStore.open(store_folder, expected_model="newer")
    with pytest.raises(StoreMismatch, match="'test-model', not 'newer'"):
        EmbeddedStore.create_or_open(store_folder, embedding_model="newer", dimension=DIMENSION)
    with pytest.raises(StoreMismatch, match="16 dimensions, not 17"):
        EmbeddedStore.create_or_open(store_folder, embedding_model=MODEL, dimension=17)
    writer(store_folder).close()


def token_writer(folder: Path, *, space: str = TOKEN_SPACE, dimension: int = TOKEN_DIMENSION) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(
        folder, embedding_model=MODEL, dimension=DIMENSION, token_space=space, token_dimension=dimension
    )


def test_token_vectors_outlive_closing(store_folder: Path) -> None:
    bundle = with_tokens(document_bundle("a", ["Alpha word"]))
    with token_writer(store_folder) as store:
        store.write_documents([bundle])
    token_writer(store_folder).close()
    with EmbeddedStore.open(store_folder, expected_tokens=TOKEN_SPACE) as store:
        assert (store.token_space, store.token_dimension) == (TOKEN_SPACE, TOKEN_DIMENSION)
        found = store.token_vectors(PUBLIC, ["a-0"])["a-0"]
    np.testing.assert_array_equal(found.starts, bundle.token_vectors[0].starts)
    np.testing.assert_array_equal(found.vectors, bundle.token_vectors[0].vectors)


def test_token_vectors_of_another_space_are_refused(store_folder: Path) -> None:
    token_writer(store_folder).close()
    advice = r"'test-words', not 'other'.*embedder\.token_vectors.*index again"
    with pytest.raises(StoreMismatch, match=advice):
        EmbeddedStore.open(store_folder, expected_tokens="other")
    with pytest.raises(StoreMismatch, match=advice):
        token_writer(store_folder, space="other")
    with pytest.raises(StoreMismatch, match="'test-words', not 'none'"):
        writer(store_folder)
    with pytest.raises(StoreMismatch, match="16 dimensions, not 17"):
        token_writer(store_folder, dimension=17)
    EmbeddedStore.open(store_folder).close()


def test_a_store_of_the_first_format_is_refused_with_what_to_do(store_folder: Path) -> None:
    writer(store_folder).close()
    connection = sqlite3.connect(store_folder / "belvedere.sqlite")
    connection.execute("ALTER TABLE store_state DROP COLUMN token_space")
    connection.execute("ALTER TABLE store_state DROP COLUMN token_dimension")
    connection.execute("UPDATE store_state SET schema_version = 1")
    connection.commit()
    connection.close()
    with pytest.raises(StoreMismatch, match=r"format 1, .*index again into another folder"):
        EmbeddedStore.open(store_folder)
    with pytest.raises(StoreMismatch, match="format 1"):
        writer(store_folder)


def test_a_full_disk_changes_nothing_and_is_told(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        connection = store._database.connection()
        large = document_bundle("b", ["Beta word"])
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages + 1}")
        with pytest.raises(StoreDiskFull, match="no space left"):
            store.write_documents([replace(large, document=replace(large.document, source_uri="x" * 1_000_000))])
        assert found(store, "word") == ["a-0"]
        connection.execute("PRAGMA max_page_count=1000000")
        store.write_documents([document_bundle("b", ["Beta word"])])
        assert found(store, "word") == ["a-0", "b-0"]


def test_a_limit_on_the_size_of_files_is_told(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        large = document_bundle("b", ["Beta word"])
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, hard))
        try:
            with pytest.raises(StoreUnusable, match="check the free space, the quota and the disk"):
                store.write_documents([replace(large, document=replace(large.document, source_uri="x" * 1_000_000))])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert found(store, "word") == ["a-0"]
        store.write_documents([large])
        assert found(store, "word") == ["a-0", "b-0"]


def test_an_interrupted_write_changes_nothing(store_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        digest = store.content_digest("default")

        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("graph_store.embedded.embedded_store.mark_data_changed", interrupt)
            with pytest.raises(KeyboardInterrupt):
                store.write_documents([document_bundle("a", ["Gone"]), document_bundle("b", ["Beta"])])
        assert store.content_digest("default") == digest
        store.write_documents([document_bundle("b", ["Beta word"])])
        assert found(store, "word") == ["a-0", "b-0"]


def test_text_that_is_no_unicode_is_refused(store_folder: Path) -> None:
    bundle = document_bundle("a", ["Alpha"])
    broken = replace(bundle, document=replace(bundle.document, title="half a pair \ud800"))
    with writer(store_folder) as store:
        with pytest.raises(InvalidRecord, match="no valid Unicode"):
            store.write_documents([broken])
        assert not store.list_documents(PUBLIC)


def test_acknowledged_documents_survive_a_killed_writer(store_folder: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from graph_store.access import Access\n"
        "from graph_store.embedded.embedded_store import EmbeddedStore\n"
        "from tests.graph_store.builders import *\n"
        "store = EmbeddedStore.create_or_open(Path(sys.argv[1]), embedding_model=MODEL, dimension=DIMENSION)\n"
        "for number in range(20):\n"
        "    store.write_documents([document_bundle(f'd{number:02d}', ['word of a document'])])\n"
        "    number == 9 and store.search_keywords(Access(), 'word', kind='chunk', k=1)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(store_folder)], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    expected = [f"d{number:02d}-0" for number in range(20)]
    with EmbeddedStore.open(store_folder) as reader:
        assert [hit.id for hit in reader.search_keywords(PUBLIC, "word", kind="chunk", k=30)] == expected
    with writer(store_folder) as store:
        assert [hit.id for hit in store.search_keywords(PUBLIC, "word", kind="chunk", k=30)] == expected
        assert sorted(hit.id for hit in store.search_vectors(PUBLIC, vector_of("word"), kind="chunk", k=30)) == expected


def test_many_threads_read_while_one_writes(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle(f"d{i:02d}", ["stable word"]) for i in range(5)])
        failures: list[BaseException] = []
        stop = threading.Event()

        def read() -> None:
            try:
                while not stop.is_set():
                    assert len(found(store, "stable")) == 5
                    assert len(near(store, "stable word")) >= 5
                    assert len(store.list_documents(PUBLIC)) >= 5
            except BaseException as error:  # noqa: BLE001  # whatever it is, the main thread must see it
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(5):
            store.write_documents([document_bundle(f"new{number}", ["fresh text"])])
        stop.set()
        for thread in threads:
            thread.join()
        assert not failures
        assert len(store.search_vectors(PUBLIC, np.eye(DIMENSION, dtype=np.float32)[0], kind="chunk", k=99)) == 10


def test_deleted_text_is_in_no_file(store_folder: Path) -> None:
    def files_with(word: bytes) -> list[str]:
        return [path.name for path in store_folder.rglob("*") if path.is_file() and word in path.read_bytes()]

    with writer(store_folder) as store:
        bundles = [document_bundle("a", ["Zanzibar lies here."]), document_bundle("b", ["Beta lies there."])]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        assert files_with(b"Zanzibar")
        assert files_with(b"zanzibar")
        store.delete_documents("default", ["a"])
        assert files_with(b"Zanzibar") == files_with(b"zanzibar") == []


def test_the_log_does_not_grow_without_end(store_folder: Path) -> None:
    settings = StoreSettings(log_rows=5, keyword_rebuild_texts=0)

    def opened() -> EmbeddedStore:
        return EmbeddedStore.create_or_open(store_folder, embedding_model=MODEL, dimension=DIMENSION, settings=settings)

    bundles = [document_bundle(name, ["Alpha word"]) for name in "abc"]
    with opened() as store:
        for _ in range(10):
            store.write_documents(bundles)
            store.publish(generation_of(bundles))
        with EmbeddedStore.open(store_folder) as reader:
            rows = reader._database.connection().execute("SELECT count(*) FROM changes").fetchone()[0]
        assert rows <= 25
    old = {path: path.read_bytes() for path in (store_folder / "indexes").rglob("*") if path.is_file()}
    with opened() as store:
        for _ in range(3):
            store.write_documents([document_bundle("d", ["Delta word"])])
            store.publish(generation_of(bundles))
    shutil.rmtree(store_folder / "indexes")
    for path, content in old.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with opened() as store:
        assert found(store, "delta") == ["d-0"], "the index is older than the log and was built anew"
        assert found(store, "alpha") == ["a-0", "b-0", "c-0"]
