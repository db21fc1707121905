import re
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from tests.graph_store.builders import DIMENSION, MODEL
from tests.graph_store.samples import fill
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "neo4j.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```cypher\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EMPTY_ON_SAMPLES = {5, 6}
"""They name entities of the example corpus, which the three small documents do not have."""


def test_there_are_ten_queries() -> None:
    assert [int(query.split(".")[0].removeprefix("// ")) for query in QUERIES] == list(range(1, 11))


@pytest.mark.neo4j
def test_every_query_finds_something(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    empty_database(neo4j_server)
    address = ServerAddress(uri=neo4j_server.uri, database="neo4j")
    with Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION) as store:
        fill(store)
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as driver:
        for number, query in enumerate(QUERIES, 1):
            found = driver.execute_query(query).records
            assert found or number in EMPTY_ON_SAMPLES, query
