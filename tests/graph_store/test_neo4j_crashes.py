"""Connections, indexing processes and servers that die in the middle: nothing is lost, and nothing is there twice."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from neo4j import GraphDatabase

from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import StoreUnreachable
from graph_store.neo4j.address import ServerAddress, parse_address
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle
from tests.graph_store.indexing_run import index_all, open_store
from tests.neo4j.cutting_proxy import Cut, CuttingProxy, cutting_proxy
from tests.neo4j.emptying import empty_database
from tests.neo4j.releases import RELEASES
from tests.neo4j.server import USER, Neo4jServer
from tests.neo4j.shared import SharedServers

pytestmark = [pytest.mark.neo4j, pytest.mark.crash]

ROOT = Path(__file__).resolve().parents[2]
KILLED_AT = {"5": (0.15, 0.35, 0.5, 0.65, 0.8), "2": (0.5,)}
"""Shares of the commits of a run after which it is killed, by the first digit of a release."""

Nodes: TypeAlias = dict[str, int]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the driver begin a failed transaction again soon; its pauses double from one second on."""
    monkeypatch.setattr("neo4j._sync.work.session.sleep", lambda seconds: time.sleep(min(seconds, 0.3)))


@pytest.fixture
def whole_digest(embedded_store: EmbeddedStore) -> str:
    """The digest of what an undisturbed run leaves; it is the same for every kind of store."""
    index_all(embedded_store)
    return embedded_store.content_digest("default")


@pytest.fixture
def proxy(neo4j_server: Neo4jServer, neo4j_address: ServerAddress) -> Iterator[CuttingProxy]:
    assert neo4j_address.uri == neo4j_server.uri
    with cutting_proxy(neo4j_server.port) as running:
        yield running


def nodes_and_links(server: Neo4jServer) -> Nodes:
    """Count what is in the database, past the store."""
    found: Nodes = {}
    with GraphDatabase.driver(server.uri, auth=(USER, server.password)) as driver:
        for query in (
            "MATCH (n) UNWIND labels(n) AS name RETURN name, count(*) AS number",
            "MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS number",
        ):
            found |= {row["name"]: row["number"] for row in driver.execute_query(query).records}
    return found


def digest(uri: str) -> str:
    with Neo4jStore.open(parse_address(uri)) as store:
        return store.content_digest("default")


def test_connections_that_are_cut(proxy: CuttingProxy, neo4j_server: Neo4jServer, whole_digest: str) -> None:
    with open_store(proxy.uri) as store:
        index_all(store)
    undisturbed = nodes_and_links(neo4j_server)
    assert proxy.seen["COMMIT"] > 20
    assert digest(proxy.uri) == whole_digest

    empty_database(neo4j_server)
    cuts: list[str] = []

    def decide(step: str, number: int) -> Cut:
        if step == "COMMIT" and number % 4 == 0:
            cuts.append("after" if number % 8 else "before")
            return "after" if number % 8 else "before"
        if step == "RUN" and number % 37 == 0:
            cuts.append("RUN")
            return "before"
        return "pass"

    proxy.decide = decide
    with open_store(proxy.uri) as store:
        index_all(store)
    assert min(cuts.count(kind) for kind in ("before", "after", "RUN")) >= 3
    proxy.decide = lambda *_: "pass"
    assert digest(proxy.uri) == whole_digest
    assert nodes_and_links(neo4j_server) == undisturbed


def start_indexing(uri: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.graph_store.indexing_run", uri], cwd=ROOT)


def index_until_commit(proxy: CuttingProxy, number: int) -> None:
    """Kill an indexing process at a commit of its own: every second time the server does not even hear of it."""
    started: list[subprocess.Popen[bytes]] = []
    first = proxy.seen["COMMIT"]

    def decide(step: str, count: int) -> Cut:
        if step != "COMMIT" or count - first < number:
            return "pass"
        started[0].kill()
        return "before" if number % 2 else "after"

    proxy.decide = decide
    started.append(subprocess.Popen([sys.executable, "-m", "tests.graph_store.indexing_run", proxy.uri], cwd=ROOT))
    assert started[0].wait(120) == -9
    proxy.decide = lambda *_: "pass"


def test_indexing_processes_that_are_killed(proxy: CuttingProxy, neo4j_server: Neo4jServer, whole_digest: str) -> None:
    with open_store(proxy.uri) as store:
        index_all(store)
    commits, undisturbed = proxy.seen["COMMIT"], nodes_and_links(neo4j_server)
    for share in KILLED_AT[neo4j_server.release.version[0]]:
        empty_database(neo4j_server)
        index_until_commit(proxy, int(commits * share))
        with open_store(proxy.uri) as store:
            index_all(store)
        assert digest(proxy.uri) == whole_digest
        assert nodes_and_links(neo4j_server) == undisturbed


@pytest.mark.parametrize("release", sorted(RELEASES))
def test_a_server_that_is_killed_and_comes_back(
    neo4j_servers: SharedServers, monkeypatch: pytest.MonkeyPatch, whole_digest: str, release: str
) -> None:
    server = neo4j_servers.running(release)
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", server.password)
    empty_database(server)
    failures: list[BaseException] = []
    patient = Neo4jSettings(retry_s=120, transaction_rows=10)

    def index() -> None:
        try:
            with Neo4jStore.create_or_open(
                parse_address(proxy.uri), embedding_model=MODEL, dimension=DIMENSION, settings=patient
            ) as store:
                index_all(store)
        except BaseException as error:  # noqa: BLE001  # handed to the test
            failures.append(error)

    def decide(step: str, number: int) -> Cut:
        if step == "COMMIT" and number == 14:
            server.kill()
            killed.set()
        return "pass"

    killed = threading.Event()
    with cutting_proxy(server.port) as proxy:
        proxy.decide = decide
        indexing = threading.Thread(target=index)
        indexing.start()
        assert killed.wait(60)
        neo4j_servers.restart(release)
        indexing.join(120)
    assert failures == []
    assert not indexing.is_alive()
    assert digest(server.uri) == whole_digest


def test_a_server_that_stays_away_is_told(proxy: CuttingProxy) -> None:
    hasty = Neo4jSettings(retry_s=0.5, connection_timeout_s=1.0)
    with Neo4jStore.create_or_open(
        parse_address(proxy.uri), embedding_model=MODEL, dimension=DIMENSION, settings=hasty
    ) as store:
        store.write_documents([document_bundle("a", ["Alpha"])])
        proxy.decide = lambda *_: "before"
        with pytest.raises(StoreUnreachable, match="run again"):
            store.write_documents([document_bundle("b", ["Beta"])])
        with pytest.raises(StoreUnreachable):
            store.document_states("default")
        proxy.decide = lambda *_: "pass"
        assert store.document_states("default").keys() == {"a"}
