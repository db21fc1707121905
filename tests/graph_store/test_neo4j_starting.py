"""A server that is not there yet when a store is opened, as in a compose file; and what the lease lets it wait for."""

import logging
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from belvedere.cli.main import run
from graph_store.errors import StoreRefused, StoreUnreachable
from graph_store.neo4j.address import parse_address
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from tests.neo4j.scripted_server import Fault, ScriptedServer, serve
from tests.neo4j.scripted_store import NOBODY, answer

UNAVAILABLE = "Neo.TransientError.Database.DatabaseUnavailable"
Meet = Callable[[socket.socket], None]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_store.neo4j.connection._PAUSE_SECONDS", 0.05)
    monkeypatch.setattr("neo4j._sync.work.session.sleep", lambda _: None)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", "reader")
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", "Open-Sesame-77")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serve(answer) as scripted:
        yield scripted


def connect(uri: str, settings: Neo4jSettings | None = None) -> None:
    connection = Connection(parse_address(uri), settings or Neo4jSettings())
    try:
        connection.connect()
    finally:
        connection.close()


def resets(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def ends(connection: socket.socket) -> None:
    connection.recv(64)
    connection.close()


@contextmanager
def port_before(server: ScriptedServer, meet: Meet | None, times: int = 3) -> Iterator[int]:
    """Give a port that leads to a server after a while: until then nobody listens, or ``meet`` meets the clients."""
    early = socket.create_server(("127.0.0.1", 0))
    port: int = early.getsockname()[1]
    if meet is None:
        early.close()
    stopped = threading.Event()

    def serve_late() -> None:
        if meet is None:
            time.sleep(0.4)
        with early if meet is not None else socket.create_server(("127.0.0.1", port)) as listening:
            listening.settimeout(0.1)
            met = 0 if meet is not None else times
            while not stopped.is_set():
                with suppress(TimeoutError):
                    client, _ = listening.accept()
                    met += 1
                    if meet is not None and met <= times:
                        meet(client)
                    else:
                        threading.Thread(target=join, args=(client, server.port), daemon=True).start()

    thread = threading.Thread(target=serve_late, daemon=True)
    thread.start()
    try:
        yield port
    finally:
        stopped.set()
        thread.join(5)


def join(client: socket.socket, port: int) -> None:
    """Pass on what either side says."""

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    with client, socket.create_connection(("127.0.0.1", port)) as upstream:
        back = threading.Thread(target=pass_on, args=(upstream, client), daemon=True)
        back.start()
        pass_on(client, upstream)
        back.join(5)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize("meet", [None, resets, ends])
def test_a_server_that_is_being_started_is_waited_for(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture, scheme: str, meet: Meet | None
) -> None:
    with port_before(server, meet) as port:
        server.routes = [f"127.0.0.1:{port}"]
        server.answer = lambda *_: [{"named": server.routes[0]}]
        connect(f"{scheme}://127.0.0.1:{port}/neo4j")
    assert (
        caplog.messages.count(f"waiting for the server {scheme}://127.0.0.1:{port}/neo4j, which does not answer yet")
        == 1
    )


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_database_that_is_being_started_is_waited_for(server: ScriptedServer, scheme: str) -> None:
    server.faults.append(Fault(at="RUN", code=UNAVAILABLE, times=3))
    server.answer = lambda *_: [{"named": f"127.0.0.1:{server.port}"}]
    connect(f"{scheme}://127.0.0.1:{server.port}/neo4j")
    assert server.happened() == 3


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_the_waiting_ends(scheme: str) -> None:
    started = time.monotonic()
    with pytest.raises(StoreUnreachable, match=f"nobody listens at {scheme}://{NOBODY}/neo4j: start the server"):
        connect(f"{scheme}://{NOBODY}/neo4j", Neo4jSettings(retry_s=0.5))
    assert time.monotonic() - started > 0.5


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_only_who_has_written_is_told_what_is_kept(scheme: str) -> None:
    with serve(answer) as running:
        running.routes = [f"127.0.0.1:{running.port}"]
        address = parse_address(f"{scheme}://{running.routes[0]}/neo4j")
        reader, writer = (Connection(address, Neo4jSettings(retry_s=0.5)) for _ in range(2))
        reader.read(lambda tx: tx.run("MATCH (n) RETURN n"))
        writer.write(lambda tx: tx.run("CREATE (n:Thing)"))
        running.faults.append(Fault(at="BEGIN", does="cut", times=99))
    with closing(reader), closing(writer):
        for connection, kept in ((reader, ""), (writer, "; what was acknowledged is kept")):
            with pytest.raises(StoreUnreachable) as told:
                connection.read(lambda tx: tx.run("MATCH (n) RETURN n"))
            assert str(told.value).startswith("nobody listens at ")
            assert str(told.value).endswith(f"and run again{kept}")


@pytest.mark.parametrize(
    "fault",
    [
        Fault(at="LOGON", code="Neo.ClientError.Security.Unauthorized", times=99),
        Fault(at="CONNECT", does="say", raw=b"HTTP/1.1 400 Bad Request\r\n\r\n", times=99),
    ],
)
def test_what_is_no_start_is_not_waited_for(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture, fault: Fault
) -> None:
    server.faults.append(fault)
    with pytest.raises((StoreRefused, StoreUnreachable)):
        connect(server.uri)
    assert server.happened() == 1
    assert "waiting" not in caplog.text


def test_a_server_that_leads_nowhere_is_not_waited_for(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.routes = [NOBODY]
    with pytest.raises(StoreUnreachable, match="sends its clients to"):
        connect(f"neo4j://127.0.0.1:{server.port}/neo4j")
    assert "waiting" not in caplog.text


def test_commands_tell_that_they_wait(
    server: ScriptedServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    server.faults.append(Fault(at="RUN", code=UNAVAILABLE, times=2))
    run(["status", "--store", server.uri])
    assert "which does not answer yet" in capfd.readouterr().err


def test_a_command_says_that_nobody_listens(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "hasty.yaml").write_text("neo4j:\n  retry_s: 0.1\n", encoding="utf-8")
    assert run(["status", "--store", f"bolt://{NOBODY}", "--config", str(tmp_path / "hasty.yaml")]) == 2
    said = " ".join(capfd.readouterr().err.split())
    assert f"nobody listens at bolt://{NOBODY}/neo4j: start the server" in said
    assert "TLS" not in said
    assert "acknowledged" not in said


def test_the_transactions_of_a_lease_may_not_outlast_it(server: ScriptedServer) -> None:
    """A client that vanished within one would else keep every writer away for as long as a change may take."""
    settings = Neo4jSettings(writer_lease_s=0.3, write_timeout_s=600)
    with Neo4jStore.open(parse_address(server.uri), settings=settings, read_only=False) as store:
        taken = len(server.begun)
        while len(server.begun) == taken:
            time.sleep(0.01)
        store.write_notes("x")
    allowed = [begun.get("tx_timeout") for begun in server.begun if begun.get("mode") != "r"]
    assert set(allowed) == {300, 600_000}
    assert (allowed[0], allowed[-1]) == (300, 300), "taking it, and giving it back"
