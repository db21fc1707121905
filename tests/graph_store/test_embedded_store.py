import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from tests.graph_store.store_contract import GraphStoreContract


class TestEmbeddedStore(GraphStoreContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> EmbeddedStore:
        return embedded_store
