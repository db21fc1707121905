"""The passage graph: which chunk leads to which.

An edge leads from a chunk to the chunk that is *about* a name it mentions, and half as strongly back; between chunks
that share an uncommon entity, the rarer the stronger; and weakly between neighbours of one document. Aboutness is what
makes a walk on this graph find the second half of an answer; entities that everything mentions would only dilute it.
All chunks of a collection are of one tenant, so no edge crosses tenants.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from graph_store.bundles import Collection
from graph_store.ids import name_key
from graph_store.records import Chunk, NamedHome, PassageEdge
from indexing.passage_graph_settings import GraphSettings
from indexing.resolution import Resolution

Weights = defaultdict[tuple[str, str], float]
_WORD = re.compile(r"\w+")
_NAMED = frozenset({"title", "heading"})


def build_passage_edges(
    collection: Collection, resolution: Resolution, settings: GraphSettings
) -> tuple[PassageEdge, ...]:
    """Return the edges, ordered by source and target, one per pair; weights of several reasons add up.

    Time is linear in the words of the collection, plus for each entity the square of its at most
    ``max_entity_chunks`` chunks.
    """
    weights: Weights = defaultdict(float)
    _add_home_edges(weights, collection, settings)
    _add_entity_edges(weights, resolution, settings)
    _add_neighbour_edges(weights, collection.chunks, settings)
    return tuple(
        PassageEdge(source_id=source, target_id=target, weight=round(weight, 6))
        for (source, target), weight in sorted(weights.items())
        if weight > 0
    )


def _add_home_edges(weights: Weights, collection: Collection, settings: GraphSettings) -> None:
    homes = home_weights(collection, settings)
    finder = NameFinder(homes)
    best: defaultdict[tuple[str, str], float] = defaultdict(float)
    for chunk in collection.chunks:
        for key in finder.names_in(chunk.text):
            for home, weight in homes[key].items():
                best[chunk.id, home] = max(best[chunk.id, home], weight)
    for (source, target), weight in best.items():
        if source != target:
            weights[source, target] += weight
            weights[target, source] += weight * settings.reverse_share


def home_weights(collection: Collection, settings: GraphSettings) -> Mapping[str, Mapping[str, float]]:
    """Map the name keys worth following to their home chunks: long enough, at home in few documents.

    Titles and headings are the best witnesses. What a text's own sentences tell is weaker: a lead subject counts only
    in a document whose title gives no name, a definition only for a name that has no other home.
    """
    document_of = {chunk.id: chunk.document_id for chunk in collection.chunks}
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for home in _best_witnesses(collection.homes):
        key = name_key(home.name)
        if len(key) >= settings.min_name_length and len(key.split()) <= settings.max_name_words:
            weight = settings.home_weight if home.kind in _NAMED else settings.told_home_weight
            found[key][home.chunk_id] = max(found[key].get(home.chunk_id, 0.0), weight)
    return {
        key: chunks
        for key, chunks in found.items()
        if len({document_of[chunk_id] for chunk_id in chunks}) <= settings.max_homes
    }


def _best_witnesses(homes: Sequence[NamedHome]) -> list[NamedHome]:
    titled = {home.chunk_id for home in homes if home.kind == "title"}
    kept = [
        home for home in homes if home.kind in _NAMED or (home.kind == "lead_subject" and home.chunk_id not in titled)
    ]
    known = {name_key(home.name) for home in kept}
    return kept + [home for home in homes if home.kind == "definition" and name_key(home.name) not in known]


class NameFinder:
    """Finds names in texts as runs of words, the longest at each place; single words only where not in lower case."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = frozenset(keys)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for key in self._keys:
            words = key.split()
            lengths[words[0]].add(len(words))
        self._lengths = {word: sorted(found, reverse=True) for word, found in lengths.items()}

    def names_in(self, text: str) -> set[str]:
        """Return the keys that stand in ``text``."""
        written = _WORD.findall(unicodedata.normalize("NFKC", text))
        words = [word.casefold() for word in written]
        found = set()
        position = 0
        while position < len(words):
            key, length = self._longest(words, position)
            if length == 1 and written[position].islower():
                key = ""
            if key:
                found.add(key)
            position += max(length, 1)
        return found

    def _longest(self, words: Sequence[str], position: int) -> tuple[str, int]:
        for length in self._lengths.get(words[position], ()):
            key = " ".join(words[position : position + length])
            if key in self._keys and position + length <= len(words):
                return key, length
        return "", 0


def _add_entity_edges(weights: Weights, resolution: Resolution, settings: GraphSettings) -> None:
    chunks: defaultdict[str, set[str]] = defaultdict(set)
    for mention in resolution.mentions:
        chunks[mention.entity_id].add(mention.chunk_id)
    for found in chunks.values():
        if 2 <= len(found) <= settings.max_entity_chunks:
            share = settings.entity_weight / (len(found) - 1)
            for pair in _ordered_pairs(sorted(found)):
                weights[pair] += share


def _ordered_pairs(items: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((first, second) for first in items for second in items if first != second)


def _add_neighbour_edges(weights: Weights, chunks: Sequence[Chunk], settings: GraphSettings) -> None:
    ordered = sorted(chunks, key=lambda chunk: (chunk.document_id, chunk.position))
    for first, second in pairwise(ordered):
        if first.document_id == second.document_id:
            weights[first.id, second.id] += settings.neighbour_weight
            weights[second.id, first.id] += settings.neighbour_weight
