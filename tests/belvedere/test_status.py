"""Looking at a store that a writer works on."""

from pathlib import Path

import pytest

from belvedere.settings import Settings
from belvedere.status import folder_bytes, read_status
from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.spaces import VectorSpace


def test_files_that_go_meanwhile_count_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "indexes").mkdir()
    (tmp_path / "indexes" / "gone").write_bytes(b"12")
    (tmp_path / "stays").write_bytes(b"123")
    stat = Path.stat

    def removing(path: Path, *, follow_symlinks: bool = True) -> object:
        (tmp_path / "indexes" / "gone").unlink(missing_ok=True)
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", removing)
    assert folder_bytes(tmp_path) == 3
    assert folder_bytes(tmp_path / "none") == 0


def test_a_second_space_that_is_dropped_meanwhile_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with EmbeddedStore.create_or_open(tmp_path, embedding_model="hashing:8", dimension=8) as store:
        store.begin_space(VectorSpace(embedding_model="hashing:16", dimension=16), recipe="{}")
        assert read_status(tmp_path, store, Access(), Settings()).second_space is not None
        unfilled = store.unfilled

        def dropped(tenant: str) -> object:
            store.drop_space()
            return unfilled(tenant)

        monkeypatch.setattr(store, "unfilled", dropped)
        status = read_status(tmp_path, store, Access(), Settings())
    assert (status.second_space, status.second_space_whole) == (None, False)
