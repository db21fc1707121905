from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from tests.graph_store.store_contract import GraphStoreContract
from tests.graph_store.store_copy_contract import CopyContract
from tests.graph_store.store_long_read_contract import LongReadContract
from tests.graph_store.store_model_facts_contract import ModelFactsContract
from tests.graph_store.store_near_contract import NearReadsContract
from tests.graph_store.store_passage_graph_contract import PassageGraphContract
from tests.graph_store.store_source_contract import SourceContract
from tests.graph_store.store_space_contract import OpenStore, SpaceContract
from tests.graph_store.store_standing_contract import StandingContract
from tests.graph_store.store_state_contract import StateContract
from tests.graph_store.store_token_contract import TokenContract
from tests.graph_store.store_version_contract import ComparisonContract, VersionContract


class TestEmbeddedStore(
    GraphStoreContract,
    PassageGraphContract,
    NearReadsContract,
    VersionContract,
    ComparisonContract,
    SourceContract,
    StandingContract,
    ModelFactsContract,
    StateContract,
):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> EmbeddedStore:
        return embedded_store


class TestSpacesOfEmbeddedStore(SpaceContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> EmbeddedStore:
        return embedded_store

    @pytest.fixture
    def open_reader(self, store_folder: Path) -> Iterator[OpenStore]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(EmbeddedStore.open(store_folder))


class TestCopiesOfEmbeddedStore(CopyContract, LongReadContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> EmbeddedStore:
        return embedded_store

    @pytest.fixture
    def open_reader(self, store_folder: Path) -> Iterator[OpenStore]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(EmbeddedStore.open(store_folder))

    def test_whatever_leads_to_a_folder_it_is_one_store(
        self, embedded_store: EmbeddedStore, store_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "link").symlink_to(store_folder)
        monkeypatch.chdir(store_folder.parent)
        for way in (tmp_path / "link", Path("store"), store_folder.parent / "." / "store" / ".." / "store"):
            with EmbeddedStore.open(way) as reader:
                assert reader.identity == embedded_store.identity


class TestEmbeddedStoreOfTokens(TokenContract):
    """The fixture ``token_store`` is that of the folder."""
