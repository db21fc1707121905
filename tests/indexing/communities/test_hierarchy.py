from dataclasses import replace

import numpy as np
import pytest

from indexing.communities.hierarchy import Cluster, clusters_below, coarsen, nested_clusters, parent_of
from indexing.communities.leiden import NO_CLUSTER, Partition
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, audience_views
from tests.raptor.text_collections import collection_of

SETTINGS = CommunitySettings(top_communities=4)


def _view(chunks: int) -> AudienceView:
    (view,) = audience_views(collection_of({"d": [f"Thing {number % 7} was seen." for number in range(chunks)]}))
    return view


def _leaf(member: int, *chunks: int) -> Cluster:
    return Cluster(level=0, members=np.array([member]), chunks=np.array(chunks or (member,)))


def _evidence(*labels: int) -> dict[int, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    return {label: np.array([label]) for label in labels}


def test_partition_becomes_nested_clusters() -> None:
    labels = np.array([3, 3, 4, 4, 1, 1, NO_CLUSTER])
    partition = Partition(labels=labels, parents={0: None, 1: None, 3: 0, 4: 0})
    first, second = nested_clusters(partition, _evidence(1, 3, 4))
    assert (first.level, first.members.tolist(), first.chunks.tolist()) == (1, [0, 1, 2, 3], [3, 4])
    assert [child.members.tolist() for child in first.children] == [[0, 1], [2, 3]]
    assert (second.level, second.members.tolist(), second.children) == (0, [4, 5], ())


def test_levels_that_divide_nothing_are_left_out() -> None:
    partition = Partition(labels=np.array([2, 2]), parents={0: None, 1: 0, 2: 1})
    (only,) = nested_clusters(partition, _evidence(2))
    assert (only.level, only.children) == (0, ())


def test_no_clusters_no_hierarchy() -> None:
    assert nested_clusters(Partition(labels=np.array([NO_CLUSTER]), parents={}), {}) == ()
    assert coarsen(_view(1), (), SETTINGS) == ()


def test_few_clusters_are_left_as_they_are() -> None:
    roots = tuple(_leaf(number) for number in range(6))
    assert coarsen(_view(6), roots, SETTINGS) == roots


@pytest.mark.parametrize("count", [7, 12, 40, 150])
def test_many_clusters_end_in_a_small_top(count: int) -> None:
    roots = tuple(_leaf(number) for number in range(count))
    top = coarsen(_view(count), roots, SETTINGS)
    assert 2 <= len(top) <= 6
    assert len({cluster.level for cluster in top}) == 1
    below = [cluster for root in top for cluster in clusters_below(root)]
    assert sum(cluster.level == 0 for cluster in below) == count
    assert all(len(cluster.children) != 1 for cluster in below)


def test_clusters_too_large_for_the_top_are_taken_apart() -> None:
    large = parent_of([_leaf(number) for number in range(20)])
    small = [_leaf(number) for number in range(20, 40)]
    top = coarsen(_view(40), (large, *small), SETTINGS)
    assert max(len(cluster.members) for cluster in top) < 40
    assert not any(cluster.members.tolist() == list(range(20)) for root in top for cluster in clusters_below(root))


def test_children_come_before_their_parents() -> None:
    tree = parent_of([parent_of([_leaf(0), _leaf(1)]), _leaf(2)])
    assert [cluster.level for cluster in clusters_below(tree)] == [0, 0, 1, 0, 2]
    assert replace(tree, level=2) is not tree
