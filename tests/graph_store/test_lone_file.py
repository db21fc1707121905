"""Readers who may not write into the folder of a store see what is committed, or say that they cannot read now."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph_store.access import Access
from graph_store.embedded import lone_file
from graph_store.embedded.database import Database
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.errors import StoreLocked
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle

# SQLite opens -shm to read alone with readonly_shm, as where the folder may not be written.
_READER = """
import sys
from pathlib import Path
from graph_store.access import Access
from graph_store.embedded import lone_file
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import StoreError

connect = lone_file._connect
lone_file._connect = lambda path, mode, wait: connect(path, mode + "&readonly_shm=1", wait)
store = None
for line in sys.stdin:
    try:
        if store is None or "fresh" in line:
            store = EmbeddedStore.open(Path(sys.argv[1]))
        found = store.search_keywords(Access(), "word", kind="chunk", k=50)
        documents = [document.id for document in store.list_documents(Access())]
        assert [hit.id.partition("-")[0] for hit in found if hit.id.partition("-")[0] not in documents] == []
        print(*documents, flush=True)
    except StoreError as error:
        print(type(error).__name__, error, flush=True)
"""

Ask = Callable[[str], str]


@pytest.fixture
def ask(store_folder: Path) -> Iterator[Ask]:
    """Return a function that asks a reader in a process of its own; "fresh" opens the store anew."""
    process = subprocess.Popen(
        [sys.executable, "-c", _READER, str(store_folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    given, told = process.stdin, process.stdout

    def asked(how: str) -> str:
        given.write(f"{how}\n")
        given.flush()
        return told.readline().strip()

    with process:
        yield asked
        given.close()


def writer(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION)


def write(folder: Path, *names: str) -> None:
    with writer(folder) as store:
        store.write_documents([document_bundle(name, [f"The word {name}"]) for name in names])


def log_files(folder: Path) -> list[Path]:
    return [folder / f"{DATABASE_FILE}{suffix}" for suffix in ("-wal", "-shm")]


def test_a_closed_writer_leaves_an_empty_log(store_folder: Path) -> None:
    write(store_folder, "a")
    log, index = log_files(store_folder)
    assert log.stat().st_size == 0
    assert index.exists()


@pytest.mark.parametrize("has_log", [True, False])
def test_a_reader_without_permission_to_write_sees_every_commit(store_folder: Path, ask: Ask, has_log: bool) -> None:
    write(store_folder, "a", "b")
    for path in [] if has_log else log_files(store_folder):
        path.unlink()  # as in a copy of the database alone, and as earlier versions left it
    assert ask("") == "a b"
    with writer(store_folder) as store:
        store.delete_documents("default", ["a"])
        assert ask("") == "b"
        store.write_documents([document_bundle("c", ["A word in the log alone"])])
        assert ask("") == "b c"
        assert ask("fresh") == "b c"
    assert ask("") == "b c"
    write(store_folder, *(f"d{number}" for number in range(40)))
    with writer(store_folder) as store:
        store.delete_documents("default", ["b", "c", *(f"d{number}" for number in range(39))])
    assert ask("") == ask("fresh") == "d39"
    assert [path for path in log_files(store_folder) if path.exists()] == log_files(store_folder)


def test_a_log_that_cannot_be_read_is_told(store_folder: Path, ask: Ask, tmp_path: Path) -> None:
    with writer(store_folder) as store:
        store.write_documents([document_bundle("a", ["The word a"])])
        shutil.copytree(store_folder, tmp_path / "killed")
    shutil.rmtree(store_folder)
    (tmp_path / "killed" / f"{DATABASE_FILE}-shm").unlink()
    shutil.move(tmp_path / "killed", store_folder)
    told = ask("")
    assert told.startswith("StoreUnusable cannot open")
    assert "-wal and -shm" in told
    write(store_folder, "b")
    assert ask("") == "a b"


def test_a_change_while_a_file_is_read_without_locks_is_told(
    store_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store_folder, "a")
    for path in log_files(store_folder):
        path.unlink()
    connect = lone_file._connect
    monkeypatch.setattr(lone_file, "_connect", lambda path, mode, wait: connect(path, f"{mode}&readonly_shm=1", wait))
    path = store_folder / DATABASE_FILE
    database = Database(path, read_only=True, busy_timeout_ms=10)
    count = "SELECT count(*) FROM documents"

    def read(statement: str, *, changed_at: int | None = None) -> object:
        with database.snapshot() as connection:
            if changed_at is not None:
                os.utime(path, ns=(0, changed_at))
            return connection.execute(statement).fetchone()

    assert read(count) == (1,)
    with pytest.raises(StoreLocked, match="ask again"):
        read(count, changed_at=0)
    assert read(count) == (1,)
    with pytest.raises(StoreLocked, match="ask again"):
        read("SELECT none FROM nowhere", changed_at=1)  # as a page that belongs to another commit may fail
    database.close()
    with EmbeddedStore.open(store_folder) as store:
        assert [document.id for document in store.list_documents(Access())] == ["a"]
