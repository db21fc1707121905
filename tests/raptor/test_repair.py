"""Trees that are repaired: what stays, and what always holds whatever was added and deleted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.bundles import Collection
from graph_store.records import TreeNode
from raptor.previous_tree import PreviousNodes
from raptor.settings import TreeSettings
from raptor.tree import build_trees
from tests.raptor.text_collections import collection_of

SETTINGS = TreeSettings(cluster_size=3)
WORDS = ("antenna", "probe", "comet", "budget", "museum", "painter", "rocket", "engine", "glacier", "violin", "senate")


def _text(number: int) -> str:
    one, two = WORDS[number % len(WORDS)], WORDS[(number * 5 + 1) % len(WORDS)]
    return f"The {one} was described beside the {two} in the report. A second {one} appeared in year {number} there."


def _texts(numbers: Sequence[int], size: int | None = None) -> dict[str, list[str]]:
    """Return documents of one to three chunks, or of ``size``."""
    return {f"d{number:03}": [_text(number * 7 + part) for part in range(size or 1 + number % 3)] for number in numbers}


def _repaired(collection: Collection, nodes: Sequence[TreeNode], mended: Sequence[str] = ()) -> tuple[TreeNode, ...]:
    return build_trees(collection, SETTINGS, PreviousNodes(nodes=tuple(nodes), mended=frozenset(mended)))


def check_tree(nodes: Sequence[TreeNode], collection: Collection, settings: TreeSettings = SETTINGS) -> None:
    """Check what holds of every tree of a collection of one audience."""
    by_id = {node.id: node for node in nodes}
    assert len(by_id) == len(nodes)
    chunks = {chunk.id: chunk for chunk in collection.chunks}
    if len(chunks) < 2:
        assert nodes == ()
        return
    (root,) = [node for node in nodes if node.parent_id is None]
    assert set(root.chunk_ids) == set(chunks)
    for node in nodes:
        below = [by_id[key].chunk_ids if key in by_id else (key,) for key in node.child_ids]
        assert Counter(node.chunk_ids) == Counter(key for ids in below for key in ids), "each leaf once"
        assert len(node.child_ids) >= 2
        assert all(
            by_id[key].level < node.level and by_id[key].parent_id == node.id for key in node.child_ids if key in by_id
        )
        assert {key for sentence in node.summary for key in sentence.chunk_ids} <= set(node.chunk_ids)
        assert node.summary
        assert node.title
        for sentence in node.summary:
            assert chunks[sentence.chunk_ids[0]].text[sentence.char_start : sentence.char_end] == sentence.text
    across = [node for node in nodes if node.document_id is None]
    documents = {document.id for document in collection.documents}
    for level in {node.level for node in across}:
        held = [{chunks[key].document_id for key in node.chunk_ids} for node in across if node.level == level]
        assert Counter(name for names in held for name in names) == Counter(documents), "every document once a level"
        if level < max(node.level for node in across):
            assert all(len(node.child_ids) <= 4 * settings.cluster_size for node in across if node.level == level)


def test_nothing_changes_where_nothing_changed() -> None:
    collection = collection_of(_texts(range(40)))
    nodes = build_trees(collection, SETTINGS)
    assert _repaired(collection, nodes) == nodes


@pytest.mark.parametrize("size", [1, 2, 9])
def test_adding_one_document_rewrites_only_what_is_above_it(size: int) -> None:
    texts = _texts(range(60))
    before = build_trees(collection_of(texts), SETTINGS)
    collection = collection_of(texts | _texts([700], size))
    after = _repaired(collection, before)
    check_tree(after, collection)
    told = {node.id: (node.title, node.summary, node.chunk_ids) for node in before}
    changed = [node for node in after if told.get(node.id) != (node.title, node.summary, node.chunk_ids)]
    new = {f"d700/{number}" for number in range(size)}
    assert all(new & set(node.chunk_ids) for node in changed)
    levels = {node.level for node in after if node.document_id is None}
    assert len([node for node in changed if node.document_id is None]) == len(levels)
    assert {node.id for node in before} <= {node.id for node in after}
    assert len({node.title for node in after}) == len(after)


def test_deleting_one_document_keeps_what_is_not_above_it() -> None:
    texts = _texts(range(60))
    before = build_trees(collection_of(texts), SETTINGS)
    gone = set(_texts([31])["d031"])
    left = {name: parts for name, parts in texts.items() if name != "d031"}
    collection = collection_of(left)
    after = _repaired(collection, before)
    check_tree(after, collection)
    assert not any(gone & {sentence.text for sentence in node.summary} for node in after if node.document_id is None)
    kept = {node.id: node for node in before if not any(key.startswith("d031/") for key in node.chunk_ids)}
    same = [node for node in after if node.id in kept and kept[node.id].summary == node.summary]
    assert len(same) >= len(kept) - 6, "a node that was left alone may have joined another"


def test_a_mended_node_is_written_again() -> None:
    collection = collection_of(_texts(range(30)))
    nodes = build_trees(collection, SETTINGS)
    victim = next(node for node in nodes if node.document_id is not None)
    spoiled = [node if node.id != victim.id else _shortened(node) for node in nodes]
    above = [node.id for node in nodes if set(victim.chunk_ids) <= set(node.chunk_ids)]
    found = {node.id: node for node in _repaired(collection, spoiled, above)}
    assert found[victim.id] == victim


def _shortened(node: TreeNode) -> TreeNode:
    return replace(node, summary=node.summary[:1], title="shortened")


def test_many_new_documents_divide_nodes_and_ids_stay_unique() -> None:
    texts = _texts(range(9))
    nodes = build_trees(collection_of(texts), SETTINGS)
    for start in range(9, 90, 3):
        texts |= _texts(range(start, start + 3))
        collection = collection_of(texts)
        nodes = _repaired(collection, nodes)
        check_tree(nodes, collection)
    assert len({node.level for node in nodes if node.document_id is None}) >= 3


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 60), max_size=9), st.sets(st.integers(0, 60), max_size=9)), max_size=4)
)
def test_what_always_holds_of_repaired_trees(steps: list[tuple[set[int], set[int]]]) -> None:
    numbers: set[int] = set(range(0, 60, 4))
    nodes = build_trees(collection_of(_texts(sorted(numbers))), SETTINGS)
    for added, removed in steps:
        numbers = (numbers | added) - removed
        collection = collection_of(_texts(sorted(numbers)))
        nodes = _repaired(collection, nodes)
        check_tree(nodes, collection)


def test_an_audience_is_repaired_from_its_own_nodes_alone() -> None:
    texts = _texts(range(24))
    staff = {name: ("staff",) for name in list(texts)[:12]}
    before = build_trees(collection_of(texts, groups=staff), SETTINGS)
    moved = {name: groups for name, groups in staff.items() if name != "d003"} | {"d013": ("staff",)}
    collection = collection_of(texts, groups=moved)
    after = build_trees(collection, SETTINGS, PreviousNodes(nodes=before))
    readers = {chunk.id: chunk.groups for chunk in collection.chunks}
    for node in after:
        assert {readers[key] for key in node.chunk_ids} == {node.groups}
        assert {readers[key] for sentence in node.summary for key in sentence.chunk_ids} == {node.groups}


def test_vectors_of_equal_documents_do_not_break_a_repair() -> None:
    texts = {f"e{number:02}": ["The same words stand in each of these."] for number in range(30)}
    nodes = build_trees(collection_of(texts), SETTINGS)
    collection = collection_of(texts | {"f00": ["The same words stand in each of these."]})
    assert np.isfinite(collection.chunk_vectors).all()
    check_tree(_repaired(collection, nodes), collection)
