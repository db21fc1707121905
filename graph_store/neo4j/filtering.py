"""Which documents a search may look at, read within the access of its caller."""

from collections.abc import Iterable
from dataclasses import dataclass

from graph_store.document_filters import DocumentCard, is_effective, passing_cards, superseded
from graph_store.filter_mistakes import check_count
from graph_store.filters import Filters, MetadataFilter, Versions
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.scope import Scope, readable
from graph_store.packing import unpack_metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """The documents that pass: all but ``excluded``, and only ``included`` where those are named."""

    included: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()

    @property
    def limits(self) -> bool:
        """Whether anything is left out."""
        return self.included is not None or bool(self.excluded)


ALL = Passing()
"""No document is left out."""


def passing_documents(transaction: Transaction, scope: Scope, filters: Filters) -> Passing:
    """Return which documents pass all filters.

    The usual filter, the current versions, costs little: only documents that supersede others are looked at. Raises
    ``TooManyConditions``, and ``UnknownMetadataKey`` and ``IncomparableValue`` by what the caller may read alone.
    """
    check_count(filters)
    conditions = [item for item in filters if isinstance(item, MetadataFilter)]
    versions = [item for item in filters if isinstance(item, Versions)]
    for condition in conditions:
        condition.key.encode("utf-8")
    hidden: frozenset[str] = frozenset()
    for version in versions:
        if not version.all_versions:
            hidden |= read_superseded(transaction, scope, version.as_of)
    days = [version.as_of for version in versions if version.as_of is not None]
    if not conditions and not days:
        return Passing(excluded=hidden)
    cards = _read_cards(transaction, scope)
    left = passing_cards(cards, conditions)
    return Passing(included=_effective(left, days) - hidden)


def _effective(cards: Iterable[DocumentCard], days: list[str]) -> frozenset[str]:
    return frozenset(
        card.id for card in cards if all(is_effective(card.effective_from, card.effective_to, day) for day in days)
    )


def read_superseded(transaction: Transaction, scope: Scope, day: str | None) -> frozenset[str]:
    """Return the readable documents that another readable one, effective on the day, supersedes."""
    found = transaction.rows(
        "MATCH (d:Document {tenant: $tenant}) WHERE d.supersedes IS NOT NULL"
        f" AND {readable('d')} UNWIND d.supersedes AS id"
        f" MATCH (o:Document {{tenant: $tenant, id: id}}) WHERE {readable('o')}"
        " RETURN d.id, o.id, d.effective_from, d.effective_to",
        **scope.parameters,
    )
    return superseded((newer, older) for newer, older, first, last in found if is_effective(first, last, day))


def _read_cards(transaction: Transaction, scope: Scope) -> list[DocumentCard]:
    found = transaction.rows(
        f"MATCH (d:Document {{tenant: $tenant}}) WHERE {readable('d')}"
        " RETURN d.id, d.metadata, d.effective_from, d.effective_to ORDER BY d.id",
        **scope.parameters,
    )
    return [
        DocumentCard(id=row[0], metadata=unpack_metadata(row[1]), effective_from=row[2], effective_to=row[3])
        for row in found
    ]


def all_passing(transaction: Transaction, scope: Scope, passing: Passing) -> frozenset[str]:
    """Return the ids of all readable documents that pass."""
    if passing.included is not None:
        return passing.included
    found = transaction.rows(
        f"MATCH (d:Document {{tenant: $tenant}}) WHERE {readable('d')} RETURN d.id", **scope.parameters
    )
    return frozenset(row[0] for row in found) - passing.excluded
