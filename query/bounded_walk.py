"""A walk over what is near its start, for graphs that are too large to be read whole.

What it reads depends on the question alone, however large the collection is: a fixed number of reads, each of a fixed
number of passages with a fixed number of edges.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import PassageLinks
from query.personalised_pagerank import LEAST_PUSHED, push_mass
from query.settings import WalkBounds

Places: TypeAlias = NDArray[np.int64]
Amounts: TypeAlias = NDArray[np.float64]


class ReadLinks(Protocol):
    """Reads the strongest edges of passages at once: chunk id -> links."""

    def __call__(self, chunk_ids: Sequence[str], *, most: int) -> Mapping[str, PassageLinks]:
        """Return the links of the passages that have any."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgesOf:
    """The edges of one passage: positions, and weights that are not normalised."""

    targets: Places
    weights: Amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEdges(EdgesOf):
    """The edges of one passage that were read, with the share of all its edges that each has."""

    shares: Amounts


NO_EDGES = KnownEdges(targets=np.zeros(0, dtype=np.int64), weights=np.zeros(0), shares=np.zeros(0))


class MetPassages:
    """Passages with positions, in the order in which they were met."""

    def __init__(self) -> None:
        self.chunk_ids: list[str] = []
        self._position: dict[str, int] = {}

    def place(self, chunk_id: str) -> int:
        """Return the position of a passage, the next where it was not met before."""
        place = self._position.setdefault(chunk_id, len(self.chunk_ids))
        if place == len(self.chunk_ids):
            self.chunk_ids.append(chunk_id)
        return place

    def places(self, chunk_ids: Iterable[str]) -> list[int]:
        """Return the positions of passages."""
        return [self.place(chunk_id) for chunk_id in chunk_ids]


class NearPassages:
    """The edges of what a walk reaches, as far as they were read; made for one walk.

    In each of the first ``hops`` steps that reach anything new, the passages with most mass to pass on are looked up
    together. Mass of others, and what edges beyond the strongest would carry, is stranded: it goes back to the start.
    """

    def __init__(self, met: MetPassages, read: ReadLinks, *, bounds: WalkBounds) -> None:
        self._met = met
        self._read = read
        self._bounds = bounds
        self._reads_left = bounds.hops
        self._known: dict[int, KnownEdges] = {}

    def rank(
        self, restart: Mapping[int, float], *, damping: float, steps: int, least: float = LEAST_PUSHED
    ) -> NDArray[np.float64]:
        """Return what ``PassageWalk.rank`` does, to within what is stranded and residues of at most ``least``.

        That is the mass of the passages that were met when the walk ended, or of the first of them.
        """
        start = np.zeros(len(self._met.chunk_ids), dtype=np.float64)
        for index, weight in restart.items():
            start[index] += weight
        total = start.sum()
        if total <= 0.0:
            return start
        return push_mass(start / total, self._spread, damping=damping, steps=steps, least=least)

    def edges(self, place: int) -> KnownEdges:
        """Return the edges of a passage that the walk looked up, none of others."""
        return self._known.get(place, NO_EDGES)

    def _spread(self, places: Places, amounts: Amounts) -> tuple[Places, Amounts, float]:
        self._look_up(places, amounts)
        rows = [self.edges(place) for place in places.tolist()]
        if not rows:
            return np.zeros(0, dtype=np.int64), np.zeros(0), 0.0
        targets = np.concatenate([row.targets for row in rows])
        carried = np.concatenate([row.shares for row in rows]) * np.repeat(amounts, [len(row.targets) for row in rows])
        return targets, carried, max(0.0, float(amounts.sum() - carried.sum()))

    def _look_up(self, places: Places, amounts: Amounts) -> None:
        """Read the edges of those of ``places`` that have most to pass on, ties by position, where any is unknown."""
        unknown = [(-amount, place) for place, amount in zip(places.tolist(), amounts.tolist(), strict=True)]
        wanted = [place for _, place in sorted(unknown) if place not in self._known][: self._bounds.passages]
        if not wanted or not self._reads_left:
            return
        self._reads_left -= 1
        found = self._read([self._met.chunk_ids[place] for place in wanted], most=self._bounds.edges)
        for place in wanted:
            links = found.get(self._met.chunk_ids[place])
            self._known[place] = NO_EDGES if links is None else self._placed(links)

    def _placed(self, links: PassageLinks) -> KnownEdges:
        weights = links.weights.astype(np.float64)
        return KnownEdges(
            targets=np.array(self._met.places(links.targets), dtype=np.int64),
            weights=weights,
            shares=weights / max(links.total, 1e-12),
        )
