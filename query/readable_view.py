"""What is derived once per caller and state of the store: the walk over the passage graph, the rarity of words."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property

from graph_store.access import Access
from graph_store.bundles import PassageGraph, PassageLinks
from graph_store.store import GraphStore
from query.chain_ranking.background import Background
from query.chain_ranking.names import PassageNames
from query.personalised_pagerank import PassageWalk
from query.rarity import WordRarity, count_rarity
from query.titles import TitleIndex

# Frequencies of common words settle quickly; a thousand passages take about 0.1 s to count, once.
_SAMPLED_PASSAGES = 1_000
_MOST_VIEWS = 16


class ReadableView:
    """The derived tables of one caller, from readable records alone; each is made when first used.

    The graph may be one without edges (see ``PassageGraph.whole``), which are then looked up for each question.
    """

    def __init__(self, store: GraphStore, access: Access, graph: PassageGraph) -> None:
        self.graph = graph
        self._store = store
        self._access = access

    @cached_property
    def walk(self) -> PassageWalk:
        """The walk over the readable passage graph; one without edges knows the places of passages alone."""
        return PassageWalk(self.graph)

    def links(self, places: Sequence[int], *, most: int) -> Mapping[str, PassageLinks]:
        """Read the strongest edges of the passages at ``places`` of the graph: chunk id -> links."""
        return self._store.passage_links(self._access, [self.graph.chunk_ids[place] for place in places], most=most)

    @cached_property
    def rarity(self) -> WordRarity:
        """Word rarity in an even sample of the readable passages."""
        ids = self.graph.chunk_ids
        step = max(1, len(ids) // _SAMPLED_PASSAGES)
        return count_rarity(chunk.text for chunk in self._store.chunks(self._access, ids[::step][:_SAMPLED_PASSAGES]))

    @cached_property
    def names(self) -> PassageNames:
        """The names of each readable passage."""
        return PassageNames(self.graph)

    @cached_property
    def background(self) -> Background:
        """A sample of the readable passages with their vectors."""
        return Background(self._store, self._access, self.graph.chunk_ids)

    @cached_property
    def superseded(self) -> frozenset[str]:
        """The ids of readable documents that another readable one supersedes."""
        return self._store.superseded_documents(self._access)

    @cached_property
    def titles(self) -> TitleIndex:
        """Titles of the readable documents."""
        return TitleIndex(self._store.list_documents(self._access))


class ViewCache:
    """Keeps the views of the latest callers; a view is dropped as soon as the store gives another passage graph.

    Views are kept per ``Access``, so nothing of one caller's reaches another. Graphs over more passages than
    ``whole_up_to`` are without edges.
    """

    def __init__(self, store: GraphStore, *, whole_up_to: int | None = None) -> None:
        self._store = store
        self._whole_up_to = whole_up_to
        self._views: OrderedDict[Access, ReadableView] = OrderedDict()
        self._lock = threading.Lock()

    def view(self, access: Access) -> ReadableView:
        """Return the view of a caller on the present state of the store."""
        graph = self._store.passage_graph(access, whole_up_to=self._whole_up_to)
        with self._lock:
            known = self._views.get(access)
            if known is None or known.graph is not graph:
                known = ReadableView(self._store, access, graph)
                self._views[access] = known
            self._views.move_to_end(access)
            while len(self._views) > _MOST_VIEWS:
                self._views.popitem(last=False)
            return known
