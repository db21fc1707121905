import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.bundles import FloatMatrix
from raptor.clustering import KMeansSettings, cluster_points, even_cluster_size, kmeans_labels

SEEDED = KMeansSettings(seed=0)


def _points(count: int, seed: int = 0, dimension: int = 6) -> FloatMatrix:
    points = np.random.default_rng(seed).standard_normal((count, dimension))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points.astype(np.float32)


def test_no_points_give_no_clusters() -> None:
    assert cluster_points(np.zeros((0, 3), dtype=np.float32), SEEDED, size=4) == ()


def test_up_to_one_cluster_size_stays_together() -> None:
    (cluster,) = cluster_points(_points(4), SEEDED, size=4)
    assert cluster.tolist() == [0, 1, 2, 3]


def test_two_points_for_ten_clusters_end_well() -> None:
    assert set(kmeans_labels(_points(2), SEEDED, clusters=10, weights=np.ones(2, dtype=np.float32)).tolist()) == {0, 1}


def test_equal_points_are_cut_into_even_runs_in_order() -> None:
    clusters = cluster_points(np.ones((10, 3), dtype=np.float32), SEEDED, size=4)
    assert [cluster.tolist() for cluster in clusters] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_few_distinct_points_among_many_equal_ones() -> None:
    points = np.repeat(_points(3), 10, axis=0)
    clusters = cluster_points(points, SEEDED, size=5)
    assert sum(map(len, clusters)) == 30
    assert all(len({row // 10 for row in cluster.tolist()}) == 1 for cluster in clusters)


def test_separate_groups_are_found() -> None:
    centres = np.eye(4, 8, dtype=np.float32)
    points = np.vstack([centres[i % 4] + _points(1, seed=i, dimension=8) * 0.05 for i in range(20)])
    clusters = cluster_points(points, SEEDED, size=5)
    assert {frozenset(row % 4 for row in cluster.tolist()) for cluster in clusters} == {
        frozenset({0}),
        frozenset({1}),
        frozenset({2}),
        frozenset({3}),
    }


def test_minibatch_takes_over_above_its_threshold() -> None:
    points = _points(300)
    clusters = cluster_points(points, KMeansSettings(seed=0, minibatch_above=100), size=8)
    assert sorted(np.concatenate(clusters).tolist()) == list(range(300))


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 120),
    size=st.integers(2, 9),
    seed=st.integers(0, 5),
    copies=st.integers(1, 4),
)
def test_clusters_partition_the_points_within_bounds(count: int, size: int, seed: int, copies: int) -> None:
    points = np.repeat(_points(-(-count // copies), seed), copies, axis=0)[:count]
    clusters = cluster_points(points, SEEDED, size=size)
    assert sorted(np.concatenate(clusters).tolist()) == list(range(count))
    assert all(min(2, count) <= len(cluster) <= 2 * size for cluster in clusters)
    assert [cluster[0] for cluster in clusters] == sorted(cluster[0] for cluster in clusters)
    assert all((np.diff(cluster) > 0).all() for cluster in clusters)


def test_clusters_are_the_same_on_every_run() -> None:
    points = _points(200)
    first, second = (cluster_points(points, SEEDED, size=6) for _ in range(2))
    assert [cluster.tolist() for cluster in first] == [cluster.tolist() for cluster in second]


@pytest.mark.parametrize(("count", "expected"), [(1, 8), (8, 8), (9, 9), (20, 5), (64, 8), (140, 12), (1000, 10)])
def test_steps_are_evened_out(count: int, expected: int) -> None:
    assert even_cluster_size(count, 8) == expected


@given(count=st.integers(1, 100_000), size=st.integers(2, 50))
def test_even_steps_stay_within_twice_the_size(count: int, size: int) -> None:
    assert 2 <= even_cluster_size(count, size) <= 2 * size
