"""Reading statements, each a transaction of its own: one exchange with the server for each, and none around them.

A transaction over several statements would cost two exchanges more and give nothing: Neo4j shows a transaction what
others commit meanwhile. It would also stay open while the process computes between its reads. The statements of a
process follow each other's bookmarks, so on a cluster none sees an older state than the one before.
"""

import time
from types import TracebackType

from neo4j import READ_ACCESS, Query, Record
from neo4j.exceptions import DriverError, Neo4jError

from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.failures import lacks_memory
from graph_store.settings import Neo4jSettings

_FIRST_PAUSE_S = 0.2
_ALL_ROWS = -1


class Statements(Transaction):
    """Reading statements of one thread, to be closed; each is sent again where that helps."""

    def __init__(self, connection: Connection, settings: Neo4jSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._session = connection.session(access_mode=READ_ACCESS, fetch_size=_ALL_ROWS)

    def __enter__(self) -> "Statements":
        """Return the statements themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the connection back."""
        with self._connection.explained():
            self._session.close()

    def rows(self, query: str, /, **parameters: object) -> list[Record]:
        """Run a query and return all of its rows."""
        asked = Query(query, timeout=self._settings.query_timeout_s)
        last_start = time.monotonic() + self._settings.retry_s
        pause = _FIRST_PAUSE_S
        with self._connection.explained():
            while True:
                try:
                    return list(self._session.run(asked, parameters))
                except (Neo4jError, DriverError) as error:
                    helps = error.is_retryable() and not (isinstance(error, Neo4jError) and lacks_memory(error))
                    if not helps or time.monotonic() + pause > last_start:
                        raise
                time.sleep(pause)
                pause *= 2
                self._begin_anew()

    def _begin_anew(self) -> None:
        """Leave a session whose connection may be broken for another, which sees at least what this process has."""
        self._session.close()
        self._session = self._connection.session(access_mode=READ_ACCESS, fetch_size=_ALL_ROWS)
