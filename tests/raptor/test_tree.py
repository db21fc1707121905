from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.records import TreeNode
from raptor.settings import TreeSettings
from raptor.tree import build_trees
from tests.raptor.text_collections import collection_of

SETTINGS = TreeSettings()
WORDS = ("antenna", "probe", "comet", "budget", "museum", "painter", "rocket", "engine", "glacier", "violin", "senate")


def _text(number: int) -> str:
    one, two = WORDS[number % len(WORDS)], WORDS[(number * 5 + 1) % len(WORDS)]
    return f"The {one} was described beside the {two} in the report. A second {one} appeared in year {number} there."


def _corpus(sizes: Sequence[int]) -> dict[str, list[str]]:
    return {f"d{number:03}": [_text(number * 3 + i) for i in range(size)] for number, size in enumerate(sizes)}


def _roots(nodes: Sequence[TreeNode]) -> list[TreeNode]:
    return [node for node in nodes if node.parent_id is None]


def test_empty_collection_has_no_tree() -> None:
    assert build_trees(collection_of({}), SETTINGS) == ()


def test_single_chunk_needs_no_node() -> None:
    assert build_trees(collection_of(_corpus([1])), SETTINGS) == ()


def test_two_chunks_of_one_document_get_its_root() -> None:
    (root,) = build_trees(collection_of(_corpus([2])), SETTINGS)
    assert (root.level, root.document_id, root.title) == (1, "d000", "Title of d000")
    assert root.child_ids == root.chunk_ids == ("d000/0", "d000/1")
    assert root.summary


def test_one_chunk_documents_stand_for_themselves() -> None:
    (root,) = build_trees(collection_of(_corpus([1, 1, 1])), SETTINGS)
    assert (root.level, root.document_id, root.parent_id) == (1, None, None)
    assert root.child_ids == ("d000/0", "d001/0", "d002/0")


def test_two_chunks_for_a_ten_cluster_tree() -> None:
    nodes = build_trees(collection_of(_corpus([1, 1])), TreeSettings(cluster_size=10))
    assert len(nodes) == 1


def test_duplicate_texts_end_in_one_root() -> None:
    nodes = build_trees(collection_of({f"d{i:02}": [_text(1)] * 3 for i in range(30)}), SETTINGS)
    (root,) = _roots(nodes)
    assert len(root.chunk_ids) == 90
    assert len({sentence.text for sentence in root.summary}) == len(root.summary)


def test_chunk_beside_document_roots() -> None:
    nodes = build_trees(collection_of(_corpus([3, 1])), SETTINGS)
    (root,) = _roots(nodes)
    assert root.level == 2
    assert set(root.child_ids) == {nodes[0].id, "d001/0"}


def test_cross_document_levels_hold_every_document_once() -> None:
    collection = collection_of(_corpus([1 + i % 12 for i in range(60)]))
    nodes = build_trees(collection, TreeSettings(cluster_size=4))
    across = [node for node in nodes if node.document_id is None]
    highest = max(node.level for node in nodes if node.document_id is not None)
    assert {node.level for node in across} == set(range(highest + 1, highest + 1 + len({n.level for n in across})))
    for level in {node.level for node in across}:
        leaves = [chunk for node in across if node.level == level for chunk in node.chunk_ids]
        assert sorted(leaves) == sorted(chunk.id for chunk in collection.chunks)


def test_too_few_levels_still_end_in_one_root() -> None:
    nodes = build_trees(collection_of(_corpus([20, 1, 1, 1, 1])), TreeSettings(cluster_size=2, max_levels=1))
    assert [len(node.child_ids) for node in nodes] == [20, 5]


def test_neighbours_stay_together_in_a_document() -> None:
    """Without any likeness between the texts, place decides."""
    collection = collection_of({"d": [f"The number{i} thing{i} was seen{i} there{i}." for i in range(40)]})
    same = np.tile(collection.chunk_vectors[:1], (40, 1))
    nodes = build_trees(replace(collection, chunk_vectors=same), SETTINGS)
    for node in nodes:
        positions = [int(chunk.partition("/")[2]) for chunk in node.chunk_ids]
        assert positions == list(range(positions[0], positions[-1] + 1))


def test_audiences_never_share_a_node() -> None:
    groups = {"d001": ("staff",), "d003": ("staff", "board"), "d004": ("board", "staff")}
    collection = collection_of(_corpus([3, 3, 3, 3, 3]), groups=groups)
    nodes = build_trees(collection, SETTINGS)
    audience = {chunk.id: tuple(sorted(chunk.groups)) for chunk in collection.chunks}
    assert {node.groups for node in nodes} == {(), ("staff",), ("board", "staff")}
    for node in nodes:
        assert {audience[chunk] for chunk in node.chunk_ids} == {node.groups}


def test_ids_depend_on_the_audience() -> None:
    open_, closed, other = (
        build_trees(collection_of(_corpus([3, 2]), **options), SETTINGS)
        for options in ({}, {"groups": {"d000": ("g",), "d001": ("g",)}}, {"tenant": "other"})
    )
    ids = [node.id for nodes in (open_, closed, other) for node in nodes]
    assert len(set(ids)) == len(ids)


def test_order_of_the_input_does_not_matter() -> None:
    collection = collection_of(_corpus([4, 1, 9, 2, 1, 1, 5, 3, 1, 1]))
    order = np.random.default_rng(1).permutation(len(collection.chunks))
    spoken = np.random.default_rng(2).permutation(len(collection.sentences))
    shuffled = replace(
        collection,
        documents=collection.documents[::-1],
        chunks=tuple(collection.chunks[row] for row in order),
        chunk_vectors=collection.chunk_vectors[order],
        sentences=tuple(collection.sentences[row] for row in spoken),
        sentence_vectors=collection.sentence_vectors[spoken],
    )
    assert build_trees(collection, SETTINGS) == build_trees(shuffled, SETTINGS)
    assert build_trees(collection, SETTINGS) == build_trees(collection, SETTINGS)


def test_document_without_a_title_is_named_by_its_words() -> None:
    (root,) = build_trees(collection_of(_corpus([3]), titles={"d000": ""}), SETTINGS)
    assert root.title


def test_opposite_vectors_have_a_representative() -> None:
    collection = collection_of(_corpus([2, 2, 2]))
    signs = np.array([1, -1] * 3, dtype=np.float32)[:, np.newaxis]
    opposite = np.repeat(collection.chunk_vectors[::2], 2, axis=0) * signs
    assert len(_roots(build_trees(replace(collection, chunk_vectors=opposite), SETTINGS))) == 1


@settings(max_examples=30, deadline=None)
@given(sizes=st.lists(st.integers(1, 14), max_size=14), cluster_size=st.integers(2, 5), levels=st.integers(1, 5))
def test_every_tree_keeps_its_invariants(sizes: list[int], cluster_size: int, levels: int) -> None:
    collection = collection_of(_corpus(sizes))
    nodes = build_trees(collection, TreeSettings(cluster_size=cluster_size, max_levels=levels))
    order = [chunk.id for chunk in collection.chunks]
    texts = {chunk.id: chunk.text for chunk in collection.chunks}
    leaves = {node.id: node.chunk_ids for node in nodes} | {chunk: (chunk,) for chunk in order}
    assert len({node.id for node in nodes}) == len(nodes)
    assert len(_roots(nodes)) == (1 if len(order) > 1 else 0)
    made: set[str] = set(order)
    for node in nodes:
        below = [chunk for child in node.child_ids for chunk in leaves[child]]
        assert made.issuperset(node.child_ids)  # children come first: there is no cycle
        made.add(node.id)
        assert len(node.child_ids) > 1
        assert len(set(below)) == len(below)
        assert sorted(below, key=order.index) == list(node.chunk_ids)
        for sentence in node.summary:
            assert set(sentence.chunk_ids) <= set(node.chunk_ids)
            assert texts[sentence.chunk_ids[0]][sentence.char_start : sentence.char_end] == sentence.text
    parents = {child: node for node in nodes for child in node.child_ids}
    for node in nodes:
        parent = parents.get(node.id)
        assert node.parent_id == (parent.id if parent else None)
        assert parent is None or parent.level > node.level
    for document in collection.documents:
        own = [chunk for chunk in order if chunk.startswith(f"{document.id}/")]
        whole = [node for node in nodes if node.document_id == document.id and list(node.chunk_ids) == own]
        assert len(whole) == (1 if len(own) > 1 else 0)
