"""Indexes that are in a database when a store is made in it, or that are another when it is opened."""

from collections.abc import Iterator

import pytest
from neo4j import Driver, GraphDatabase

from graph_store.errors import StoreMismatch
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.slots import SLOTS
from tests.graph_store.builders import DIMENSION, MODEL
from tests.graph_store.samples import PUBLIC, fill
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

pytestmark = pytest.mark.neo4j

NAME = SLOTS["a"].indexes["chunk"]
ANOTHER = f"CREATE INDEX {NAME} FOR (n:Chunk) ON (n.embedding)"


def vector_index(dimension: int, similarity: str) -> str:
    return (
        f"CREATE VECTOR INDEX {NAME} FOR (n:Chunk) ON (n.embedding) OPTIONS {{indexConfig:"
        f" {{`vector.dimensions`: {dimension}, `vector.similarity_function`: '{similarity}'}}}}"
    )


@pytest.fixture
def driver(neo4j_server: Neo4jServer) -> Iterator[Driver]:
    """A driver past the store; what it leaves of the index is removed."""
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as opened:
        opened.execute_query(f"DROP INDEX {NAME} IF EXISTS")
        yield opened
        opened.execute_query(f"DROP INDEX {NAME} IF EXISTS")


def opened(address: ServerAddress, dimension: int = DIMENSION) -> Neo4jStore:
    return Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=dimension)


@pytest.mark.parametrize("left", [vector_index(3, "cosine"), vector_index(DIMENSION, "euclidean")])
def test_what_an_emptied_store_left_of_its_vector_indexes_is_replaced(
    neo4j_address: ServerAddress, driver: Driver, left: str
) -> None:
    driver.execute_query(left)
    with opened(neo4j_address) as store:
        fill(store)
        chunk = store.document_chunks(PUBLIC, "open")[0]
        vector = store.chunk_vectors(PUBLIC, [chunk.id])[chunk.id]
        assert store.search_vectors(PUBLIC, vector, kind="chunk", k=1)[0].id == chunk.id


def test_another_model_may_follow_in_an_emptied_database(
    neo4j_server: Neo4jServer, neo4j_address: ServerAddress, driver: Driver
) -> None:
    assert driver
    opened(neo4j_address).close()
    empty_database(neo4j_server)
    with opened(neo4j_address, DIMENSION + 8) as store:
        assert store.dimension == DIMENSION + 8
    empty_database(neo4j_server)
    opened(neo4j_address).close()


def check_told(error: pytest.ExceptionInfo[StoreMismatch]) -> None:
    for part in (f"DROP INDEX {NAME}", "then `belvedere index`"):
        assert part in str(error.value)
    for internal in ("_Index(", "kind=", "()", "None"):
        assert internal not in str(error.value)


def test_an_index_of_another_sort_is_told_and_left(neo4j_address: ServerAddress, driver: Driver) -> None:
    driver.execute_query(ANOTHER)
    with pytest.raises(StoreMismatch, match="is a range index of Chunk over embedding, and the store needs a") as told:
        opened(neo4j_address)
    check_told(told)
    assert driver.execute_query("SHOW INDEXES YIELD name WHERE name = $name RETURN name", {"name": NAME}).records


def test_an_index_of_a_store_with_documents_is_told_and_left(neo4j_address: ServerAddress, driver: Driver) -> None:
    with opened(neo4j_address) as store:
        fill(store)
    driver.execute_query(f"DROP INDEX {NAME}")
    driver.execute_query(vector_index(3, "cosine"))
    with pytest.raises(
        StoreMismatch, match=f"of 3 dimensions by cosine, and the store needs a .* of {DIMENSION} dimensions"
    ) as told:
        opened(neo4j_address)
    check_told(told)
    driver.execute_query(f"DROP INDEX {NAME}")
    opened(neo4j_address).close()
