"""Seeded k-means into clusters of bounded size."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatMatrix
from raptor.audience import FloatArray, IntVector

MINIBATCH_ABOVE = 20_000
"""Points above which mini-batch k-means is used: Lloyd's iterations over all points take minutes there."""

# Clusters that k-means is asked for at once: each costs every point a product. What stays too large is split again.
_MOST_CLUSTERS = 512


def even_cluster_size(count: int, size: int) -> int:
    """Return the cluster size that takes ``count`` points to one root in even steps of about ``size``.

    1,000 points with size 8 give 10 (100 nodes, then 10, then the root), where eights would end in 125, 16, 2, 1: a
    last level of two says little. Never more than twice ``size``.
    """
    if count <= size:
        return size
    levels = max(round(math.log(count, size)), math.ceil(math.log(count, 2 * size) - 1e-9))
    return min(math.ceil(math.pow(count, 1 / levels) - 1e-9), 2 * size)


@dataclass(frozen=True, slots=True, kw_only=True)
class KMeansSettings:
    """The seed of k-means, and the number of points above which its mini-batch form is used."""

    seed: int
    minibatch_above: int = MINIBATCH_ABOVE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Points:
    """(n, d) vectors with (n,) positive weights."""

    vectors: FloatMatrix
    weights: FloatArray


def cluster_points(
    vectors: FloatMatrix, settings: KMeansSettings, *, size: int, weights: FloatArray | None = None
) -> tuple[IntVector, ...]:
    """Partition (n, d) points into clusters of about ``size`` rows by k-means.

    Every cluster has between 2 and twice ``size`` rows (n = 1 gives one cluster of one, n = 0 none), rows ascend within
    a cluster, and clusters are ordered by their first row. Up to ``size`` points are one cluster. Points that k-means
    cannot tell apart are cut into even runs in the order given. ``weights`` (n,) say how much each point pulls; all the
    same where None. Deterministic for one order.
    """
    if len(vectors) == 0:
        return ()
    points = _Points(vectors=vectors, weights=np.ones(len(vectors), dtype=np.float32) if weights is None else weights)
    groups = _split(points, np.arange(len(vectors), dtype=np.int64), size, settings)
    return tuple(sorted(groups, key=lambda group: int(group[0])))


def _split(points: _Points, rows: IntVector, size: int, settings: KMeansSettings) -> list[IntVector]:
    if len(rows) <= size:
        return [rows]
    labels = kmeans_labels(points.vectors[rows], settings, clusters=-(-len(rows) // size), weights=points.weights[rows])
    groups = _without_singles(points.vectors, [rows[labels == label] for label in np.unique(labels)])
    if len(groups) == 1:
        groups = [np.asarray(run, dtype=np.int64) for run in np.array_split(rows, len(rows) // size)]
    settled: list[IntVector] = []
    for group in groups:
        settled.extend(_split(points, group, size, settings) if len(group) > 2 * size else [group])
    return settled


def kmeans_labels(
    vectors: FloatMatrix, settings: KMeansSettings, *, clusters: int, weights: FloatArray
) -> NDArray[np.int32]:
    """Return one k-means label per row; fewer labels than ``clusters`` where there are fewer distinct points.

    scikit-learn's Lloyd iterations, MiniBatchKMeans for many points, on one thread: sums over several threads are not
    the same on every run.
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy import, only when used
    from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy, as above
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415 - only with the above

    distinct = len(np.unique(np.round(vectors, 4), axis=0))
    if distinct == 1:
        return np.zeros(len(vectors), dtype=np.int32)
    clusters = min(clusters, distinct, _MOST_CLUSTERS)
    model = (
        KMeans(clusters, n_init=2, max_iter=50, random_state=settings.seed)
        if len(vectors) <= settings.minibatch_above
        else MiniBatchKMeans(clusters, n_init=2, batch_size=4096, random_state=settings.seed)
    )
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Near duplicates can collapse into fewer clusters than asked for: the caller copes with that.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit_predict(vectors, sample_weight=weights), dtype=np.int32)


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
