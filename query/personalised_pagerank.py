"""Personalised PageRank over the passage graph."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import PassageGraph

# From this many passages on, only those that mass reaches are touched.
_LARGE = 10_000
# Residual mass below this is not pushed further: the error of any passage stays below it times its in-flow.
LEAST_PUSHED = 1e-5

Spread: TypeAlias = Callable[
    [NDArray[np.int64], NDArray[np.float64]], tuple[NDArray[np.int64], NDArray[np.float64], float]
]
"""Given passages and the mass that each passes on: the passages that these lead to, what each edge carries there, and
what has no edge to take."""


def push_mass(
    start: NDArray[np.float64], spread: Spread, *, damping: float, steps: int, least: float = LEAST_PUSHED
) -> NDArray[np.float64]:
    """Return the mass of every passage, (n,), after ``steps`` steps from ``start`` (n,), which has the sum 1.

    Mass is pushed from where it is; residues of at most ``least`` stay where they are. The result is longer than
    ``start`` where ``spread`` leads to passages beyond its end.
    """
    origin = np.flatnonzero(start)
    places, residue = origin, start[origin]
    mass = np.zeros_like(start)
    for _ in range(steps):
        pushed = residue > least
        mass[places] += np.where(pushed, (1.0 - damping) * residue, residue)
        targets, received, stranded = spread(places[pushed], damping * residue[pushed])
        if stranded > 0.0:
            targets, received = np.append(targets, origin), np.append(received, stranded * start[origin])
        places, inverse = np.unique(targets, return_inverse=True)
        residue = np.bincount(inverse, weights=received, minlength=len(places)).astype(np.float64)
        if len(places) and places[-1] >= len(mass):
            mass = np.concatenate((mass, np.zeros(places[-1] + 1 - len(mass))))
    mass[places] += residue
    return mass


class PassageWalk:
    """A random walk with restart on the readable passage graph, made once per graph and used for many questions.

    Each step moves the share ``damping`` of a passage's mass along its outgoing edges, in proportion to their weights
    (every passage's outgoing weights are scaled to sum 1), and the rest back to the restart passages. Mass of passages
    without outgoing edges goes back to the restart as well, so the mass stays 1.
    Source: Haveliwala, "Topic-sensitive PageRank", WWW 2002. Cost: steps x (edges + passages); from 10,000 passages on
    mass is pushed from where it is (Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS
    2006), which costs the same however large the graph is, and leaves out residues below 1e-5.
    """

    def __init__(self, graph: PassageGraph, *, large: int = _LARGE) -> None:
        # heavy import, only when used
        from scipy.sparse import csr_array  # noqa: PLC0415

        n = len(graph.chunk_ids)
        self.chunk_ids = graph.chunk_ids
        self.position: Mapping[str, int] = {chunk_id: i for i, chunk_id in enumerate(graph.chunk_ids)}
        rows = np.repeat(np.arange(n), np.diff(graph.indptr))
        out_weight = np.bincount(rows, weights=graph.weights, minlength=n)
        # In the precision of the mass: scipy would else convert the whole matrix at every step.
        shares = graph.weights.astype(np.float64) / np.maximum(out_weight[rows], 1e-12)
        # Transposed: rows are targets, so that one product is one step of the walk.
        out = (shares, graph.indices.astype(np.int32), graph.indptr.astype(np.int32))
        self._out = csr_array(out, shape=(n, n))
        self._edges = np.diff(self._out.indptr)
        self._flow = self._out.T.tocsr() if n < large else None
        self._dead_ends = np.flatnonzero(out_weight <= 0.0)

    def rank(self, restart: Mapping[int, float], *, damping: float, steps: int) -> NDArray[np.float64]:
        """Return the mass of every passage, (n,), after ``steps`` steps from ``restart`` (index -> weight, any scale).

        All zeros where the graph is empty or the restart has no mass.
        """
        start = np.zeros(len(self.chunk_ids), dtype=np.float64)
        for index, weight in restart.items():
            start[index] += weight
        total = start.sum()
        if total <= 0.0:
            return start
        start /= total
        if self._flow is None:
            return push_mass(start, self._spread, damping=damping, steps=steps)
        mass = start
        for _ in range(steps):
            stranded = float(mass[self._dead_ends].sum())
            mass = damping * (self._flow @ mass) + (1.0 - damping + damping * stranded) * start
        return mass

    def _spread(
        self, places: NDArray[np.int64], amounts: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
        """Return the passages that ``places`` lead to, what each edge carries there, and what has no edge to take."""
        begins, counts = self._out.indptr[places], self._edges[places]
        before = np.cumsum(counts) - counts
        edges = np.repeat(begins - before, counts) + np.arange(counts.sum())
        carried = self._out.data[edges] * np.repeat(amounts, counts)
        return self._out.indices[edges].astype(np.int64), carried, float(amounts[counts == 0].sum())
