import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from tests.graph_store.store_contract import GraphStoreContract
from tests.graph_store.store_source_contract import SourceContract
from tests.graph_store.store_token_contract import TokenContract
from tests.graph_store.store_version_contract import ComparisonContract, VersionContract


class TestEmbeddedStore(GraphStoreContract, VersionContract, ComparisonContract, SourceContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> EmbeddedStore:
        return embedded_store


class TestEmbeddedStoreOfTokens(TokenContract):
    """The fixture ``token_store`` is that of the folder."""
