"""What callers read of the passage graph of a store on a Neo4j server: whole, or what one question needs of it."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as AnyCollection
from typing import TypeVar

from graph_store.access import Access
from graph_store.bundles import NamePlaces, NamesOfPassages, PassageGraph, PassageLinks, PassageSample
from graph_store.neo4j import near_names, passage_graph
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.scope import Scope
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.state_reads import StateReads
from graph_store.neo4j.store_state import Progress
from graph_store.remembered import Remembered
from graph_store.settings import Neo4jSettings

_Found = TypeVar("_Found")

_GRAPHS_KEPT = 8
_SAMPLES_KEPT = 16


class PassageReads(StateReads):
    """The reads of the passage graph; every one takes an ``Access`` and shows what the caller may read."""

    def __init__(self, connection: Connection, space: StoredSpace, settings: Neo4jSettings) -> None:
        super().__init__(connection, space, settings)
        self._graphs: Remembered[PassageGraph] = Remembered(_GRAPHS_KEPT)
        self._samples: Remembered[PassageSample] = Remembered(_SAMPLES_KEPT)

    def passage_graph(self, access: Access) -> PassageGraph:
        """Return the readable part of the passage graph."""

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> PassageGraph:
            key = (scope, progress.data, progress.derived)
            return self._graphs.of(key, lambda: passage_graph.read_graph(transaction, scope))

        return self._read(access, work)

    def passage_sample(self, access: Access, *, most: int) -> PassageSample:
        """Count the readable chunks and choose ``most`` of them evenly (see ``GraphStore``)."""

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> PassageSample:
            key = (scope, progress, most)
            return self._samples.of(key, lambda: near_names.read_sample(transaction, scope, most=most))

        return self._read(access, work)

    def name_places(self, access: Access, keys: AnyCollection[str], *, most: int) -> Mapping[str, NamePlaces]:
        """Return name key -> where it stands, for the names among ``keys`` that a readable passage has."""

        def work(transaction: Transaction, scope: Scope) -> Mapping[str, NamePlaces]:
            if (held := self._passages(access, 0)) is None:
                return near_names.read_name_places(transaction, scope, keys, most=most)
            return held.places(scope, keys, most=most)

        return self._read_names(access, {}, work)

    def passage_names(self, access: Access, chunk_ids: Sequence[str], *, most: int) -> NamesOfPassages:
        """Return the names of the readable chunks among ``chunk_ids``, and where these stand."""
        held = self._passages(access, len(chunk_ids))

        def work(transaction: Transaction, scope: Scope) -> NamesOfPassages:
            if held is None:
                return near_names.read_passage_names(transaction, scope, chunk_ids, most=most)
            return held.names(scope, chunk_ids, most=most)

        return self._read_names(access, near_names.NO_NAMES, work)

    def _read_names(self, access: Access, nothing: _Found, work: Callable[[Transaction, Scope], _Found]) -> _Found:
        """Read by the index of names; a tenant that is not known has none."""
        return self._read(access, lambda tx, scope, found: nothing if found == Progress() else work(tx, scope))

    def passage_links(self, access: Access, chunk_ids: Sequence[str], *, most: int) -> Mapping[str, PassageLinks]:
        """Return chunk id -> the ``most`` strongest edges of readable chunks."""
        return self._read(access, lambda tx, scope, _: passage_graph.read_links(tx, scope, chunk_ids, most=most))
