import numpy as np
import pytest

from benchmarks.incremental import modularity
from indexing.communities.entity_graph import EntityGraph


def two_triangles() -> EntityGraph:
    """Two triangles with one edge between them, all of weight 1."""
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]
    sources, targets = (np.array(column, dtype=np.int64) for column in zip(*edges, strict=True))
    return EntityGraph(size=6, sources=sources, targets=targets, weights=np.ones(7, dtype=np.float64))


@pytest.mark.parametrize(
    ("labels", "value"),
    [("aaabbb", 6 / 7 - 0.5), ("aaaaaa", 0.0), ("aaa   ", 3 / 7 - (49 + 9 + 4 + 4) / 196)],
)
def test_modularity_is_that_of_newman(labels: str, value: float) -> None:
    assert modularity(two_triangles(), [label.strip() for label in labels]) == pytest.approx(value)
