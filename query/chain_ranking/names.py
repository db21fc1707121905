"""Names in passages: which a passage mentions, which it is about, and in which of its sentences a name stands."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from graph_store.bundles import PassageGraph
from graph_store.ids import name_key

_NAMES_KEPT = 8_192
_SHORTEST = 4
_NO_NAMES: frozenset[str] = frozenset()


class KnownNames(Protocol):
    """The names of passages, which are known by their positions.

    What is not read whole is known of the names and passages that were asked for before; see
    :class:`query.near_view.NearNames`.
    """

    @property
    def count(self) -> int:
        """The number of readable passages."""
        ...

    def homes(self, key: str) -> Sequence[int]:
        """Return the home passages of a name, or the first of them."""
        ...

    def holders(self, key: str) -> Sequence[int]:
        """Return the passages that mention a name, or the first of them."""
        ...

    def home_count(self, key: str) -> int:
        """Return how many home passages a name has."""
        ...

    def holder_count(self, key: str) -> int:
        """Return how many passages mention a name."""
        ...

    def mentioned(self, place: int) -> frozenset[str]:
        """Return the keys of the names found in a passage."""
        ...

    def about(self, place: int) -> frozenset[str]:
        """Return the keys of the names of which a passage is a home."""
        ...


class PassageNames:
    """The names of every passage of a passage graph. By passage they are sorted once, in O(mentions)."""

    def __init__(self, graph: PassageGraph) -> None:
        self.count = len(graph.chunk_ids)
        self._graph = graph

    def homes(self, key: str) -> Sequence[int]:
        """Return the home passages of a name."""
        return self._graph.homes.get(key, ())

    def holders(self, key: str) -> Sequence[int]:
        """Return the passages that mention a name."""
        return self._graph.mentions.get(key, ())

    def home_count(self, key: str) -> int:
        """Return how many home passages a name has."""
        return len(self.homes(key))

    def holder_count(self, key: str) -> int:
        """Return how many passages mention a name."""
        return len(self.holders(key))

    def mentioned(self, place: int) -> frozenset[str]:
        """Return the keys of the names found in a passage."""
        return self._mentioned.get(place, _NO_NAMES)

    def about(self, place: int) -> frozenset[str]:
        """Return the keys of the names of which a passage is a home."""
        return self._about.get(place, _NO_NAMES)

    @cached_property
    def _mentioned(self) -> Mapping[int, frozenset[str]]:
        return _by_passage(self._graph.mentions)

    @cached_property
    def _about(self) -> Mapping[int, frozenset[str]]:
        return _by_passage(self._graph.homes)


def is_known(names: KnownNames, key: str) -> bool:
    """Tell whether any readable passage has the name."""
    return names.home_count(key) > 0 or names.holder_count(key) > 0


def spread(names: KnownNames, key: str) -> int:
    """Return in how many passages a name stands, at least 1."""
    return max(1, names.holder_count(key), names.home_count(key))


def leading(keys: frozenset[str]) -> frozenset[str]:
    """Return the names that are long enough to lead anywhere."""
    return frozenset(key for key in keys if len(key) >= _SHORTEST)


def _by_passage(places: Mapping[str, Sequence[int]]) -> Mapping[int, frozenset[str]]:
    found: defaultdict[int, set[str]] = defaultdict(set)
    for key in leading(frozenset(places)):
        for position in places[key]:
            found[position].add(key)
    return {position: frozenset(keys) for position, keys in found.items()}


@lru_cache(maxsize=_NAMES_KEPT)
def name_text(text: str) -> str:
    """Return ``text`` as a name key with a space before and after, so that a key stands in it as whole words."""
    return f" {name_key(text)} "


def stands_in(key: str, text: str) -> bool:
    """Tell whether the name stands in ``text`` as whole words."""
    return f" {key} " in name_text(text)
