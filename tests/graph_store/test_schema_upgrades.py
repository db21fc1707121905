"""Stores of an older format: read as they are, brought up to this one when they are opened for writing."""

import sqlite3
from pathlib import Path

import pytest

from graph_store.access import Access
from graph_store.bundles import SourceState
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.examination import examine_store
from graph_store.embedded.schema import SCHEMA_VERSION
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.settings import StoreSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of

SETTINGS = StoreSettings(keyword_memory_bytes=15_000_000)

WITHOUT_MODEL_FACTS = (
    "ALTER TABLE entities DROP COLUMN description_made_by; ALTER TABLE entities DROP COLUMN description_chunks;"
    "ALTER TABLE entities DROP COLUMN described; ALTER TABLE relations DROP COLUMN strength"
)


def opened(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION, settings=SETTINGS)


def layout(folder: Path) -> dict[str, str]:
    """Return name -> statement of every table and index."""
    connection = sqlite3.connect(folder / DATABASE_FILE)
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {name: " ".join(sql.split()) for name, sql in found}


def keys_of_changes(folder: Path) -> set[str]:
    """Return what the log of changes keeps beside row numbers: older formats kept ids of documents."""
    connection = sqlite3.connect(folder / DATABASE_FILE)
    found = {key for (key,) in connection.execute("SELECT key FROM changes")}
    connection.close()
    return found


@pytest.fixture
def second(store_folder: Path) -> Path:
    """A store of format 2 with two documents."""
    with opened(store_folder) as store:
        bundles = [document_bundle(name, ["Alpha word"]) for name in "ab"]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
    connection = sqlite3.connect(store_folder / DATABASE_FILE)
    connection.executescript(
        "DROP TABLE source_documents; DROP TABLE sources; UPDATE changes SET key = 'name';"
        "UPDATE store_state SET schema_version = 2;"
        "ALTER TABLE tenants DROP COLUMN made_with; ALTER TABLE tenants DROP COLUMN changed_documents;"
        "ALTER TABLE communities DROP COLUMN mended; ALTER TABLE tree_nodes DROP COLUMN mended;" + WITHOUT_MODEL_FACTS
    )
    connection.close()
    return store_folder


@pytest.fixture
def third(store_folder: Path) -> Path:
    """A store of format 3 with two documents."""
    with opened(store_folder) as store:
        bundles = [document_bundle(name, ["Alpha meets Beta"]) for name in "ab"]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
    connection = sqlite3.connect(store_folder / DATABASE_FILE)
    connection.executescript(f"UPDATE store_state SET schema_version = 3; {WITHOUT_MODEL_FACTS}")
    connection.close()
    return store_folder


def test_format_2_is_read_and_examined_as_it_is(second: Path) -> None:
    before = (second / DATABASE_FILE).read_bytes()
    with EmbeddedStore.open(second) as store:
        assert [hit.id for hit in store.search_keywords(Access(), "alpha", kind="chunk", k=9)] == ["a-0", "b-0"]
        assert store.source_states("default") == {}
    findings = examine_store(second, SETTINGS)
    assert [finding for finding in findings if finding.level == "problem"] == []
    assert any("format 2" in finding.says and "the next `belvedere index`" in finding.remedy for finding in findings)
    assert (second / DATABASE_FILE).read_bytes() == before


@pytest.mark.parametrize("way", ["create_or_open", "open"])
def test_format_2_is_brought_up_by_the_first_writer(second: Path, way: str, tmp_path: Path) -> None:
    with EmbeddedStore.open(second) as reader:
        digest = reader.content_digest("default")
        with opened(second) if way == "create_or_open" else EmbeddedStore.open(second, read_only=False) as store:
            assert store.content_digest("default") == digest
            assert store.derived_fingerprint("default") is not None
            assert store.read_generation("default").fingerprint == store.derived_fingerprint("default")
            state = SourceState(mark="m", document_ids=("a",))
            store.remember_sources("default", {"/in/a.md": state})
            store.delete_documents("default", ["b"])
            assert store.source_states("default") == {"/in/a.md": state}
        assert len(reader.list_documents(Access())) == 1, "a reader that was there before goes on"
    opened(tmp_path / "fresh").close()
    assert layout(second) == layout(tmp_path / "fresh")
    assert keys_of_changes(second) == {""}
    with EmbeddedStore.open(second) as store:
        assert store.source_states("default") == {"/in/a.md": state}


def test_format_3_is_read_as_it_is_and_brought_up_by_a_writer(third: Path, tmp_path: Path) -> None:
    with EmbeddedStore.open(third) as reader:
        entities, relations = reader.list_entities(Access()), reader.list_relations(Access())
        assert {entity.description_made_by for entity in entities} == {"extractive"}
        assert all(entity.description for entity in entities)
        assert [relation.strength for relation in relations] == [0.0]
        opened(third).close()
        assert (reader.list_entities(Access()), reader.list_relations(Access())) == (entities, relations)
    opened(tmp_path / "fresh").close()
    assert layout(third) == layout(tmp_path / "fresh")
    with EmbeddedStore.open(third) as store:
        assert (store.list_entities(Access()), store.list_relations(Access())) == (entities, relations)


def test_a_format_that_is_brought_up_half_is_not_there(second: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {2: "CREATE TABLE sources (row INTEGER);\nCREATE TABLE sources (row INTEGER);\n"}
    with monkeypatch.context() as patched:
        patched.setattr("graph_store.embedded.schema_upgrades._STATEMENTS", broken)
        with pytest.raises(Exception, match="already exists"):
            opened(second)
    assert "sources" not in layout(second)
    opened(second).close()
    assert "sources" in layout(second)


def test_the_format_is_told_by_the_database(store_folder: Path) -> None:
    opened(store_folder).close()
    connection = sqlite3.connect(store_folder / DATABASE_FILE)
    assert connection.execute("SELECT schema_version FROM store_state").fetchone() == (SCHEMA_VERSION,)
    connection.close()
