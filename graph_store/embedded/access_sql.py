"""Who may read what, as SQL: every read names the audiences that its caller belongs to.

An audience is a pair (tenant, groups) with a number. ``Access.may_read`` alone decides which audiences are readable, so
the rule has one home; SQL and the search indexes only compare numbers.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from graph_store.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What one call may read: a tenant and the numbers of its readable audiences.

    ``parameters`` binds ``:tenant`` and ``:audiences`` (a JSON list), which ``readable`` refers to. ``whole`` tells
    that no audience of the tenant is left out.
    """

    tenant: str
    audiences: tuple[int, ...]
    whole: bool

    @property
    def parameters(self) -> dict[str, str]:
        """The values of ``:tenant`` and ``:audiences``."""
        return {"tenant": self.tenant, "audiences": json.dumps(self.audiences)}


def readable(table: str) -> str:
    """Return the condition that rows of ``table`` (a name or alias with an audience column) are readable."""
    return f"{table}.audience IN (SELECT value FROM json_each(:audiences))"


def scope_of(connection: sqlite3.Connection, access: Access) -> Scope:
    """Return what the caller may read."""
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
