"""Every fault of a store that can be told is told, with what to do, and nothing is told of a whole one."""

import fcntl
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.examination import examine_store
from graph_store.embedded.index_agreement import compare_indexes
from graph_store.embedded.keyword_files import damaged_files
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.errors import StoreMissing
from graph_store.findings import Finding
from graph_store.settings import StoreSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of

FILES_FROM_ONE = StoreSettings(vector_file_rows=1)


def writer(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION, settings=FILES_FROM_ONE)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed store of two tenants, which nobody changes."""
    folder = tmp_path_factory.mktemp("examined") / "store"
    with writer(folder) as store:
        for tenant in ("default", "other"):
            bundles = [document_bundle(f"d{i}", [f"Rain falls on Day{i}", "Snow"], tenant=tenant) for i in range(4)]
            store.write_documents(bundles)
            store.publish(generation_of(bundles, tenant=tenant))
    return folder


@pytest.fixture
def filled(made_once: Path, store_folder: Path) -> Path:
    """Return a copy that a test may change."""
    return shutil.copytree(made_once, store_folder)


def problems(folder: Path, settings: StoreSettings = FILES_FROM_ONE) -> list[Finding]:
    found = [finding for finding in examine_store(folder, settings) if finding.level == "problem"]
    assert all(finding.remedy for finding in found)
    return found


def notes(folder: Path) -> list[str]:
    return [finding.says for finding in examine_store(folder, FILES_FROM_ONE) if finding.level == "note"]


def run_sql(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / DATABASE_FILE, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_whole_store_has_no_problem(filled: Path) -> None:
    found = examine_store(filled, FILES_FROM_ONE)
    assert {finding.level for finding in found} == {"fine"}
    assert sum(finding.check == "indexes" for finding in found) == 2 * 3 * 3, "two tenants, three kinds, three indexes"
    assert {finding.level for finding in examine_store(filled, StoreSettings())} == {"fine"}


def test_an_examination_changes_nothing(filled: Path) -> None:
    shutil.rmtree(next((filled / "indexes").iterdir()))
    kept = [path for path in filled.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
    before = {path: path.read_bytes() for path in kept}  # -shm is the memory that readers and the writer share
    assert problems(filled)
    assert {path: path.read_bytes() for path in filled.rglob("*") if path.is_file() and path in before} == before


def test_no_store(store_folder: Path) -> None:
    with pytest.raises(StoreMissing):
        examine_store(store_folder, FILES_FROM_ONE)


def test_a_store_without_documents_is_whole(store_folder: Path) -> None:
    writer(store_folder).close()
    assert problems(store_folder) == []


def test_a_writer_at_work_is_a_note(filled: Path) -> None:
    with writer(filled) as store:
        store.write_documents([document_bundle("new", ["Hail"])])
        found = examine_store(filled, FILES_FROM_ONE)
        assert {finding.level for finding in found} == {"fine", "note"}
        assert any(f"process {os.getpid()} is writing" in says for says in notes(filled))
        assert any("are behind" in says for says in notes(filled))
        assert any("older than the documents" in says for says in notes(filled))
    (stale,) = problems(filled)
    assert "older than the documents" in stale.says


def test_a_lock_that_was_left_behind_is_free(filled: Path) -> None:
    (filled / "writer.lock").write_text("999999")
    assert notes(filled) == []
    with (filled / "writer.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert notes(filled)[0] == "process 999999 is writing to the store"


def test_another_format(filled: Path) -> None:
    run_sql(filled, "UPDATE store_state SET schema_version = 999")
    (found,) = problems(filled)
    assert "has format 999" in found.says
    assert "index again" in found.remedy


def test_a_garbled_database(filled: Path) -> None:
    path = filled / DATABASE_FILE
    content = bytearray(path.read_bytes())
    content[16_384 * 5 : 16_384 * 9] = b"\xa5" * (16_384 * 4)
    path.write_bytes(content)
    (found,) = problems(filled)
    assert "damaged" in found.says
    assert "restore a backup" in found.remedy


def test_what_is_no_database(filled: Path) -> None:
    (filled / DATABASE_FILE).write_bytes(b"no database, but long enough to look like one" * 100)
    (found,) = problems(filled)
    assert (found.check, found.remedy) == ("database", "restore a backup or index again")


def test_rows_without_the_row_they_belong_to(filled: Path) -> None:
    run_sql(filled, "PRAGMA foreign_keys=OFF", "DELETE FROM documents WHERE id = 'd1'")
    (found,) = problems(filled)
    assert "whose 'documents' is gone" in found.says


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("DELETE FROM chunk_vectors WHERE row = 1", "'d0-0'"),
        ("UPDATE community_vectors SET vector = x'00'", "the vectors of 1 reports"),
        ("DELETE FROM tree_node_vectors", "the vectors of 1 tree nodes"),
    ],
)
def test_vectors_that_are_not_there(filled: Path, statement: str, part: str) -> None:
    run_sql(filled, statement)
    found = [finding for finding in problems(filled) if finding.says.startswith("the vectors")]
    assert found
    assert part in found[0].says
    assert "restore a backup" in found[0].remedy


def rewrite(paths: Sequence[Path], change: Callable[[bytes], bytes]) -> None:
    assert paths
    for path in paths:
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(change(content))


# A segment without field norms is whole to whoever does not know the schema: opening it tells.
@pytest.mark.parametrize(
    ("ending", "damage"),
    [
        *((ending, damage) for ending in ("term", "idx", "fast", "fieldnorm", "store") for damage in ("bit", "cut")),
        *((ending, "empty") for ending in ("term", "fieldnorm")),
        *((ending, "gone") for ending in ("term", "fast")),
    ],
)
def test_one_damaged_file_of_a_keyword_index(filled: Path, ending: str, damage: str) -> None:
    paths = sorted((filled / "indexes").glob(f"*/keywords-report-*/*.{ending}"))[:1]
    if damage == "gone":
        paths[0].unlink()
    else:
        harm = {"bit": lambda data: bytes([data[0] ^ 1]) + data[1:], "cut": lambda data: data[: len(data) // 2]}
        rewrite(paths, harm.get(damage, lambda _: b""))
    (found,) = problems(filled)
    assert "the keywords of 1 reports" in found.says
    assert "damaged" in found.says
    assert "belvedere index" in found.remedy
    mended(filled)


def mended(folder: Path) -> None:
    """Do what the remedy says and look again."""
    with writer(folder) as store:
        for tenant in ("default", "other"):
            store.document_states(tenant)
    assert problems(folder) == []


def test_a_whole_keyword_index_has_no_damaged_file(filled: Path) -> None:
    folders = sorted((filled / "indexes").glob("*/keywords-*"))
    assert len(folders) == 6
    assert [damaged_files(folder) for folder in folders] == [()] * 6
    (folders[0] / "meta.json").write_text("{")
    assert damaged_files(folders[0]) == ("meta.json",)


def test_indexes_of_an_older_state(filled: Path) -> None:
    kept = filled.parent / "kept"
    shutil.copytree(filled / "indexes", kept)
    bundles = [document_bundle("d0", ["Rain"]), document_bundle("d9", ["Fog"])]
    with writer(filled) as store:
        store.delete_documents("default", ["d1", "d2", "d3"])
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
    assert problems(filled) == []
    shutil.rmtree(filled / "indexes")
    shutil.move(kept, filled / "indexes")
    found = problems(filled)
    assert len(found) == 6
    assert "the keywords of 2 chunks of the tenant 'default' are behind" in found[0].says
    assert "8 entries; lacking 'd0-0', 'd9-0'; 8 of no record" in found[0].says
    mended(filled)


def test_indexes_that_are_gone(filled: Path) -> None:
    shutil.rmtree(filled / "indexes")
    found = problems(filled)
    assert len(found) == 12
    assert all(finding.says.endswith("are missing") for finding in found)
    mended(filled)


@pytest.mark.parametrize(
    ("change", "state"),
    [({"dimension": 3}, "damaged"), ({"model": "x"}, "damaged"), ({"rows": 7}, "damaged"), ({"sequence": 1}, "behind")],
)
def test_a_vector_file_of_something_else(filled: Path, change: dict[str, object], state: str) -> None:
    paths = sorted((filled / "indexes").glob("*/vectors-chunk.json"))[:1]
    rewrite(paths, lambda content: json.dumps(json.loads(content) | change).encode())
    (found,) = problems(filled)
    assert "the vector file of 8 chunks" in found.says
    assert f"are {state}" in found.says
    mended(filled)


def test_a_vector_file_with_other_numbers(filled: Path) -> None:
    paths = sorted((filled / "indexes").glob("*/vectors-chunk-*.npy"))[:1]
    rewrite(paths, lambda content: content[:-4] + b"\x00\x00\x00\x00")
    (found,) = problems(filled)
    assert "the vector file of 8 chunks" in found.says


def test_a_folder_for_reading_only(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert problems(filled) == []
    assert "cannot be written" in notes(filled)[0]


def test_an_agreement_counts_texts_that_stand_twice(filled: Path) -> None:
    with writer(filled) as store, store._database.snapshot() as connection:
        index = store._keywords.index_of(connection, "default", "chunk")
        assert index is not None
        sequence = index.sequence
        assert sequence is not None
        doubled = next(iter(index.rows()))
        from graph_store.embedded.keyword_index import KeywordText  # noqa: PLC0415

        index.apply([], [KeywordText(row=doubled, audience=1, document=1, text="x")], sequence=sequence, dead=0)
        first = next(
            compare_indexes(connection, filled, "default", dimension=DIMENSION, model=MODEL, settings=FILES_FROM_ONE)
        )
    assert (first.state, first.records, first.entries, first.strangers) == ("damaged", 8, 9, 1)
