"""Refuses a filter that no document could pass, or every one, by mistake."""

import re

from belvedere.errors import UserMistake
from graph_store.access import Access
from graph_store.filters import Filters, MetadataFilter
from graph_store.store import GraphStore

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_ORDER = frozenset({"<", "<=", ">", ">="})


class FilterMismatch(UserMistake):
    """A filter that compares numbers with a text."""


def check_filters(store: GraphStore, access: Access, filters: Filters) -> None:
    """Raise ``FilterMismatch`` for an order between a text and a key whose readable values are all numbers.

    Raises ``UnknownMetadataKey`` for a key that no readable document has.
    """
    for condition in filters:
        if condition.operator not in _ORDER or _NUMBER.fullmatch(condition.value):
            continue
        # Any value is a text that is not below "".
        told = store.filtered_documents(access, (MetadataFilter(key=condition.key, operator=">=", value=""),))
        if told and told == store.filtered_documents(access, _any_number(condition.key)):
            raise FilterMismatch(
                f"the filter {condition.key}{condition.operator}{condition.value} compares numbers with a text: "
                f"all values of {condition.key!r} are numbers, and {condition.value!r} is none"
            )


def _any_number(key: str) -> Filters:
    """Return filters that numbers alone pass: as texts the upper bound stands before the lower one ("+" before "-")."""
    return (
        MetadataFilter(key=key, operator="<=", value="+9e999"),
        MetadataFilter(key=key, operator=">=", value="-9e999"),
    )
