"""Who may read what, as SQL: every read names the audiences that its caller belongs to.

An audience is a pair (tenant, groups) with a number. ``Access.may_read`` alone decides which audiences are readable, so
the rule has one home; SQL and the search indexes only compare numbers.
"""

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from graph_store.access import Access

_SCOPES_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What one call may read: a tenant and the numbers of its readable audiences.

    ``whole`` tells that no audience of the tenant is left out. ``parameters`` binds what ``readable`` refers to.
    """

    tenant: str
    audiences: tuple[int, ...]
    whole: bool

    @property
    def parameters(self) -> dict[str, str | int]:
        """The values of ``:tenant``, ``:whole`` and ``:audiences``."""
        audiences = "[]" if self.whole else json.dumps(self.audiences)
        return {"tenant": self.tenant, "whole": self.whole, "audiences": audiences}


def readable(table: str) -> str:
    """Return the condition that rows of ``table`` are readable; it has the columns tenant and audience."""
    # Where all of the tenant is readable the list of audiences, which may be long, is not even unpacked.
    audience = f"{table}.audience IN (SELECT value FROM json_each(:audiences))"
    return f"({table}.tenant = :tenant AND (:whole OR {audience}))"


class Scopes:
    """Finds out what callers may read, and remembers it until there is a new audience."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[Access, int], Scope] = OrderedDict()

    def of(self, connection: sqlite3.Connection, access: Access) -> Scope:
        """Return what the caller may read in a snapshot."""
        # Audiences are only ever added, so the last number tells whether there is a new one.
        newest = connection.execute("SELECT max(row) FROM audiences").fetchone()[0] or 0
        with self._lock:
            if (access, newest) not in self._known:
                self._known[access, newest] = _scope_of(connection, access)
                if len(self._known) > _SCOPES_KEPT:
                    self._known.popitem(last=False)
            return self._known[access, newest]


def _scope_of(connection: sqlite3.Connection, access: Access) -> Scope:
    found = _audiences(connection, access.tenant)
    allowed = tuple(row for row, groups in found if access.may_read(access.tenant, groups))
    return Scope(tenant=access.tenant, audiences=allowed, whole=len(allowed) == len(found))


def whole_tenant(connection: sqlite3.Connection, tenant: str) -> Scope:
    """Return the scope of indexing, which sees all of a tenant."""
    found = _audiences(connection, tenant)
    return Scope(tenant=tenant, audiences=tuple(row for row, _ in found), whole=True)


def _audiences(connection: sqlite3.Connection, tenant: str) -> list[tuple[int, list[str]]]:
    rows = connection.execute("SELECT row, groups FROM audiences WHERE tenant = ? ORDER BY row", (tenant,))
    return [(row, json.loads(groups)) for row, groups in rows]


def audience_row(connection: sqlite3.Connection, tenant: str, groups: Iterable[str]) -> int:
    """Return the number of an audience, making it where it is new; order and repetition of groups do not matter."""
    key = (tenant, json.dumps(sorted(set(groups)), ensure_ascii=False))
    connection.execute("INSERT OR IGNORE INTO audiences (tenant, groups) VALUES (?, ?)", key)
    found = connection.execute("SELECT row FROM audiences WHERE tenant = ? AND groups = ?", key).fetchone()
    row: int = found[0]
    return row
