"""The views of the latest callers."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from graph_store.access import Access
from graph_store.store import GraphStore
from query.near_view import NearView
from query.readable_view import SAMPLED_PASSAGES, CollectionTables, ReadableView, WholeView
from query.settings import LocalSettings

_MOST_CALLERS = 16
_Made = TypeVar("_Made")


class _Latest(Generic[_Made]):
    """What was made for the latest callers, each of the latest state of what they may read."""

    def __init__(self) -> None:
        self._made: OrderedDict[Access, tuple[object, _Made]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, access: Access, state: object, make: Callable[[], _Made]) -> _Made:
        """Return what was made for a caller of ``state``, that very object; made now where it is of another."""
        with self._lock:
            known = self._made.get(access)
            if known is None or known[0] is not state:
                known = self._made[access] = (state, make())
            self._made.move_to_end(access)
            while len(self._made) > _MOST_CALLERS:
                self._made.popitem(last=False)
            return known[1]


class ViewCache:
    """Keeps the views of the latest callers; a view is dropped as soon as the store gives another passage graph.

    Views are kept per ``Access``, so nothing of one caller's reaches another. Of a collection beyond the bounds of the
    settings only the tables are kept, and each question has a view of its own. Without settings no
    collection is beyond them.
    """

    def __init__(self, store: GraphStore, settings: LocalSettings | None = None) -> None:
        self._store = store
        self._settings = settings
        self._views: _Latest[WholeView] = _Latest()
        self._tables: _Latest[CollectionTables] = _Latest()

    def view(self, access: Access) -> ReadableView:
        """Return a view for a question of a caller on the present state of the store."""
        settings = self._settings
        if settings is not None:
            sample = self._store.passage_sample(access, most=SAMPLED_PASSAGES)
            if sample.count > settings.bounds.whole_graph:
                tables = self._tables.of(access, sample, lambda: CollectionTables(self._store, access))
                homes = max(settings.most_homes, settings.chains.most_homes) + 1
                return NearView(self._store, access, tables, count=sample.count, homes=homes)
        graph = self._store.passage_graph(access)
        return self._views.of(access, graph, lambda: WholeView(self._store, access, graph))
