"""The part of a store's contract that is about what stands of a derived layer while documents change."""

from dataclasses import replace

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.bundles import Generation, PreviousGeneration
from graph_store.records import TreeNode
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, generation_of, matrix_of, vector_of

TENANT = "default"
EVERYBODY = Access()
STAFF = Access(groups=frozenset({"staff"}))
BUNDLES = (
    document_bundle("a", ["Alpha meets Beta.", "Alpha rests."]),
    document_bundle("b", ["Beta meets Gamma."]),
    document_bundle("s", ["Sigma meets Alpha."], groups=("staff",)),
)


class StandingContract:
    @pytest.fixture
    def standing(self, store: GraphStore) -> GraphStore:
        store.write_documents(BUNDLES)
        store.publish(generation_of(BUNDLES))
        return store

    def test_a_tenant_that_nothing_was_published_for_has_nothing(self, store: GraphStore) -> None:
        assert _plain(store.read_generation("nobody")) == _plain(PreviousGeneration())
        store.write_documents(BUNDLES)
        found = store.read_generation(TENANT)
        assert (found.fingerprint, found.changed_documents, found.communities) == (None, 3, ())
        assert found.community_vectors.shape[0] == found.tree_vectors.shape[0] == 0

    def test_all_of_a_generation_stands_with_its_vectors(self, standing: GraphStore) -> None:
        found = standing.read_generation(TENANT)
        made = generation_of(BUNDLES)
        assert (found.fingerprint, found.changed_documents, found.mended) == ("f1", 0, frozenset())
        assert found.communities == tuple(sorted(made.communities, key=lambda item: (item.level, item.id)))
        assert found.tree_nodes == tuple(sorted(made.tree_nodes, key=lambda item: (item.level, item.id)))
        for item, vector in zip(found.communities, found.community_vectors, strict=True):
            assert np.allclose(vector, vector_of(item.title), atol=1e-6)
        for node, vector in zip(found.tree_nodes, found.tree_vectors, strict=True):
            assert np.allclose(vector, vector_of(node.title), atol=1e-6)

    def test_what_lost_evidence_is_named_and_the_settings_are_remembered(self, standing: GraphStore) -> None:
        open_ids = {item.id for item in standing.communities(EVERYBODY)}
        open_ids |= {node.id for node in standing.tree_nodes(EVERYBODY)}
        standing.write_documents([document_bundle("b", ["Beta meets Delta."], version=2)])
        found = standing.read_generation(TENANT)
        assert standing.derived_fingerprint(TENANT) is None
        assert (found.fingerprint, found.changed_documents) == ("f1", 1)
        assert found.mended == open_ids
        assert standing.read_generation("nobody").changed_documents == 0

    def test_every_written_and_deleted_document_counts_until_a_whole_generation(self, standing: GraphStore) -> None:
        standing.write_documents([document_bundle("c", ["Gamma rests."]), document_bundle("d", ["Delta rests."])])
        standing.delete_documents(TENANT, ["b", "unknown"])
        assert standing.read_generation(TENANT).changed_documents == 3
        left = (BUNDLES[0], BUNDLES[2], document_bundle("c", ["Gamma rests."]), document_bundle("d", ["Delta rests."]))
        standing.publish(replace(generation_of(left), whole=False))
        found = standing.read_generation(TENANT)
        assert (found.changed_documents, found.mended) == (3, frozenset())
        standing.publish(generation_of(left))
        assert standing.read_generation(TENANT).changed_documents == 0

    def test_a_whole_generation_can_be_required(self, standing: GraphStore) -> None:
        seen = (standing.communities(STAFF), standing.tree_nodes(STAFF), standing.content_digest(TENANT))
        standing.require_whole(TENANT)
        standing.require_whole("nobody")
        assert standing.derived_fingerprint(TENANT) is None
        found = standing.read_generation(TENANT)
        assert (found.fingerprint, found.mended) == (None, frozenset())
        assert (standing.communities(STAFF), standing.tree_nodes(STAFF), standing.content_digest(TENANT)) == seen
        standing.write_documents([document_bundle("c", ["Gamma rests."])])
        assert standing.read_generation(TENANT).fingerprint is None, "it is required until the next one is published"
        standing.publish(generation_of([*BUNDLES, document_bundle("c", ["Gamma rests."])]))
        assert standing.read_generation(TENANT).fingerprint == "f1"

    def test_a_node_across_documents_keeps_its_chunks_as_children(self, store: GraphStore) -> None:
        store.write_documents(BUNDLES)
        store.publish(_two_levels(generation_of(BUNDLES)))
        store.delete_documents(TENANT, ["s"])
        store.write_documents([document_bundle("a", ["Alpha went."], version=2)])
        (root,) = store.read_generation(TENANT).tree_nodes
        assert root.child_ids == ("b-0",)


def _two_levels(generation: Generation) -> Generation:
    """Return a generation whose open tree has a node over the document ``a``, and a root over that and a chunk."""
    (root,) = [node for node in generation.tree_nodes if not node.groups]
    inner = TreeNode(
        id="inner",
        tenant=TENANT,
        groups=(),
        level=1,
        parent_id=root.id,
        document_id="a",
        child_ids=("a-0", "a-1"),
        chunk_ids=("a-0", "a-1"),
        title="inner",
        summary=root.summary[:2],
    )
    nodes = (inner, replace(root, level=2, child_ids=("inner", "b-0")))
    return replace(generation, tree_nodes=nodes, tree_vectors=matrix_of([node.title for node in nodes]))


def _plain(found: PreviousGeneration) -> tuple[object, ...]:
    return (found.fingerprint, found.changed_documents, found.communities, found.tree_nodes, found.mended)
