import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from tests.graph_store.store_contract import GraphStoreContract
from tests.graph_store.store_token_contract import TokenContract


class TestEmbeddedStore(GraphStoreContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> EmbeddedStore:
        return embedded_store


class TestEmbeddedStoreOfTokens(TokenContract):
    """The fixture ``token_store`` is that of the folder."""
