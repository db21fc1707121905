"""The driver of a store: transactions that are run again where that helps, and what their failures mean."""

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias, TypeVar

from neo4j import (
    WRITE_ACCESS,
    Driver,
    GraphDatabase,
    ManagedTransaction,
    Record,
    Session,
    unit_of_work,
)
from neo4j.exceptions import DriverError, IncompleteCommit, Neo4jError

from graph_store.errors import StoreUnusable
from graph_store.neo4j.address import ServerAddress, read_credentials
from graph_store.neo4j.advertised import is_being_started, unreachable_by_routing
from graph_store.neo4j.failures import explain, explained, lacks_memory
from graph_store.settings import Neo4jSettings

_Found = TypeVar("_Found")

Work: TypeAlias = Callable[["Transaction"], _Found]

_log = logging.getLogger(__name__)

_UNDECIDED_COMMITS = 3
_ROWS_AT_ONCE = 1_000
_PAUSE_SECONDS = 0.5
_FIRST_WITH_SEARCH = (2026, 2)
_USER_AGENT = "belvedere/0.1"


def server_version(agent: str) -> tuple[int, ...]:
    """Return the numbers in what a server calls itself, such as Neo4j/2026.09.0; none where it tells none."""
    found = re.search(r"/(\d+(?:\.\d+)*)", agent)
    return tuple(int(number) for number in found.group(1).split(".")) if found else ()


class Transaction:
    """One transaction: queries and their rows."""

    def __init__(self, managed: ManagedTransaction) -> None:
        self._managed = managed

    def rows(self, query: str, /, **parameters: object) -> list[Record]:
        """Run a query and return all of its rows."""
        return list(self._managed.run(query, parameters))

    def run(self, query: str, /, **parameters: object) -> None:
        """Run a query for what it does."""
        self._managed.run(query, parameters).consume()


class Connection:
    """A driver for one database. Any number of threads may use it."""

    def __init__(self, address: ServerAddress, settings: Neo4jSettings) -> None:
        self.address = address
        self._settings = settings
        self._closed = False
        self._has_written = False
        with explained(str(address)):
            self._driver: Driver = GraphDatabase.driver(
                address.uri,
                auth=read_credentials(address),
                user_agent=_USER_AGENT,
                max_connection_lifetime=settings.connection_lifetime_s,
                liveness_check_timeout=settings.liveness_check_s,
                connection_timeout=settings.connection_timeout_s,
                connection_acquisition_timeout=settings.connection_timeout_s * 2,
                max_transaction_retry_time=settings.retry_s,
                notifications_min_severity="OFF",
            )
        # Servers of a cluster run behind each other: whoever is asked next must have what this process has seen.
        self._seen = GraphDatabase.bookmark_manager()
        self.has_vectors = False
        """Whether vectors may be sent as such (Bolt 6), which is several times as fast as lists of numbers."""
        self.has_search = False
        """Whether the server has the clause SEARCH of Cypher 25, and vector indexes that hold further properties."""

    def connect(self) -> None:
        """Find out whether the server answers, waiting for one that is just being started.

        Raises ``StoreUnreachable`` or ``StoreRefused``.
        """
        server = self._patiently(
            lambda session: session.run("RETURN 1").consume().server,
            may_wait=self._may_start,
            told="waiting for the server %s, which does not answer yet",
        )
        self.has_vectors = server.protocol_version[0] >= 6
        self.has_search = server_version(server.agent) >= _FIRST_WITH_SEARCH

    def _may_start(self, error: DriverError | Neo4jError) -> bool:
        return is_being_started(self.address, self._settings, error)

    def session(self, *, access_mode: str = WRITE_ACCESS, fetch_size: int = _ROWS_AT_ONCE) -> Session:
        """Return a session of the driver; raises ``StoreUnusable`` once closed."""
        if self._closed:
            raise StoreUnusable(f"the store {str(self.address)!r} is closed: open it again")
        return self._driver.session(
            database=self.address.database,
            default_access_mode=access_mode,
            fetch_size=fetch_size,
            bookmark_manager=self._seen,
        )

    def read(self, work: Work[_Found]) -> _Found:
        """Read in one transaction; it is begun again where the connection or the server fails for a moment."""
        managed = unit_of_work(timeout=self._settings.query_timeout_s)(self._managed(work))
        return self._decided(lambda session: session.execute_read(managed))

    def write(self, work: Work[_Found], *, timeout_s: float | None = None) -> _Found:
        """Write in one transaction, all or nothing, which the server gives up after ``write_timeout_s`` or this time.

        ``work`` may run several times, even after a commit whose outcome could not be known: it must come to the same
        whether or not it was done before.
        """
        managed = unit_of_work(timeout=timeout_s or self._settings.write_timeout_s)(self._managed(work))
        written = self._decided(lambda session: session.execute_write(managed))
        self._has_written = True
        return written

    def _decided(self, run: Callable[[Session], _Found]) -> _Found:
        """Run a transaction until the driver knows how its commit, which a reading one has as well, went."""
        with self.explained():
            for attempt in range(_UNDECIDED_COMMITS):
                try:
                    with self.session() as session:
                        return run(session)
                except IncompleteCommit:
                    if attempt == _UNDECIDED_COMMITS - 1:
                        raise
                    time.sleep(_PAUSE_SECONDS)
        raise AssertionError("unreachable")

    def _managed(self, work: Work[_Found]) -> Callable[[ManagedTransaction], _Found]:
        def run(transaction: ManagedTransaction) -> _Found:
            try:
                return work(Transaction(transaction))
            except Neo4jError as error:
                if lacks_memory(error):  # the driver would try the same again, for as long as `retry_s`
                    raise explain(error, str(self.address)) from error
                raise

        return run

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise what failures of driver and server mean."""
        with explained(str(self.address), has_written=self._has_written):
            try:
                yield
            except DriverError as error:
                if meaning := unreachable_by_routing(self.address, self._settings, has_written=self._has_written):
                    raise meaning from error
                raise

    def run_alone(self, query: str, /, **parameters: object) -> list[Record]:
        """Run a query outside of any transaction of ours: changes of the schema, and what asks for it.

        Like ``write`` it may do it several times.
        """
        return self._patiently(
            lambda session: list(session.run(query, parameters)),
            may_wait=lambda error: error.is_retryable() or _was_made_meanwhile(error),
        )

    def _patiently(
        self, run: Callable[[Session], _Found], *, may_wait: Callable[[DriverError | Neo4jError], bool], told: str = ""
    ) -> _Found:
        """Run something again, for as long as ``retry_s``, where waiting may help; tell that, if at all, once."""
        until = time.monotonic() + self._settings.retry_s
        with self.explained():
            while True:
                try:
                    with self.session() as session:
                        return run(session)
                except (DriverError, Neo4jError) as error:
                    if not may_wait(error) or time.monotonic() > until:
                        raise
                if told:
                    _log.warning(told, self.address)
                    told = ""
                time.sleep(_PAUSE_SECONDS)

    def close(self) -> None:
        """Close all connections; calling it twice is harmless."""
        if not self._closed:
            self._closed = True
            self._driver.close()


def _was_made_meanwhile(error: DriverError | Neo4jError) -> bool:
    """Tell whether somebody else made the same index at this moment, which IF NOT EXISTS only sees the next time."""
    return "EquivalentSchemaRuleAlreadyExists" in (getattr(error, "code", None) or "")
