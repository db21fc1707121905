"""One writer per store: a lease that the writer renews, and that every transaction of a writer checks.

The check locks the node of the store, so transactions of two writers never run side by side: one whose lease was taken
over while it slept finds that out before it changes anything.
"""

import logging
import threading

from graph_store.errors import StoreError, StoreLocked
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.failures import TransactionTooLong
from graph_store.neo4j.writer_mark import has_ended, own_mark, process_of

_log = logging.getLogger(__name__)

_RENEWALS = 3  # a lease: two of them may fail


class WriterLease:
    """Held from construction to ``release``; raises ``StoreLocked`` where another writer holds it."""

    def __init__(self, connection: Connection, *, seconds: float) -> None:
        self._connection = connection
        self._milliseconds = int(seconds * 1000)
        self._holder = own_mark()
        self._ended = threading.Event()
        self._seconds = seconds
        try:
            connection.write(self._take, timeout_s=seconds)
        except TransactionTooLong as error:
            raise StoreLocked(
                f"a writer of the store {str(connection.address)!r} is in the middle of a change: wait until it is done"
                " and run again; if it has vanished, the server ends its change after neo4j.write_timeout_s"
            ) from error
        self._keeper = threading.Thread(target=self._keep, args=(seconds / _RENEWALS,), daemon=True)
        self._keeper.start()

    def _take(self, transaction: Transaction) -> None:
        (found,) = transaction.rows(
            # The assignment locks the node, so what is read after it is what the last writer has committed.
            "MATCH (s:BelvedereStore {only: 1}) SET s.asked = timestamp() WITH s"
            " RETURN s.writer AS writer, s.writer_until - timestamp() AS remaining"
        )
        writer, remaining = found["writer"], found["remaining"]
        if writer not in {None, self._holder} and remaining > 0 and not has_ended(writer):
            raise StoreLocked(
                f"the store {str(self._connection.address)!r} is being written by process {process_of(writer)}: wait"
                f" until it is done and run again; if it has crashed, in {remaining // 1000 + 1} seconds"
            )
        self._extend(transaction)

    def _extend(self, transaction: Transaction) -> None:
        transaction.run(
            "MATCH (s:BelvedereStore {only: 1}) SET s.writer = $holder, s.writer_until = timestamp() + $lease",
            holder=self._holder,
            lease=self._milliseconds,
        )

    def check(self, transaction: Transaction) -> None:
        """Renew the lease within a transaction that writes; raises ``StoreLocked`` where another writer has it."""
        found = transaction.rows(
            "MATCH (s:BelvedereStore {only: 1}) SET s.asked = timestamp() WITH s WHERE s.writer = $holder"
            " SET s.writer_until = timestamp() + $lease RETURN 1",
            holder=self._holder,
            lease=self._milliseconds,
        )
        if not found:
            raise StoreLocked(
                f"another process writes to the store {str(self._connection.address)!r} now, since this one did not"
                " answer for too long: run again when it is done"
            )

    def _keep(self, pause: float) -> None:
        while not self._ended.wait(pause):
            try:
                self._connection.write(self.check, timeout_s=self._seconds)
            except TransactionTooLong:  # a change of this writer takes its time, and keeps everybody else away
                _log.debug("the lease of the store was not renewed beside a long change")
            except StoreError as error:  # the next transaction of the writer will tell
                _log.warning("the lease of the store could not be renewed: %s", error)

    def release(self) -> None:
        """Give the lease back; calling it twice is harmless."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._keeper.join()
        try:
            self._connection.write(
                lambda tx: tx.run(
                    "MATCH (s:BelvedereStore {only: 1}) WHERE s.writer = $holder REMOVE s.writer, s.writer_until",
                    holder=self._holder,
                ),
                timeout_s=self._seconds,
            )
        except StoreError as error:  # it ends by itself
            _log.warning("the lease of the store was not given back: %s", error)
