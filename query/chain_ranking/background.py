"""A sample of readable passages: what is usual in the collection, so that nearness to a question can be judged."""

from collections.abc import Sequence

import numpy as np

from graph_store.access import Access
from graph_store.bundles import FloatMatrix, FloatVector
from graph_store.store import GraphStore
from query.chain_ranking.arrays import Matrix, Vector
from query.chain_ranking.coverage import highest_in_segments, token_table

USUAL_PASSAGES = 240
"""So many passages tell what is usual."""
_WITH_TOKENS = 4


class Background:
    """Passages evenly chosen from those that one caller may read, with vectors, and a quarter of them with tokens."""

    def __init__(self, store: GraphStore, access: Access, chunk_ids: Sequence[str]) -> None:
        vectors = store.chunk_vectors(access, chunk_ids)
        tokens = store.token_vectors(access, chunk_ids[::_WITH_TOKENS])
        self._vectors = np.array(list(vectors.values()), dtype=np.float32).reshape(-1, store.dimension)
        self._table = token_table(list(tokens.values()))

    def nearness(self, question: FloatMatrix, pieces: Matrix) -> Matrix:
        """Return (sample, w): how near each sampled passage comes to each word of a question ((q, e), (q, w))."""
        if not len(self._table.vectors):
            return np.zeros((0, pieces.shape[1]))
        cosines = (self._table.vectors @ question.T).astype(np.float64)
        return highest_in_segments(cosines, self._table.bounds[:-1], self._table.bounds[1:]) @ pieces

    def standard_cosines(self, vectors: FloatMatrix, question: FloatVector) -> Vector:
        """Return the cosines of ``vectors`` (n, d) with a question as standard scores among those of the sample."""
        cosines = (vectors @ question).astype(np.float64)
        usual = (self._vectors @ question).astype(np.float64)
        if len(usual) < 2:
            return cosines
        standard: Vector = (cosines - usual.mean()) / max(float(usual.std()), 1e-3)
        return standard
