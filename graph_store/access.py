"""Who asks: the tenant and the groups of a caller, part of every read."""

from collections.abc import Iterable
from dataclasses import dataclass

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A caller. A record is readable when the tenants are equal and it has no groups or shares one with the caller."""

    tenant: str = DEFAULT_TENANT
    groups: frozenset[str] = frozenset()

    def may_read(self, tenant: str, groups: Iterable[str]) -> bool:
        """Tell whether a record of ``tenant`` that is restricted to ``groups`` may be shown to this caller."""
        wanted = frozenset(groups)
        return tenant == self.tenant and (not wanted or not wanted.isdisjoint(self.groups))
