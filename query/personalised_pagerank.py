"""Personalised PageRank over the passage graph."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import PassageGraph


class PassageWalk:
    """A random walk with restart on the readable passage graph, made once per graph and used for many questions.

    Each step moves the share ``damping`` of a passage's mass along its outgoing edges, in proportion to their weights
    (every passage's outgoing weights are scaled to sum 1), and the rest back to the restart passages. Mass of passages
    without outgoing edges goes back to the restart as well, so the mass stays 1.
    Source: Haveliwala, "Topic-sensitive PageRank", WWW 2002. Cost: steps x (edges + passages).
    """

    def __init__(self, graph: PassageGraph) -> None:
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
        self._flow = csr_array(out, shape=(n, n)).T.tocsr()
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
        mass = start
        for _ in range(steps):
            stranded = float(mass[self._dead_ends].sum())
            mass = damping * (self._flow @ mass) + (1.0 - damping + damping * stranded) * start
        return mass
