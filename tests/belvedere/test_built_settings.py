import os
from dataclasses import replace
from pathlib import Path

import pytest

from belvedere.built_settings import FolderNotes, changed_since, record_settings
from belvedere.settings import Settings
from indexing.chunking.settings import ChunkingSettings
from model_clients.settings import EmbedderSettings
from query.settings import QuerySettings
from tests.belvedere.small_store import Belvedere, Place

SMALLER = Settings(
    embedder=EmbedderSettings(model="hashing:8"),
    indexing=replace(Settings().indexing, chunking=ChunkingSettings(max_tokens=50)),
)


def test_notes_that_cannot_be_written_fail_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    record_settings(FolderNotes(folder=tmp_path / "none"), "mine", Settings())
    assert "could not be noted" in caplog.text
    record_settings(FolderNotes(folder=tmp_path), "mine", SMALLER)
    (tmp_path / f".built-with.json.{os.getpid()}").mkdir()  # in the place of the file that is renamed
    record_settings(FolderNotes(folder=tmp_path), "mine", Settings())
    assert changed_since(FolderNotes(folder=tmp_path), "mine", SMALLER) == {}


def test_what_differs_from_the_last_run_is_named(tmp_path: Path) -> None:
    assert changed_since(FolderNotes(folder=tmp_path), "mine", SMALLER) == {}
    record_settings(FolderNotes(folder=tmp_path), "mine", Settings())
    record_settings(FolderNotes(folder=tmp_path), "other", SMALLER)
    assert changed_since(FolderNotes(folder=tmp_path), "mine", Settings()) == {}
    found = changed_since(FolderNotes(folder=tmp_path), "mine", SMALLER)
    assert found["embedder.model"] == (Settings().embedder.model, "hashing:8")
    assert found["indexing.chunking.max_tokens"] == (ChunkingSettings().max_tokens, 50)
    assert len(found) == 2
    assert changed_since(FolderNotes(folder=tmp_path), "other", SMALLER) == {}
    record_settings(FolderNotes(folder=tmp_path), "mine", SMALLER)
    assert changed_since(FolderNotes(folder=tmp_path), "mine", SMALLER) == {}
    assert [path.name for path in tmp_path.iterdir()] == ["built-with.json"]


def test_how_questions_are_asked_is_no_part_of_a_store(tmp_path: Path) -> None:
    record_settings(FolderNotes(folder=tmp_path), "mine", Settings())
    asked = replace(Settings(), query=replace(QuerySettings(), answer=replace(QuerySettings().answer, passages=2)))
    assert changed_since(FolderNotes(folder=tmp_path), "mine", asked) == {}


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"mine": 3}', '{"mine": {"gone": 1}}', "\x00"])
def test_a_damaged_file_tells_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "built-with.json").write_text(content, encoding="ascii")
    assert changed_since(FolderNotes(folder=tmp_path), "mine", Settings()) == {}


@pytest.mark.model
def test_status_names_them(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    config = tmp_path / "other.yaml"
    config.write_text('embedder: {model: "hashing:64"}\nindexing: {chunking: {max_tokens: 50}}\n', encoding="utf-8")
    options = ("--store", str(indexed_place.store), "--config", str(config))
    shown = belvedere("status", *options).out
    assert f"indexing.chunking.max_tokens: {ChunkingSettings().max_tokens} then, 50 now" in shown
    assert "settings" not in belvedere("status", *options, "--tenant", "others").out
