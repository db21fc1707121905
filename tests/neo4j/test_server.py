import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError

from tests.neo4j.server import USER, Neo4jServer

pytestmark = pytest.mark.neo4j


def test_a_server_answers_those_who_know_the_password(neo4j_server: Neo4jServer) -> None:
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as driver:
        version = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0]").records[0].value()
    assert version == neo4j_server.release.version


def test_nobody_else_is_let_in(neo4j_server: Neo4jServer) -> None:
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, "neo4j")) as driver, pytest.raises(AuthError):
        driver.verify_connectivity()
