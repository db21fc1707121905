"""Who may read what, as tokens: every query names those of its caller, and every record those that open it.

A token stands for a group of a tenant, or for everybody of a tenant; it is made of lower-case letters and digits, so a
full-text index keeps it as one term. A record may be read by those who have one of its tokens, which is the rule of
``Access.may_read``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from graph_store.access import Access
from graph_store.ids import stable_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What one call may read: a tenant, the caller's tokens (None: all of the tenant), the generation that counts."""

    tenant: str
    tokens: tuple[str, ...] | None
    generation: int = 0

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of ``$tenant``, ``$tokens`` and ``$generation``."""
        tokens = None if self.tokens is None else list(self.tokens)
        return {"tenant": self.tenant, "tokens": tokens, "generation": self.generation}

    def at(self, generation: int) -> "Scope":
        """Return the scope within a generation of the derived layer."""
        return replace(self, generation=generation)


def scope_of(access: Access) -> Scope:
    """Return what a caller may read."""
    groups = (stable_id("g", access.tenant, group) for group in sorted(access.groups))
    return Scope(tenant=access.tenant, tokens=(_everybody(access.tenant), *groups))


def whole_tenant(tenant: str) -> Scope:
    """Return the scope of indexing, which sees all of a tenant."""
    return Scope(tenant=tenant, tokens=None)


def record_tokens(tenant: str, groups: Iterable[str]) -> list[str]:
    """Return the tokens that open a record."""
    return [stable_id("g", tenant, group) for group in sorted(set(groups))] or [_everybody(tenant)]


def _everybody(tenant: str) -> str:
    return stable_id("p", tenant)


def readable(name: str) -> str:
    """Return the condition that the node ``name`` of a query is readable."""
    return f"({name}.tenant = $tenant AND ($tokens IS NULL OR any(token IN {name}.acl WHERE token IN $tokens)))"
