import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.neo4j.address import ServerAddress, parse_address
from tests.graph_store.builders import DIMENSION, MODEL, TOKEN_DIMENSION, TOKEN_SPACE
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

_MEMORY = Path("/dev/shm")


@pytest.fixture
def store_folder() -> Iterator[Path]:
    """A folder for a store that does not exist yet, in memory where there is such a place: syncing a disk is slow."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder) / "store"


@pytest.fixture
def embedded_store(store_folder: Path) -> Iterator[EmbeddedStore]:
    """An empty store, open for writing."""
    with EmbeddedStore.create_or_open(store_folder, embedding_model=MODEL, dimension=DIMENSION) as opened:
        yield opened


@pytest.fixture
def token_store(store_folder: Path) -> Iterator[EmbeddedStore]:
    """An empty store that keeps token vectors, open for writing."""
    with EmbeddedStore.create_or_open(
        store_folder,
        embedding_model=MODEL,
        dimension=DIMENSION,
        token_space=TOKEN_SPACE,
        token_dimension=TOKEN_DIMENSION,
    ) as opened:
        yield opened


@pytest.fixture
def neo4j_address(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch) -> ServerAddress:
    """The address of an empty database; its indexes may be there already."""
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    empty_database(neo4j_server)
    return parse_address(neo4j_server.uri)
