"""Names in passages: which a passage mentions, which it is about, and in which of its sentences a name stands."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from graph_store.bundles import PassageGraph
from graph_store.ids import name_key

_NAMES_KEPT = 8_192
_SHORTEST = 4


class PassageNames:
    """The names of every passage of a passage graph, by position.

    ``mentioned[i]`` are the keys of names found in passage i, ``about[i]`` those of which it is a home passage.
    Made once per graph, O(mentions).
    """

    def __init__(self, graph: PassageGraph) -> None:
        self.count = len(graph.chunk_ids)
        self.holders: Mapping[str, tuple[int, ...]] = graph.mentions
        self.homes: Mapping[str, tuple[int, ...]] = graph.homes
        self.mentioned = _by_passage(graph.mentions)
        self.about = _by_passage(graph.homes)

    def spread(self, key: str) -> int:
        """Return in how many passages a name stands, at least 1."""
        return max(1, len(self.holders.get(key, ())), len(self.homes.get(key, ())))


def _by_passage(places: Mapping[str, Sequence[int]]) -> Mapping[int, frozenset[str]]:
    found: defaultdict[int, set[str]] = defaultdict(set)
    for key, positions in places.items():
        if len(key) >= _SHORTEST:
            for position in positions:
                found[position].add(key)
    return {position: frozenset(keys) for position, keys in found.items()}


@lru_cache(maxsize=_NAMES_KEPT)
def name_text(text: str) -> str:
    """Return ``text`` as a name key with a space before and after, so that a key stands in it as whole words."""
    return f" {name_key(text)} "


def stands_in(key: str, text: str) -> bool:
    """Tell whether the name stands in ``text`` as whole words."""
    return f" {key} " in name_text(text)
