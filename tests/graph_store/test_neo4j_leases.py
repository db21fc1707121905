"""The writer's lease where something goes wrong: an opening that fails, a long change, a client that left."""

import logging
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from neo4j import Driver, GraphDatabase

from graph_store.errors import StoreLocked, StoreUnusable
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle
from tests.graph_store.samples import fill
from tests.neo4j.server import USER, Neo4jServer

pytestmark = pytest.mark.neo4j

SHORT = Neo4jSettings(writer_lease_s=1.0)


@pytest.fixture
def driver(neo4j_server: Neo4jServer) -> Iterator[Driver]:
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as opened:
        yield opened


def opened(address: ServerAddress, settings: Neo4jSettings | None = None) -> Neo4jStore:
    return Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION, settings=settings)


def keepers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if "_keep" in thread.name}


@pytest.mark.parametrize("step", ["sweep", "finish_drop", "finish_drop of open"])
def test_an_opening_that_fails_late_gives_the_lease_back(
    neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch, driver: Driver, step: str
) -> None:
    with opened(neo4j_address) as store:
        fill(store)
    before = keepers()

    def fail(*_: object, **__: object) -> None:
        raise StoreUnusable("the disk is full")

    failing = "Publisher.sweep" if step == "sweep" else "finish_drop"
    with monkeypatch.context() as patched:
        patched.setattr(f"graph_store.neo4j.neo4j_store.{failing}", fail)
        with pytest.raises(StoreUnusable, match="the disk is full"):
            Neo4jStore.open(neo4j_address, read_only=False) if step.endswith("open") else opened(neo4j_address)
    assert keepers() == before
    found = driver.execute_query("MATCH (s:BelvedereStore) RETURN s.writer").records
    assert [row.value() for row in found] == [None]
    opened(neo4j_address).close()


def in_the_middle_of_a_change(driver: Driver, during: Callable[[], None]) -> None:
    """Hold the lock of the lease as a writer does in a change, and one whose client has vanished."""
    with driver.session() as session, session.begin_transaction() as transaction:
        transaction.run("MATCH (s:BelvedereStore {only: 1}) SET s.asked = timestamp()").consume()
        during()


def test_who_wants_to_write_beside_a_long_change_is_told_soon(neo4j_address: ServerAddress, driver: Driver) -> None:
    opened(neo4j_address).close()
    started = time.monotonic()

    def open_another() -> None:
        with pytest.raises(StoreLocked, match=r"in the middle of a change.*write_timeout_s"):
            opened(neo4j_address, SHORT)

    in_the_middle_of_a_change(driver, open_another)
    assert time.monotonic() - started < 25
    opened(neo4j_address, SHORT).close()


def test_a_long_change_of_the_writer_itself_is_no_reason_to_worry(
    neo4j_address: ServerAddress, driver: Driver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "graph_store.neo4j.writer_lease")
    with opened(neo4j_address, SHORT) as store:
        in_the_middle_of_a_change(driver, lambda: wait_for(lambda: "beside a long change" in caplog.text))
        store.write_documents([document_bundle("a", ["Alpha."])])
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def wait_for(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.05)
