"""A server that fails in every way that is known: what is waited out, what is told, in which words, by which exit code.

The driver and the store are the real ones; the server is scripted, so nothing here needs Neo4j.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

from belvedere.cli.main import run
from belvedere.errors import user_sentence
from graph_store.bundles import DocumentBundle
from graph_store.errors import StoreError, StoreRefused, StoreUnreachable
from graph_store.neo4j.address import parse_address
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.failures import BatchTooLarge
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import document_bundle
from tests.graph_store.neo4j_told_faults import DEADLOCK, FOREVER, OURS, OUT_OF_MEMORY, TOLD, WRITING, client
from tests.neo4j.scripted_server import Fault, ScriptedServer, Step, serve
from tests.neo4j.scripted_store import NOBODY, answer

PASSWORD = "Open-Sesame-77"
PATIENT = Neo4jSettings()
HASTY = Neo4jSettings(retry_s=0.1)
IMPATIENT = Neo4jSettings(retry_s=0.1, connection_timeout_s=0.4)
"""For servers that do not answer; one that does may be slower than that on a busy machine."""

Connect: TypeAlias = Callable[..., Connection]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin failed transactions again at once: the driver waits for a second at least, which nothing can be told of."""
    monkeypatch.setattr("neo4j._sync.work.session.sleep", lambda _: None)
    monkeypatch.setattr("graph_store.neo4j.connection.time.sleep", lambda _: None)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", "reader")
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", PASSWORD)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serve(answer) as scripted:
        yield scripted


@pytest.fixture
def connect(server: ScriptedServer) -> Iterator[Connect]:
    """Return what connects to the server, by a scheme, with settings."""
    opened: list[Connection] = []

    def connected(scheme: str = "bolt", settings: Neo4jSettings = HASTY) -> Connection:
        opened.append(Connection(parse_address(f"{scheme}://127.0.0.1:{server.port}/neo4j"), settings))
        opened[-1].connect()
        return opened[-1]

    yield connected
    for connection in opened:
        connection.close()


def write(connection: Connection, number: int = 1) -> None:
    connection.write(lambda tx: tx.run(WRITING, number=number))


def written(server: ScriptedServer) -> list[object]:
    return [parameters["number"] for query, parameters in server.committed if query == WRITING]


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_the_scripted_server_is_one_that_the_driver_talks_to(
    server: ScriptedServer, connect: Connect, scheme: str
) -> None:
    connection = connect(scheme)
    write(connection, 7)
    assert connection.read(lambda tx: tx.rows("RETURN 1"))[0].value() == 1
    assert written(server) == [7]
    assert server.logons[0]["credentials"] == PASSWORD
    assert not connection.has_vectors


def test_a_process_asks_for_what_it_has_seen(server: ScriptedServer, connect: Connect) -> None:
    """Servers of a cluster run behind each other, and each transaction may go to another one."""
    connection = connect("neo4j")
    write(connection)
    written_as = server.bookmarks[-1]
    connection.read(lambda tx: tx.rows("RETURN 2"))
    assert server.begun[-1]["bookmarks"] == [written_as]


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (Fault(at="RUN", where=WRITING, code=DEADLOCK), 1),
        (Fault(at="COMMIT", code="Neo.TransientError.Transaction.LockAcquisitionTimeout"), 1),
        (Fault(at="RUN", where=WRITING, does="cut"), 1),
        (Fault(at="BEGIN", does="cut"), 1),
        (Fault(at="COMMIT", does="cut"), 1),
        (Fault(at="COMMIT", does="cut after"), 2),  # nobody can know: what is written must bear being written again
    ],
)
def test_what_passes_is_waited_out(server: ScriptedServer, connect: Connect, fault: Fault, times: int) -> None:
    connection = connect(settings=PATIENT)
    server.faults.append(fault)
    write(connection)
    assert written(server) == [1] * times
    assert server.happened() == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault(at="RUN", where="RETURN 2", code="Neo.TransientError.Database.DatabaseUnavailable"),
        Fault(at="PULL", does="cut"),
        Fault(at="COMMIT", does="cut"),
    ],
)
def test_a_read_is_begun_again(server: ScriptedServer, connect: Connect, fault: Fault) -> None:
    connection = connect(settings=PATIENT)
    server.faults.append(fault)
    assert connection.read(lambda tx: tx.rows("RETURN 2")) == []
    assert server.happened() == 1
    assert [begun["mode"] for begun in server.begun] == ["r", "r"]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(at="RUN", where="CREATE INDEX", code=DEADLOCK),
        Fault(at="RUN", where="CREATE INDEX", code=client("Schema.EquivalentSchemaRuleAlreadyExists")),
        Fault(at="PULL", does="cut", times=2),
    ],
)
def test_a_change_of_the_schema_is_done_again(server: ScriptedServer, connect: Connect, fault: Fault) -> None:
    connection = connect(settings=PATIENT)
    server.faults.append(fault)
    connection.run_alone("CREATE INDEX name IF NOT EXISTS")
    assert server.happened() == fault.times


def test_a_change_of_the_schema_that_is_wrong_is_not(server: ScriptedServer, connect: Connect) -> None:
    connection = connect()
    server.faults.append(Fault(at="RUN", code=client("Statement.SyntaxError"), times=FOREVER))
    with pytest.raises(StoreError, match="SyntaxError"):
        connection.run_alone("CREATE INDEX")
    assert server.happened() == 1


@pytest.mark.parametrize("name", TOLD)
def test_what_stays_is_told_in_a_sentence(server: ScriptedServer, connect: Connect, name: str) -> None:
    fault, meaning, sentence = TOLD[name]
    server.faults.append(fault)
    with pytest.raises(StoreError) as told:
        write(connect(settings=IMPATIENT if fault.does == "hang" else HASTY))
    assert type(told.value) is meaning
    assert sentence in str(told.value)
    assert f"{server.port}" in str(told.value)
    assert "\n" not in str(told.value)
    assert "Address(" not in str(told.value)
    assert (user_sentence(told.value) is None) == (name in OURS)
    assert written(server) == []


def test_memory_is_not_asked_for_again_and_again(server: ScriptedServer, connect: Connect) -> None:
    """The driver takes it for something that passes, and would ask for as long as it asks for anything."""
    connection = connect(settings=Neo4jSettings(retry_s=3_600))
    server.faults.append(Fault(at="RUN", where=WRITING, code=OUT_OF_MEMORY, times=FOREVER))
    with pytest.raises(BatchTooLarge):
        write(connection)
    assert server.happened() == 1


@pytest.mark.parametrize("step", ["RUN", "ROUTE"])
def test_a_server_that_hangs_is_given_up_after_the_time_it_tells(
    server: ScriptedServer, connect: Connect, step: Step
) -> None:
    server.hints = {"connection.recv_timeout_seconds": 1}
    server.routes = [f"127.0.0.1:{server.port}"]
    server.answer = lambda *_: [{"named": server.routes[0]}]
    server.faults.append(Fault(at=step, does="hang", times=FOREVER))
    with pytest.raises(StoreUnreachable, match="does not answer"):
        connect("neo4j")


def test_an_address_that_leads_nowhere_is_named(server: ScriptedServer, connect: Connect) -> None:
    server.routes = [NOBODY]
    with pytest.raises(StoreUnreachable) as told:
        connect("neo4j")
    for part in (NOBODY, f"write bolt://127.0.0.1:{server.port}", "server.bolt.advertised_address"):
        assert part in str(told.value)


def test_a_cluster_that_answers_is_not_said_to_lead_nowhere(server: ScriptedServer, connect: Connect) -> None:
    server.answer = lambda *_: [{"named": f"127.0.0.1:{server.port}"}]
    server.faults.append(Fault(at="RUN", where=WRITING, does="cut", times=FOREVER))
    with pytest.raises(StoreUnreachable, match="does not answer as it should"):
        write(connect("neo4j"))


@pytest.mark.parametrize("scheme", ["bolt+s", "bolt+ssc", "neo4j+s", "neo4j+ssc"])
def test_a_server_without_tls(connect: Connect, scheme: str) -> None:
    with pytest.raises(StoreUnreachable, match=r"no TLS connection|whether it wants TLS"):
        connect(scheme, IMPATIENT)


# -- the store on it --------------------------------------------------------------------------------------------------


@pytest.fixture
def store(server: ScriptedServer) -> Iterator[Neo4jStore]:
    with Neo4jStore.open(parse_address(server.uri), settings=PATIENT, read_only=False) as opened:
        yield opened


def documents(count: int) -> list[DocumentBundle]:
    return [document_bundle(f"d{number}", ["word"]) for number in range(count)]


def documents_written(server: ScriptedServer) -> list[list[str]]:
    """Return the ids of the documents that each committed transaction has created."""
    return [
        [row["id"] for row in parameters["rows"]]
        for query, parameters in server.committed
        if "CREATE (d:Document)" in query
    ]


def rows_above(most: int) -> Callable[[Mapping[str, Any]], bool]:
    return lambda parameters: len(parameters.get("rows", [])) > most


def test_a_batch_that_memory_does_not_allow_is_halved(server: ScriptedServer, store: Neo4jStore) -> None:
    server.faults.append(
        Fault(at="RUN", where="CREATE (d:Document)", when=rows_above(2), code=OUT_OF_MEMORY, times=FOREVER)
    )
    store.write_documents(documents(5))
    assert documents_written(server) == [["d0", "d1"], ["d2"], ["d3", "d4"]]


def test_a_document_that_memory_does_not_allow_is_named(server: ScriptedServer, store: Neo4jStore) -> None:
    server.faults.append(Fault(at="RUN", where="CREATE (d:Document)", code=OUT_OF_MEMORY, times=FOREVER))
    with pytest.raises(BatchTooLarge, match=r"more heap.*'d0' is written alone"):
        store.write_documents(documents(2))
    assert documents_written(server) == []


@pytest.mark.parametrize("does", ["cut", "cut after"])
def test_documents_whose_commit_is_unknown_are_replaced_whole(
    server: ScriptedServer, store: Neo4jStore, does: Literal["cut", "cut after"]
) -> None:
    """Each attempt deletes what it finds of a document before it creates it, in one transaction."""
    server.faults.append(Fault(at="COMMIT", does=does))
    store.write_documents(documents(1))
    assert documents_written(server) == [["d0"]] * (2 if does == "cut after" else 1)
    asked = [query for query, _ in server.committed]
    created = [number for number, query in enumerate(asked) if "CREATE (d:Document)" in query]
    for number in created:
        assert any("d.id IN $ids RETURN d.id" in query for query in asked[max(0, number - 6) : number])


# -- what must never be seen ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["status"], ["search", "Who?"]])
@pytest.mark.parametrize("name", ["password", "rate limit", "HTTP", "version", "hangs up", "disk", "access mode"])
def test_commands_say_it_and_never_the_password(
    server: ScriptedServer,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
    command: list[str],
) -> None:
    fault, _, _ = TOLD[name]
    before_any_writing = "RUN" if fault.at == "COMMIT" else fault.at
    server.faults.append(replace(fault, at=before_any_writing, where="", text=f"who is {PASSWORD}?", times=FOREVER))
    (tmp_path / "hasty.yaml").write_text("neo4j:\n  retry_s: 0.1\n", encoding="utf-8")
    code = run([*command, "--store", server.uri, "--config", str(tmp_path / "hasty.yaml")])
    said = "".join(capfd.readouterr())
    assert code == (1 if name in OURS else 2), said
    assert TOLD[name][2].split(":")[0] in " ".join(said.split())
    assert PASSWORD not in said
    assert "Traceback" not in said


def test_logs_never_hold_the_password(
    server: ScriptedServer, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    write(connect())
    server.faults.append(Fault(at="LOGON", code=client("Security.Unauthorized")))
    with pytest.raises(StoreRefused):
        connect()
    assert "LOGON" in caplog.text
    assert PASSWORD not in caplog.text
