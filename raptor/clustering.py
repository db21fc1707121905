"""Seeded k-means into clusters of bounded size."""

import math
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatMatrix
from raptor.audience import IntVector
from raptor.settings import TreeSettings

# Mini-batch k-means is asked for this many clusters at most; what stays too large is split again.
_MINIBATCH_CLUSTERS = 256


def even_cluster_size(count: int, size: int) -> int:
    """Return the cluster size that takes ``count`` points to one root in even steps of about ``size``.

    1,000 points with size 8 give 10 (100 nodes, then 10, then the root), where eights would end in 125, 16, 2, 1: a
    last level of two says little. Never more than twice ``size``.
    """
    if count <= size:
        return size
    levels = max(round(math.log(count, size)), math.ceil(math.log(count, 2 * size) - 1e-9))
    return min(math.ceil(math.pow(count, 1 / levels) - 1e-9), 2 * size)


def cluster_points(points: FloatMatrix, settings: TreeSettings, *, size: int) -> tuple[IntVector, ...]:
    """Partition (n, d) points into clusters of about ``size`` rows by k-means.

    Every cluster has between 2 and twice ``size`` rows (n = 1 gives one cluster of one, n = 0 none), rows ascend within
    a cluster, and clusters are ordered by their first row. Up to ``size`` points are one cluster. Points that k-means
    cannot tell apart are cut into even runs in the order given. Deterministic for one order.
    """
    if len(points) == 0:
        return ()
    groups = _split(points, np.arange(len(points), dtype=np.int64), settings, size)
    return tuple(sorted(groups, key=lambda group: int(group[0])))


def _split(points: FloatMatrix, rows: IntVector, settings: TreeSettings, size: int) -> list[IntVector]:
    if len(rows) <= size:
        return [rows]
    wanted = -(-len(rows) // size)
    labels = kmeans_labels(points[rows], wanted, seed=settings.seed, minibatch_above=settings.minibatch_above)
    groups = _without_singles(points, [rows[labels == label] for label in np.unique(labels)])
    if len(groups) == 1:
        groups = [np.asarray(run, dtype=np.int64) for run in np.array_split(rows, len(rows) // size)]
    settled: list[IntVector] = []
    for group in groups:
        settled.extend(_split(points, group, settings, size) if len(group) > 2 * size else [group])
    return settled


def kmeans_labels(points: FloatMatrix, clusters: int, *, seed: int, minibatch_above: int) -> NDArray[np.int32]:
    """Return one k-means label per row; fewer labels than ``clusters`` where there are fewer distinct points.

    scikit-learn's Lloyd iterations (MiniBatchKMeans above ``minibatch_above`` rows), on one thread: sums over several
    threads are not the same on every run.
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy import, only when used
    from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy, as above
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415 - only with the above

    distinct = len(np.unique(np.round(points, 4), axis=0))
    if distinct == 1:
        return np.zeros(len(points), dtype=np.int32)
    clusters = min(clusters, distinct)
    model = (
        KMeans(clusters, n_init=2, max_iter=50, random_state=seed)
        if len(points) <= minibatch_above
        else MiniBatchKMeans(min(clusters, _MINIBATCH_CLUSTERS), n_init=2, batch_size=4096, random_state=seed)
    )
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Near duplicates can collapse into fewer clusters than asked for: the caller copes with that.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit_predict(points), dtype=np.int32)


def _without_singles(points: FloatMatrix, groups: Sequence[IntVector]) -> list[IntVector]:
    """Move points that are alone in their cluster to the nearest cluster of several; alone together they make one."""
    singles = [group for group in groups if len(group) == 1]
    kept = [group for group in groups if len(group) > 1]
    if not singles:
        return kept
    if not kept:
        return [np.sort(np.concatenate(singles))]
    centres = np.stack([points[group].mean(axis=0) for group in kept])
    for single in singles:
        nearest = int(np.argmin(np.square(centres - points[single[0]]).sum(axis=1)))
        kept[nearest] = np.append(kept[nearest], single)
    return [np.sort(group) for group in kept]
