import numpy as np

from indexing.communities.entity_graph import EntityGraph
from indexing.communities.leiden import NO_CLUSTER, Partition, join_clusters, partition_graph
from indexing.communities.settings import CommunitySettings


def _graph(size: int, *edges: tuple[int, int, float]) -> EntityGraph:
    array = np.array(sorted(edges), dtype=np.float64).reshape(-1, 3)
    return EntityGraph(
        size=size,
        sources=array[:, 0].astype(np.int64),
        targets=array[:, 1].astype(np.int64),
        weights=array[:, 2],
    )


def _clique(*nodes: int) -> list[tuple[int, int, float]]:
    return [(one, other, 1.0) for one in nodes for other in nodes if one < other]


def _sets(partition: Partition) -> set[frozenset[int]]:
    numbers = set(partition.labels.tolist()) - {NO_CLUSTER}
    return {frozenset(np.flatnonzero(partition.labels == number).tolist()) for number in numbers}


def _root(partition: Partition, entity: int) -> int:
    cluster = int(partition.labels[entity])
    while (parent := partition.parents[cluster]) is not None:
        cluster = parent
    return cluster


def test_no_edges_no_clusters() -> None:
    for size in (0, 1, 4):
        partition = partition_graph(_graph(size), CommunitySettings())
        assert partition.labels.tolist() == [NO_CLUSTER] * size
        assert partition.parents == {}


def test_components_are_all_kept_and_isolated_entities_are_in_none() -> None:
    graph = _graph(9, *_clique(0, 1, 2), *_clique(4, 5, 6), (7, 8, 0.01))
    partition = partition_graph(graph, CommunitySettings())
    assert _sets(partition) == {frozenset({0, 1, 2}), frozenset({4, 5, 6}), frozenset({7, 8})}
    assert partition.labels[3] == NO_CLUSTER


def test_large_clusters_are_partitioned_again_under_their_parent() -> None:
    groups = [list(range(start, start + 6)) for start in range(0, 36, 6)]
    inner = [edge for group in groups for edge in _clique(*group)]
    near = [(a, b, 0.15) for one, other in ((0, 1), (1, 2), (3, 4), (4, 5)) for a in groups[one] for b in groups[other]]
    partition = partition_graph(_graph(36, *inner, *near), CommunitySettings(max_cluster_size=7, resolution=0.4))
    assert _sets(partition) == {frozenset(group) for group in groups}
    assert {_root(partition, group[0]) for group in groups[:3]}.isdisjoint(
        {_root(partition, group[0]) for group in groups[3:]}
    )
    assert all(partition.parents[label] is not None for label in partition.labels.tolist())


def test_same_partition_on_every_run() -> None:
    random = np.random.default_rng(3)
    edges = {(int(a), int(b)) for a, b in random.integers(0, 60, (200, 2)) if a < b}
    graph = _graph(60, *((a, b, 1.0) for a, b in edges))
    first, second = (partition_graph(graph, CommunitySettings(max_cluster_size=5)) for _ in range(2))
    assert first.labels.tolist() == second.labels.tolist()
    sizes = np.unique(first.labels[first.labels != NO_CLUSTER], return_counts=True)[1]
    assert sizes.min() >= 2


def test_thin_clusters_join_the_sibling_of_most_weight() -> None:
    graph = _graph(4, (0, 1, 1.0), (0, 2, 5.0), (0, 3, 9.0))
    partition = Partition(labels=np.array([0, 1, 2, 3]), parents={0: 7, 1: 7, 2: 7, 3: 8, 7: None, 8: None})
    joined = join_clusters(graph, partition, frozenset({0}), across=False)
    assert joined.labels.tolist() == [2, 1, 2, 3]


def test_thin_clusters_join_elsewhere_only_where_asked() -> None:
    graph = _graph(2, (0, 1, 1.0))
    partition = Partition(labels=np.array([0, 1]), parents={0: 7, 1: 8, 7: None, 8: None})
    assert join_clusters(graph, partition, frozenset({0}), across=False).labels.tolist() == [0, 1]
    assert join_clusters(graph, partition, frozenset({0}), across=True).labels.tolist() == [1, 1]


def test_two_thin_clusters_make_one() -> None:
    graph = _graph(3, (0, 1, 2.0), (1, 2, 1.0))
    partition = Partition(labels=np.array([0, 1, 2]), parents={0: None, 1: None, 2: None})
    joined = join_clusters(graph, partition, frozenset({0, 1}), across=False)
    assert joined.labels.tolist() == [1, 1, 2]
