"""A database that is emptied, and filled with another store, while somebody has the first one open."""

from collections.abc import Iterator

import pytest

from graph_store.errors import StoreMissing, StoreSwitched
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from tests.graph_store.builders import DIMENSION, MODEL
from tests.graph_store.samples import PUBLIC, fill
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import Neo4jServer

pytestmark = pytest.mark.neo4j


def write_anew(address: ServerAddress) -> None:
    with Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION) as writer:
        fill(writer)


@pytest.fixture
def reader(neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
    write_anew(neo4j_address)
    with Neo4jStore.open(neo4j_address) as opened:
        yield opened


def test_a_store_in_the_place_of_another_is_not_taken_for_it(
    reader: Neo4jStore, neo4j_address: ServerAddress, neo4j_server: Neo4jServer
) -> None:
    assert reader.counts(PUBLIC).documents
    empty_database(neo4j_server)
    write_anew(neo4j_address)  # as far as the first one was, by all of its numbers
    with pytest.raises(StoreSwitched, match="made anew"):
        reader.counts(PUBLIC)
    with pytest.raises(StoreSwitched, match="made anew"):
        reader.live_space()


def test_an_emptied_database_holds_no_store(reader: Neo4jStore, neo4j_server: Neo4jServer) -> None:
    assert reader.counts(PUBLIC).documents
    empty_database(neo4j_server)
    with pytest.raises(StoreMissing, match="run `belvedere index`"):
        reader.counts(PUBLIC)
    with pytest.raises(StoreMissing, match="run `belvedere index`"):
        reader.live_space()
