"""What a question is asked of: the readable passages with their names and edges, and what is usual among them."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graph_store.access import Access
from graph_store.bundles import PassageGraph
from graph_store.searches import NOTHING_ALONG, Along
from graph_store.store import GraphStore
from query.bounded_walk import EdgesOf
from query.chain_ranking.background import USUAL_PASSAGES, Background
from query.chain_ranking.names import KnownNames, PassageNames
from query.personalised_pagerank import PassageWalk
from query.rarity import WordRarity, count_rarity
from query.settings import WalkBounds
from query.titles import TitleIndex

SAMPLED_PASSAGES = 1_000
"""Frequencies of common words settle quickly; a thousand passages take about 0.1 s to count, once."""


class CollectionTables:
    """What is derived once per caller and state of the store, from readable records alone; each is made when first
    used.
    """

    def __init__(self, store: GraphStore, access: Access) -> None:
        self._store = store
        self._access = access

    @cached_property
    def rarity(self) -> WordRarity:
        """Word rarity in an even sample of the readable passages."""
        sample = self._store.passage_sample(self._access, most=SAMPLED_PASSAGES)
        return count_rarity(chunk.text for chunk in self._store.chunks(self._access, sample.chunk_ids))

    @cached_property
    def background(self) -> Background:
        """A sample of the readable passages with their vectors."""
        sample = self._store.passage_sample(self._access, most=USUAL_PASSAGES)
        return Background(self._store, self._access, sample.chunk_ids)

    @cached_property
    def superseded(self) -> frozenset[str]:
        """The ids of readable documents that another readable one supersedes."""
        return self._store.superseded_documents(self._access)

    @cached_property
    def titles(self) -> TitleIndex:
        """Titles of the readable documents."""
        return TitleIndex(self._store.list_documents(self._access))


class Walk(Protocol):
    """A random walk with restart over readable passages."""

    def rank(self, restart: Mapping[int, float], *, damping: float, steps: int) -> NDArray[np.float64]:
        """Return the mass of passages by position; those beyond its end have none."""
        ...


class ReadableView(ABC):
    """The passages that one caller may read, each with a position; and the tables of the collection."""

    def __init__(self, tables: CollectionTables) -> None:
        self.tables = tables

    @property
    def rarity(self) -> WordRarity:
        """Word rarity in an even sample of the readable passages."""
        return self.tables.rarity

    @property
    def background(self) -> Background:
        """A sample of the readable passages with their vectors."""
        return self.tables.background

    @property
    def superseded(self) -> frozenset[str]:
        """The ids of readable documents that another readable one supersedes."""
        return self.tables.superseded

    @property
    def titles(self) -> TitleIndex:
        """Titles of the readable documents."""
        return self.tables.titles

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of readable passages."""

    @property
    @abstractmethod
    def chunk_ids(self) -> Sequence[str]:
        """The passages that have positions."""

    @abstractmethod
    def place(self, chunk_id: str) -> int | None:
        """Return the position of a passage; None where it is not in the view."""

    @property
    @abstractmethod
    def names(self) -> KnownNames:
        """The names that are known so far."""

    @abstractmethod
    def names_among(self, keys: Collection[str]) -> KnownNames:
        """Return the names with those among ``keys`` known."""

    def along(self, keys: frozenset[str]) -> Along:  # noqa: ARG002 - where all names are known
        """Return what ``names_among`` will ask the store for."""
        return NOTHING_ALONG

    @abstractmethod
    def names_of(self, places: Sequence[int], *, holders: int = 0) -> KnownNames:
        """Return the names with those of the passages at ``places`` known, and so many passages that mention each."""

    @abstractmethod
    def walk(self, bounds: WalkBounds) -> Walk:
        """Return a walk over the passages, within ``bounds`` where the graph is not there as a whole."""

    @abstractmethod
    def edges(self, place: int) -> EdgesOf:
        """Return what a passage leads to, as far as a walk of this view needed to know it."""


class WholeView(ReadableView):
    """A view of the whole passage graph; its tables are those of the caller where none are given."""

    def __init__(
        self, store: GraphStore, access: Access, graph: PassageGraph, *, tables: CollectionTables | None = None
    ) -> None:
        super().__init__(CollectionTables(store, access) if tables is None else tables)
        self.graph = graph

    @property
    def count(self) -> int:
        """The number of readable passages."""
        return len(self.graph.chunk_ids)

    @property
    def chunk_ids(self) -> Sequence[str]:
        """All readable passages in document order."""
        return self.graph.chunk_ids

    def place(self, chunk_id: str) -> int | None:
        """Return the position of a passage; None where it is not in the graph."""
        return self._walk.position.get(chunk_id)

    @cached_property
    def names(self) -> PassageNames:
        """The names of each readable passage."""
        return PassageNames(self.graph)

    def names_among(self, keys: Collection[str]) -> PassageNames:  # noqa: ARG002 - all are known
        """Return all names."""
        return self.names

    def names_of(self, places: Sequence[int], *, holders: int = 0) -> PassageNames:  # noqa: ARG002 - all are known
        """Return all names."""
        return self.names

    @cached_property
    def _walk(self) -> PassageWalk:
        return PassageWalk(self.graph)

    def walk(self, bounds: WalkBounds) -> PassageWalk:  # noqa: ARG002 - there is nothing to read
        """Return the walk over the whole graph."""
        return self._walk

    def edges(self, place: int) -> EdgesOf:
        """Return what a passage leads to."""
        row = slice(self.graph.indptr[place], self.graph.indptr[place + 1])
        return EdgesOf(targets=self.graph.indices[row], weights=self.graph.weights[row].astype(np.float64))
