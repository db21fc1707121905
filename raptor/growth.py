"""Growing a tree: branches are clustered and joined, level by level, until one is left."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from graph_store.bundles import FloatMatrix
from raptor.audience import AudienceView, IntVector
from raptor.branch import Branch, join, leaf
from raptor.clustering import KMeansSettings, cluster_points, even_cluster_size
from raptor.settings import TreeSettings

Clustering: TypeAlias = Callable[[Sequence[Branch], TreeSettings], tuple[IntVector, ...]]


def document_branch(view: AudienceView, rows: IntVector, settings: TreeSettings) -> Branch:
    """Return the root of a document's subtree, or its only chunk."""
    return grow(view, [leaf(view, int(row)) for row in rows], settings, in_order, last=settings.max_levels)


def grow(
    view: AudienceView, branches: Sequence[Branch], settings: TreeSettings, clustering: Clustering, *, last: int
) -> Branch:
    """Join branches level by level until one is left; on the level ``last``, all that is left is joined."""
    level = 1 + max(branch.level for branch in branches)
    while len(branches) > 1:
        groups = clustering(branches, settings) if level < last else [np.arange(len(branches))]
        branches = [join(view, [branches[row] for row in group], settings, level=level) for group in groups]
        level += 1
    return branches[0]


def by_content(branches: Sequence[Branch], settings: TreeSettings, *, size: int | None = None) -> tuple[IntVector, ...]:
    """Cluster branches by their vectors, each document counting the same, into clusters of about ``size``."""
    return cluster_points(
        _vectors(branches),
        KMeansSettings(seed=settings.seed),
        size=size or even_cluster_size(len(branches), settings.cluster_size),
        weights=np.array([branch.documents for branch in branches], dtype=np.float32),
    )


def in_order(branches: Sequence[Branch], settings: TreeSettings) -> tuple[IntVector, ...]:
    """Cluster neighbours in a document by content and place: the place is one more dimension of each point."""
    places = np.arange(len(branches), dtype=np.float32) * (settings.position_weight / settings.cluster_size)
    size = even_cluster_size(len(branches), settings.cluster_size)
    return cluster_points(
        np.hstack([_vectors(branches), places[:, np.newaxis]]), KMeansSettings(seed=settings.seed), size=size
    )


def _vectors(branches: Sequence[Branch]) -> FloatMatrix:
    return np.stack([branch.vector for branch in branches])
