"""Whether a store changed while it was read: the place of the snapshots that a Neo4j server does not give.

A process remembers how far each tenant was when it last looked. What it reads next is read as of then, without asking;
at the end it looks again, and where the tenant went on, what was read is thrown away and read anew.
"""

import threading
from collections import OrderedDict
from types import TracebackType
from typing import Literal

from graph_store.errors import SpaceIncomplete, StoreChanged, StoreMissing, StoreSwitched, StoreUnusable
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.passage_memo import PassageMemo
from graph_store.neo4j.scope import Scope
from graph_store.neo4j.slots import StoredSpace, StoredSpare
from graph_store.neo4j.space_state import Spaces, check_filled, check_space, check_store
from graph_store.neo4j.statements import Statements
from graph_store.neo4j.store_state import Progress, look, no_store, read_tenants
from graph_store.settings import Neo4jSettings

_TENANTS_KEPT = 1_000


class LatestProgress:
    """How far tenants were when this process last looked; threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Progress] = OrderedDict()

    def of(self, tenant: str) -> Progress | None:
        """Return how far a tenant was; None where nobody looked yet."""
        with self._lock:
            return self._known.get(tenant)

    def learn(self, tenant: str, progress: Progress) -> None:
        """Remember how far a tenant is."""
        with self._lock:
            self._known[tenant] = progress
            self._known.move_to_end(tenant)
            if len(self._known) > _TENANTS_KEPT:
                self._known.popitem(last=False)


class OneState:
    """The reads of one piece of work in one thread; ends by raising ``StoreChanged`` where they may not fit together.

    Where vectors were read it raises ``StoreSwitched`` as soon as their space is not the live one any more, and
    ``SpaceIncomplete`` where the spare one is read that lacks vectors since documents were written.

    Where the work failed the change is told in the place of its error, which it may well be the reason of. With
    ``strict`` false the work is let through as it went, as far as documents and what is derived from them go. Work that
    is ``long`` begins with a look at how far things are, and nothing that it reads of passages is kept.
    """

    def __init__(
        self,
        connection: Connection,
        latest: LatestProgress,
        *,
        space: StoredSpace,
        settings: Neo4jSettings,
        strict: bool,
        long: bool = False,
    ) -> None:
        self.statements = Statements(connection, settings)
        self.keeps_passages = not long
        """Whether what is read of passages is kept until the end."""
        self._strict = strict
        self._looks_first = long or not strict
        self._latest = latest
        self._seen: dict[str, Progress] = {}
        self._tenants: tuple[str, ...] | None = None
        self._memos: dict[Scope, PassageMemo] = {}
        self._space = space
        self._address = str(connection.address)
        self._has_vectors = False

    def progress(self, tenant: str) -> Progress:
        """Return how far a tenant is taken to be."""
        if tenant not in self._seen:
            known = self._latest.of(tenant)
            if known is None or self._looks_first:
                known = self._look([tenant])[0][tenant]
            self._seen[tenant] = known
        return self._seen[tenant]

    def tenants(self) -> tuple[str, ...]:
        """Return the tenants of the store, which are to be the same in the end."""
        if self._tenants is None:
            self._tenants = read_tenants(self.statements)
        return self._tenants

    def _has_other_tenants(self) -> bool:
        return self._tenants is not None and self._tenants != read_tenants(self.statements)

    def memo(self, scope: Scope) -> PassageMemo:
        """Return what was read of the passages in a scope."""
        return self._memos.setdefault(scope, PassageMemo(self.statements, scope, self._space))

    def vectors_are_read(self) -> None:
        """Take down that vectors are read, or compared with one."""
        self._has_vectors = True

    def _look(self, tenants: list[str]) -> tuple[dict[str, Progress], Spaces]:
        """Look how far tenants are; raises ``StoreMissing``, and ``StoreSwitched`` where there is another store."""
        try:
            found, spaces = look(self.statements, tenants)
        except StoreMissing:
            raise no_store(self._address) from None
        check_store(self._space, spaces, address=self._address)
        for tenant, progress in found.items():
            self._latest.learn(tenant, progress)
        return found, spaces

    def __enter__(self) -> "OneState":
        """Return the state itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        """Look again; raises ``StoreChanged`` and ``StoreSwitched``."""
        with self.statements:
            # A server that cannot be used would not tell what changed either.
            tells = error is None or (isinstance(error, Exception) and not isinstance(error, StoreUnusable))
            has_read = bool(self._seen) or self._tenants is not None
            if tells and has_read and (self._strict or self._has_vectors):
                self._look_again(error)
        return False

    def _look_again(self, error: BaseException | None) -> None:
        found, spaces = self._look(sorted(self._seen))
        if self._has_vectors:
            try:
                check_space(self._space, spaces, address=self._address)
                if isinstance(self._space, StoredSpare):  # whoever writes documents fills the live space alone
                    check_filled(self.statements, self._space)
            except (StoreSwitched, SpaceIncomplete) as known:
                raise known from error
        if self._strict and (found != self._seen or self._has_other_tenants()):
            raise StoreChanged(
                f"the store {self._address!r} was written to while it was read: run again when nobody writes to it"
            ) from error
