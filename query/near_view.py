"""A view of a collection too large to be read whole: what one question meets is read as it is met.

Passages get positions in the order in which they are met, and names are known once they were asked for. What it reads
depends on the question, however large the collection is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from graph_store.access import Access
from graph_store.bundles import NamePlaces, PassageLinks
from graph_store.searches import Along
from graph_store.store import GraphStore
from query.bounded_walk import NO_EDGES, EdgesOf, MetPassages, NearPassages
from query.chain_ranking.names import leading
from query.readable_view import CollectionTables, ReadableView
from query.settings import WalkBounds

_NOWHERE = NamePlaces()
_NO_NAMES: frozenset[str] = frozenset()


class NearNames:
    """The names that were asked for, with the first of their passages and with how many there are.

    Source of all is the store, within what the caller may read.
    """

    def __init__(self, met: MetPassages, *, count: int) -> None:
        self.count = count
        self._met = met
        self._places: dict[str, NamePlaces] = {}
        self._mentioned: dict[int, frozenset[str]] = {}
        self._about: dict[int, frozenset[str]] = {}

    def unknown(self, keys: Collection[str], *, homes: int) -> list[str]:
        """Return the keys of which nothing is known, or less than so many home passages, sorted."""
        return sorted(key for key in keys if key not in self._places or self._lacks_homes(key, homes))

    def _lacks_homes(self, key: str, homes: int) -> bool:
        known = self._places[key]
        return len(known.homes) < min(homes, known.home_count)

    def learn(self, keys: Collection[str], places: Mapping[str, NamePlaces]) -> None:
        """Take down where names stand; those of ``keys`` that are not among ``places`` stand nowhere."""
        for key in keys:
            self._places.setdefault(key, _NOWHERE)
        for key, found in places.items():
            known = self._places.get(key, _NOWHERE)
            self._places[key] = replace(
                found,
                homes=max(known.homes, found.homes, key=len),
                mentions=max(known.mentions, found.mentions, key=len),
            )

    def learn_of(self, place: int, *, mentioned: frozenset[str], about: frozenset[str]) -> None:
        """Take down the names of a passage."""
        self._mentioned[place], self._about[place] = leading(mentioned), leading(about)

    def homes(self, key: str) -> Sequence[int]:
        """Return the first home passages of a name."""
        return self._met.places(self._places.get(key, _NOWHERE).homes)

    def holders(self, key: str) -> Sequence[int]:
        """Return the first passages that mention a name."""
        return self._met.places(self._places.get(key, _NOWHERE).mentions)

    def home_count(self, key: str) -> int:
        """Return how many home passages a name has."""
        return self._places.get(key, _NOWHERE).home_count

    def holder_count(self, key: str) -> int:
        """Return how many passages mention a name."""
        return self._places.get(key, _NOWHERE).mention_count

    def mentioned(self, place: int) -> frozenset[str]:
        """Return the keys of the names found in a passage."""
        return self._mentioned.get(place, _NO_NAMES)

    def about(self, place: int) -> frozenset[str]:
        """Return the keys of the names of which a passage is a home."""
        return self._about.get(place, _NO_NAMES)


class NearView(ReadableView):
    """The passages that one question meets; made for one question, and not for several threads.

    ``homes`` is how many home passages of a name are told at most; it must be above what makes a name ambiguous.
    """

    def __init__(self, store: GraphStore, access: Access, tables: CollectionTables, *, count: int, homes: int) -> None:
        super().__init__(tables)
        self._store = store
        self._access = access
        self._count = count
        self._homes = homes
        self._met = MetPassages()
        self._names = NearNames(self._met, count=count)
        self._latest: NearPassages | None = None

    @property
    def count(self) -> int:
        """The number of readable passages."""
        return self._count

    @property
    def chunk_ids(self) -> Sequence[str]:
        """The passages that were met."""
        return self._met.chunk_ids

    def place(self, chunk_id: str) -> int:
        """Return the position of a readable passage, which is met by that."""
        return self._met.place(chunk_id)

    @property
    def names(self) -> NearNames:
        """The names that are known so far."""
        return self._names

    def names_among(self, keys: Collection[str]) -> NearNames:
        """Return the names with those among ``keys`` known; reads what is not."""
        unknown = self._names.unknown(keys, homes=self._homes)
        if unknown:
            self._names.learn(unknown, self._store.name_places(self._access, unknown, most=self._homes))
        return self._names

    def along(self, keys: frozenset[str]) -> Along:
        """Return what ``names_among`` will ask the store for."""
        return Along(names=frozenset(self._names.unknown(keys, homes=self._homes)), places=self._homes)

    def names_of(self, places: Sequence[int], *, holders: int = 0) -> NearNames:
        """Return the names with those of the passages at ``places`` known; reads them all."""
        ids = [self._met.chunk_ids[place] for place in places]
        found = self._store.passage_names(self._access, ids, most=holders)
        self._names.learn((), found.places)
        for place, chunk_id in zip(places, ids, strict=True):
            mentioned, about = (named.get(chunk_id, _NO_NAMES) for named in (found.mentioned, found.about))
            self._names.learn_of(place, mentioned=mentioned, about=about)
        return self._names

    def walk(self, bounds: WalkBounds) -> NearPassages:
        """Return a walk that reads edges as it goes."""
        self._latest = NearPassages(self._met, self._links, bounds=bounds)
        return self._latest

    def edges(self, place: int) -> EdgesOf:
        """Return what a passage leads to, of those that the latest walk looked up."""
        return NO_EDGES if self._latest is None else self._latest.edges(place)

    def _links(self, chunk_ids: Sequence[str], *, most: int) -> Mapping[str, PassageLinks]:
        return self._store.passage_links(self._access, chunk_ids, most=most)
