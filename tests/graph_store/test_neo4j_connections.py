"""Ways to reach a real server, and to be turned away by it."""

import pytest

from graph_store.errors import StoreError, StoreRefused, StoreUnreachable, StoreUnusable
from graph_store.neo4j.address import ServerAddress, parse_address
from graph_store.neo4j.advertised import unreachable_by_routing
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL
from tests.graph_store.samples import PUBLIC, fill, search_ids
from tests.neo4j.server import Neo4jServer

pytestmark = pytest.mark.neo4j


def address_of(server: Neo4jServer, scheme: str, database: str = "neo4j") -> ServerAddress:
    return parse_address(f"{scheme}://127.0.0.1:{server.port}/{database}")


def connect(address: ServerAddress) -> None:
    connection = Connection(address, Neo4jSettings(connection_timeout_s=5))
    try:
        connection.connect()
    finally:
        connection.close()


@pytest.mark.parametrize("scheme", ["neo4j", "neo4j+ssc", "bolt+ssc"])
def test_a_store_by_every_kind_of_address(neo4j_server: Neo4jServer, neo4j_address: ServerAddress, scheme: str) -> None:
    assert neo4j_address.uri == neo4j_server.uri
    address = address_of(neo4j_server, scheme)
    with Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION) as store:
        fill(store)
        assert search_ids(store, PUBLIC, "harbour") == ["open-0"]


@pytest.mark.usefixtures("neo4j_address")
@pytest.mark.parametrize("scheme", ["neo4j+s", "bolt+s"])
def test_certificates_are_checked(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    address = address_of(neo4j_server, scheme)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(StoreUnreachable, match=r"certificate of the server .* cannot be trusted.*SSL_CERT_FILE"):
        connect(address)
    monkeypatch.setenv("SSL_CERT_FILE", str(neo4j_server.certificate))
    connect(address)


def test_routes_that_can_be_reached_are_not_blamed(neo4j_server: Neo4jServer, neo4j_address: ServerAddress) -> None:
    assert unreachable_by_routing(neo4j_address, Neo4jSettings()) is None
    assert unreachable_by_routing(address_of(neo4j_server, "neo4j"), Neo4jSettings()) is None


@pytest.mark.usefixtures("neo4j_address")
@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
def test_a_database_that_is_not_there(neo4j_server: Neo4jServer, scheme: str) -> None:
    with pytest.raises(StoreUnusable, match="no such database: name another one"):
        connect(address_of(neo4j_server, scheme, "elsewhere"))


def test_a_user_that_is_not_there(
    neo4j_server: Neo4jServer, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", "nobody")
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", "Open-Sesame-77")
    for address in (neo4j_address, address_of(neo4j_server, "neo4j")):
        with pytest.raises(StoreRefused, match="refuses the user") as refused:
            connect(address)
        assert "Sesame" not in str(refused.value)


def test_who_reads_cannot_write(neo4j_address: ServerAddress) -> None:
    connection = Connection(neo4j_address, Neo4jSettings())
    with pytest.raises(StoreError, match="AccessMode"):
        connection.read(lambda tx: tx.run("CREATE (:Thing)"))
    assert connection.read(lambda tx: tx.rows("MATCH (n) RETURN count(n)"))[0].value() == 0
    connection.close()


def test_what_takes_too_long_is_given_up(neo4j_address: ServerAddress) -> None:
    connection = Connection(neo4j_address, Neo4jSettings(query_timeout_s=0.2, retry_s=0.1))
    with pytest.raises(StoreUnusable, match="took too long"):
        connection.read(lambda tx: tx.rows("UNWIND range(1, 1000000000) AS n RETURN sum(n % 7)"))
    connection.close()
