"""A busy database and a disk that is full: one clear error, nothing lost, and what was acknowledged stays so."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.examination import examine_store
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.errors import StoreDiskFull, StoreLocked, StoreUnusable
from graph_store.settings import StoreSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of

PUBLIC = Access()
IMPATIENT = StoreSettings(busy_timeout_ms=20, vector_file_rows=1, keyword_memory_bytes=15_000_000)


def writer(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION, settings=IMPATIENT)


@contextmanager
def busy(folder: Path) -> Iterator[None]:
    """Hold the database as a tool does that knows nothing of the writer's lock."""
    connection = sqlite3.connect(folder / DATABASE_FILE, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def test_a_busy_database_is_told_and_nothing_changes(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        before = store.content_digest("default")
        with busy(store_folder):
            with pytest.raises(StoreLocked, match=r"locked by another process: wait"):
                store.write_documents([document_bundle("b", ["Beta word"])])
            with pytest.raises(StoreLocked):
                store.delete_documents("default", ["a"])
            with EmbeddedStore.open(store_folder, settings=IMPATIENT) as reader:
                assert reader.content_digest("default") == before
        store.write_documents([document_bundle("b", ["Beta word"])])
        assert [document.id for document in store.list_documents(PUBLIC)] == ["a", "b"]


def test_closing_while_the_database_is_busy_is_no_failure(store_folder: Path) -> None:
    store = writer(store_folder)
    store.write_documents([document_bundle("a", ["Alpha word"])])
    with busy(store_folder):
        store.close()
    with EmbeddedStore.open(store_folder, settings=IMPATIENT) as reader:
        assert [hit.id for hit in reader.search_keywords(PUBLIC, "alpha", kind="chunk", k=3)] == ["a-0"]


def room(disk: Path, megabytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(disk)], check=True)


def write_without_end(store: EmbeddedStore, acknowledged: list[str]) -> None:
    for number in range(200):
        parts = [f"Word{number} stands in part {part} " + "of a long text " * 200 for part in range(4)]
        store.write_documents([document_bundle(f"d{number:03}", parts)])
        acknowledged.append(f"d{number:03}")


def test_a_disk_that_fills_up_loses_nothing(small_disk: Path) -> None:
    folder = small_disk / "store"
    acknowledged: list[str] = []
    store = writer(folder)
    with pytest.raises(StoreUnusable) as told:
        write_without_end(store, acknowledged)
    assert "free some space" in str(told.value) or "check the free space" in str(told.value)
    assert isinstance(told.value, StoreDiskFull) or "what was acknowledged is kept" in str(told.value)
    assert 3 < len(acknowledged) < 200
    assert [document.id for document in store.list_documents(PUBLIC)] == acknowledged
    assert len(store.search_keywords(PUBLIC, "stands", kind="chunk", k=1000)) == 4 * len(acknowledged)
    store.close()
    with EmbeddedStore.open(folder, settings=IMPATIENT) as reader:
        assert [document.id for document in reader.list_documents(PUBLIC)] == acknowledged
    room(small_disk, 30)
    with writer(folder) as store:
        store.write_documents([document_bundle("last", ["Word of the last one"])])
        assert len(store.list_documents(PUBLIC)) == len(acknowledged) + 1
    found = [finding for finding in examine_store(folder, IMPATIENT) if finding.level == "problem"]
    assert [finding.check for finding in found] == ["derived layer"]


def test_a_generation_is_published_whole_or_not_at_all_on_a_full_disk(small_disk: Path) -> None:
    folder = small_disk / "store"
    bundles = [document_bundle(f"d{i}", [f"Rain falls on Day{i} " + "again " * 500]) for i in range(5)]
    with writer(folder) as store:
        store.write_documents(bundles)
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * 10)
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        filler.write_bytes(b"x" * (free - 8192))
        with pytest.raises(StoreUnusable, match="space"):
            store.publish(generation_of(bundles))
        assert store.derived_fingerprint("default") is None
        assert not store.communities(PUBLIC)
        filler.unlink()
        store.publish(generation_of(bundles))
        assert store.derived_fingerprint("default") == "f1"
    assert [item for item in examine_store(folder, IMPATIENT) if item.level == "problem"] == []


def test_writing_into_a_folder_that_may_not_be_written_is_told(store_folder: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["Alpha word"])])
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from belvedere.errors import user_sentence\n"
        "from belvedere.wiring import open_to_write\n"
        "import indexing.errors, indexing.loading.errors, query.chain_ranking.weights\n"
        "from graph_store.embedded.embedded_store import EmbeddedStore\n"
        "os.getuid() == 0 and os.setuid(65534)\n"  # the superuser may write anywhere
        "try:\n"
        f"    EmbeddedStore.create_or_open(Path(sys.argv[1]), embedding_model={MODEL!r}, dimension={DIMENSION})\n"
        "except OSError as error:\n"
        "    print(user_sentence(error))\n"
    )
    os.chmod(store_folder.parent, 0o755)
    paths = (store_folder, *store_folder.rglob("*"))
    for path in paths:
        os.chmod(path, 0o555 if path.is_dir() else 0o444)
    try:
        command = [sys.executable, "-c", script, str(store_folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    finally:
        for path in paths:
            os.chmod(path, 0o755)
    assert done.stdout.startswith("not allowed to read or write here"), done.stderr
    assert "check the permissions" in done.stdout
