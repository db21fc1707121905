"""Reading what belongs together from a store on a Neo4j server."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from graph_store.access import Access
from graph_store.errors import StoreChanged
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.failures import explained
from graph_store.neo4j.passage_memo import MOST_AT_ONCE, PassageMemo
from graph_store.neo4j.scope import Scope, scope_of, whole_tenant
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.space_state import Spaces, check_space, read_spaces
from graph_store.neo4j.statements import Statements
from graph_store.neo4j.store_state import Progress, read_progress
from graph_store.neo4j.store_watch import LatestProgress, OneState
from graph_store.settings import Neo4jSettings

_Found = TypeVar("_Found")

_STEADY_ATTEMPTS = 5


class _Held(threading.local):
    """The state that the work of a thread reads; None where it reads on its own."""

    state: OneState | None = None


class StateReads:
    """The state that a thread reads, and how single reads take part in it."""

    def __init__(self, connection: Connection, space: StoredSpace, settings: Neo4jSettings) -> None:
        self._connection = connection
        self._space = space
        self._neo4j_settings = settings
        self._held = _Held()
        self._latest = LatestProgress()

    def _read(self, access: Access, work: Callable[[Transaction, Scope, Progress], _Found]) -> _Found:
        """Read what belongs together within the generation that is shown."""
        return self.in_one_state(lambda: self._read_held(access, work))

    def _read_held(self, access: Access, work: Callable[[Transaction, Scope, Progress], _Found]) -> _Found:
        state = self._held.state
        assert state is not None
        progress = state.progress(access.tenant)
        with explained(str(self._connection.address)):  # what is no Unicode may come to light before it is sent
            return work(state.statements, scope_of(access).at(progress.generation), progress)

    def _read_documents(self, access: Access, work: Callable[[Transaction, Scope], _Found]) -> _Found:
        """Read by one query that asks for nothing of the derived layer."""
        state = self._held.state
        if state is not None:
            state.progress(access.tenant)
            return work(state.statements, scope_of(access))
        with Statements(self._connection, self._neo4j_settings) as statements:
            return work(statements, scope_of(access))

    def _passages(self, access: Access, asked: int) -> PassageMemo | None:
        """Return what the work at hand has read of passages; None where it keeps nothing or asks for very many.

        Outside of any work, and in long work, nothing is kept.
        """
        state = self._held.state
        if state is None or not state.keeps_passages or asked > MOST_AT_ONCE:
            return None
        state.progress(access.tenant)
        return state.memo(scope_of(access))

    def _read_vectors(self, access: Access, work: Callable[[Transaction, Scope], _Found]) -> _Found:
        """Read vectors by one query; raises ``StoreSwitched`` where they are not of the live space any more."""

        def read(transaction: Transaction, scope: Scope, _: Progress) -> _Found:
            self._vectors_are_read()
            return work(transaction, scope)

        return self._read(access, read)

    def _vectors_are_read(self) -> None:
        assert self._held.state is not None
        self._held.state.vectors_are_read()

    def _read_whole(self, tenant: str, work: Callable[[Transaction, Scope, Progress], _Found]) -> _Found:
        """Read a whole tenant with its vectors; raises ``StoreSwitched`` where they are not of the live space."""
        self._take_up(tenant)

        def read(transaction: Transaction) -> _Found:
            self._check_space(read_spaces(transaction))
            found = self._steady(transaction, whole_tenant(tenant), work)
            self._check_space(read_spaces(transaction))
            return found

        return self._connection.read(read)

    def _take_up(self, tenant: str) -> None:
        """Let the work at hand, where there is some, see to it that a tenant stays as it is until its end."""
        if self._held.state is not None:
            self._held.state.progress(tenant)

    def _check_space(self, found: Spaces) -> None:
        check_space(self._space, found, address=str(self._connection.address))

    def _steady(
        self, transaction: Transaction, scope: Scope, work: Callable[[Transaction, Scope, Progress], _Found]
    ) -> _Found:
        """Read a whole tenant within the generation that is shown, again where it changed meanwhile."""
        before = read_progress(transaction, scope.tenant)
        for _ in range(_STEADY_ATTEMPTS):
            found = work(transaction, scope.at(before.generation), before)
            after = read_progress(transaction, scope.tenant)
            if after == before:
                break
            before = after
        return found

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Raise ``StoreChanged`` in the end where the reads may not be of one state (see ``GraphStore``)."""
        if self._held.state is not None:
            yield
            return
        with self._holding(strict=True, long=True):
            yield

    def in_one_state(self, work: Callable[[], _Found]) -> _Found:
        """Return what ``work`` returns from one state, done again where the store changed (see ``GraphStore``)."""
        if self._held.state is not None:
            return work()
        for _ in range(_STEADY_ATTEMPTS - 1):
            try:
                return self._within(work, strict=True)
            except StoreChanged:
                continue
        return self._within(work, strict=False)

    def _within(self, work: Callable[[], _Found], *, strict: bool) -> _Found:
        with self._holding(strict=strict):
            return work()

    @contextmanager
    def _holding(self, *, strict: bool, long: bool = False) -> Iterator[None]:
        settings = self._neo4j_settings
        state = OneState(self._connection, self._latest, space=self._space, settings=settings, strict=strict, long=long)
        with state:
            self._held.state = state
            try:
                yield
            finally:
                self._held.state = None
