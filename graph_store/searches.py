"""Searches as records, so that several can be sent to a store at once."""

from dataclasses import dataclass
from typing import TypeAlias

from graph_store.bundles import FloatVector
from graph_store.filters import Filters
from graph_store.records import SearchKind


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordSearch:
    """What ``GraphStore.search_keywords`` is asked for."""

    text: str
    kind: SearchKind
    k: int
    filters: Filters = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorSearch:
    """What ``GraphStore.search_vectors`` is asked for; ``vector`` is (d,), of unit length."""

    vector: FloatVector
    kind: SearchKind
    k: int
    filters: Filters = ()


Search: TypeAlias = KeywordSearch | VectorSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class Along:
    """What will be asked for next: where ``names`` stand, with ``places`` passages of each; ``vectors`` of chunks."""

    names: frozenset[str] = frozenset()
    places: int = 0
    vectors: tuple[str, ...] = ()


NOTHING_ALONG = Along()
