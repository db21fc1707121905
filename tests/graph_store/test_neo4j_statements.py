"""Reading statements that are transactions of their own: what is waited out, what is told, and what each costs.

The driver is the real one; the server is scripted, so nothing here needs Neo4j.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest

from graph_store.errors import StoreUnreachable, StoreUnusable
from graph_store.neo4j.address import parse_address
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.failures import BatchTooLarge
from graph_store.neo4j.statements import Statements
from graph_store.settings import Neo4jSettings
from tests.neo4j.scripted_server import Fault, Rows, ScriptedServer, serve

PATIENT = Neo4jSettings()
HASTY = Neo4jSettings(retry_s=0.1)
READING = "RETURN 2"
UNAVAILABLE = "Neo.TransientError.Database.DatabaseUnavailable"
OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"


def answer(query: str, _: Mapping[str, Any]) -> Rows:
    return [{"number": 2}, {"number": 3}] if query == READING else [{"1": 1}]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", "reader")
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", "Open-Sesame-77")
    monkeypatch.setattr("graph_store.neo4j.statements.time.sleep", lambda _: None)
    with serve(answer) as scripted:
        yield scripted


def read(server: ScriptedServer, *faults: Fault, settings: Neo4jSettings = PATIENT, times: int = 1) -> list[list[int]]:
    """Connect, and read while the server has ``faults``."""
    with closing(Connection(parse_address(f"bolt://127.0.0.1:{server.port}/neo4j"), settings)) as connection:
        connection.connect()
        server.faults += faults
        with Statements(connection, settings) as statements:
            return [[row["number"] for row in statements.rows(READING)] for _ in range(times)]


def test_statements_need_no_transaction_around_them(server: ScriptedServer) -> None:
    assert read(server, times=3) == [[2, 3]] * 3
    assert not server.begun


@pytest.mark.parametrize(
    "fault",
    [
        Fault(at="RUN", where=READING, code=UNAVAILABLE),
        Fault(at="RUN", where=READING, does="cut"),
        Fault(at="PULL", does="cut"),
    ],
)
def test_a_statement_that_fails_for_a_moment_is_sent_again(server: ScriptedServer, fault: Fault) -> None:
    assert read(server, fault, times=2) == [[2, 3]] * 2
    assert server.happened() == 1


def test_in_the_end_the_failure_is_told(server: ScriptedServer) -> None:
    with pytest.raises(StoreUnreachable, match="could not do what it was asked for"):
        read(server, Fault(at="RUN", where=READING, code=UNAVAILABLE, times=10), settings=HASTY)


def test_what_does_not_pass_is_told_at_once(server: ScriptedServer) -> None:
    for code, meaning in ((OUT_OF_MEMORY, BatchTooLarge), ("Neo.DatabaseError.General.UnknownError", StoreUnusable)):
        with pytest.raises(meaning):
            read(server, Fault(at="RUN", where=READING, code=code))
    assert server.happened() == 2
