"""What every backend of ``GraphStore`` must do: inherit the class and give it a ``store`` fixture, empty, writable.

The store must have the dimension and the embedding model of ``builders``, and keep no token vectors: for those there is
``TokenContract`` with a store of their own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from graph_store.bundles import DocumentBundle, StoreCounts
from graph_store.errors import InvalidRecord, InvalidText
from graph_store.filters import parse_filter
from graph_store.store import GraphStore
from tests.graph_store.builders import (
    DIMENSION,
    MODEL,
    document_bundle,
    entity_id,
    generation_of,
    vector_of,
    with_tokens,
)
from tests.graph_store.samples import KINDS, NOTHING, PUBLIC, STAFF, fill, search_ids
from tests.graph_store.store_search_contract import Filtering, Isolation, Searches


class RoundTrips:
    def test_an_empty_store_reads_as_nothing(self, store: GraphStore) -> None:
        assert store.counts(PUBLIC) == store.tenant_counts("default") == NOTHING
        assert store.tenants() == ()
        assert not store.list_documents(PUBLIC)
        assert not store.list_entities(PUBLIC)
        assert not store.list_relations(PUBLIC)
        assert not store.communities(PUBLIC)
        assert not store.tree_nodes(PUBLIC)
        assert store.document_text(PUBLIC, "nothing") is None
        assert store.derived_fingerprint("default") is None
        assert store.read_collection("default").sentence_vectors.shape == (0, DIMENSION)
        assert store.passage_graph(PUBLIC).chunk_ids == ()
        for kind in KINDS:
            assert store.search_keywords(PUBLIC, "alpha", kind=kind, k=5) == ()
            assert store.search_vectors(PUBLIC, vector_of("alpha"), kind=kind, k=5) == ()
        store.write_documents([])
        assert store.delete_documents("default", ["nothing"]) == ()

    def test_an_empty_document_is_kept(self, store: GraphStore) -> None:
        bundle = document_bundle("empty", [])
        store.write_documents([bundle])
        assert store.list_documents(PUBLIC) == (bundle.document,)
        assert store.document_text(PUBLIC, "empty") == ""
        assert store.search_vectors(PUBLIC, vector_of("alpha"), kind="chunk", k=5) == ()

    def test_model_and_dimension_are_told(self, store: GraphStore) -> None:
        assert (store.embedding_model, store.dimension) == (MODEL, DIMENSION)

    def test_documents_come_back_as_written(self, store: GraphStore) -> None:
        bundle = fill(store)[0]
        assert store.documents(PUBLIC, ["open", "open"]) == (bundle.document,)
        assert store.document_text(PUBLIC, "open") == bundle.text
        assert store.document_chunks(PUBLIC, "open") == bundle.chunks
        assert store.parents(PUBLIC, ["open-parent"]) == bundle.parents

    def test_reads_by_id_follow_the_order_asked(self, store: GraphStore) -> None:
        fill(store)
        found = store.chunks(STAFF, ["staff-0", "missing", "open-1", "staff-0", "open-0"])
        assert [chunk.id for chunk in found] == ["staff-0", "open-1", "open-0"]
        cosines = store.cosines(STAFF, vector_of("alpha"), ["open-1", "missing", "open-0"])
        assert list(cosines) == ["open-1", "open-0"]

    def test_a_collection_is_all_of_the_tenant_in_order(self, store: GraphStore) -> None:
        bundles = fill(store)
        collection = store.read_collection("default")
        assert collection.documents == (bundles[0].document, bundles[1].document)
        assert collection.chunks == bundles[0].chunks + bundles[1].chunks
        assert collection.sentences == bundles[0].sentences + bundles[1].sentences
        assert collection.mentions == bundles[0].mentions + bundles[1].mentions
        assert collection.relations == bundles[0].relations + bundles[1].relations
        assert collection.homes == bundles[0].homes + bundles[1].homes
        expected = np.concatenate([bundles[0].chunk_vectors, bundles[1].chunk_vectors])
        np.testing.assert_array_equal(collection.chunk_vectors, expected)

    def test_sentence_vectors_are_near_and_of_unit_length(self, store: GraphStore) -> None:
        bundle = fill(store)[0]
        found = store.sentences(PUBLIC, ["open-1", "open-0"])
        assert found.sentences == (bundle.sentences[1], bundle.sentences[0])
        np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1.0, atol=1e-5)
        np.testing.assert_allclose(found.vectors, bundle.sentence_vectors[[1, 0]], atol=0.01)

    def test_the_derived_layer_comes_back_as_published(self, store: GraphStore) -> None:
        generation = generation_of(fill(store), aliases={"Alpha": ("Omega",)})
        assert store.list_entities(STAFF) == tuple(sorted(generation.entities, key=lambda entity: entity.id))
        assert store.list_relations(STAFF) == tuple(sorted(generation.relations, key=lambda relation: relation.id))
        assert sorted(store.communities(STAFF), key=repr) == sorted(generation.communities, key=repr)
        assert sorted(store.tree_nodes(STAFF), key=repr) == sorted(generation.tree_nodes, key=repr)
        assert store.derived_fingerprint("default") == "f1"

    def test_entities_are_found_by_name_and_alias(self, store: GraphStore) -> None:
        fill(store)
        assert [entity.name for entity in store.find_entities(STAFF, "the OMEGA")] == ["Alpha", "Omega"]
        assert [entity.name for entity in store.find_entities(PUBLIC, "beta")] == ["Beta"]
        assert store.find_entities(STAFF, "") == ()
        mentions = store.entity_mentions(STAFF, entity_id("Alpha"))
        assert [mention.chunk_id for mention in mentions] == ["open-0", "staff-0"]
        assert [relation.target_id for relation in store.entity_relations(PUBLIC, entity_id("Alpha"))] == [
            entity_id("Beta")
        ]

    def test_communities_and_nodes_are_chosen_by_level_and_id(self, store: GraphStore) -> None:
        fill(store)
        community = store.communities(PUBLIC)[0]
        node = store.tree_nodes(PUBLIC)[0]
        assert store.communities(PUBLIC, level=0, ids=[community.id, "x"]) == (community,)
        assert store.communities(PUBLIC, level=1) == store.communities(PUBLIC, ids=[]) == ()
        assert store.tree_nodes(PUBLIC, level=1, ids={node.id}) == (node,)
        assert store.tree_nodes(PUBLIC, document_id="open") == store.tree_nodes(PUBLIC, ids=()) == ()

    def test_the_passage_graph_is_in_document_order(self, store: GraphStore) -> None:
        fill(store)
        graph = store.passage_graph(STAFF)
        assert graph.chunk_ids == ("open-0", "open-1", "staff-0")
        assert graph.indptr.tolist() == [0, 1, 2, 2]
        assert graph.indices.tolist() == [1, 2]
        assert graph.weights.tolist() == [0.5, 0.5]
        assert graph.mentions["alpha"] == graph.homes["alpha"] == (0, 2)
        assert store.passage_graph(STAFF) is graph

    def test_counts_and_tenants(self, store: GraphStore) -> None:
        fill(store)
        assert store.tenants() == ("default", "other")
        whole = StoreCounts(documents=2, chunks=3, entities=4, relations=2, communities=2, tree_nodes=2)
        assert store.tenant_counts("default") == store.counts(STAFF) == whole
        seen = StoreCounts(documents=1, chunks=2, entities=3, relations=1, communities=1, tree_nodes=1)
        assert store.counts(PUBLIC) == seen

    def test_equal_content_has_an_equal_digest(self, store: GraphStore) -> None:
        bundles = fill(store)
        before = store.content_digest("default")
        store.write_documents(list(reversed(bundles)))
        assert store.content_digest("default") != before, "the derived layer lost its evidence"
        store.publish(generation_of(bundles, aliases={"Alpha": ("Omega",)}))
        assert store.content_digest("default") == before
        store.write_documents([document_bundle("open", ["Alpha meets Beta."])])
        assert store.content_digest("default") != before

    def test_the_digest_does_not_tell_how_often_a_document_changed(self, store: GraphStore) -> None:
        store.write_documents([document_bundle("open", ["Alpha meets Beta."])])
        before = store.content_digest("default")
        store.write_documents([document_bundle("open", ["Alpha meets Beta."], version=2)])
        assert store.content_digest("default") == before


class Updates:
    def test_writing_twice_doubles_nothing(self, store: GraphStore) -> None:
        bundles = fill(store)
        before = (store.tenant_counts("default"), store.read_collection("default").relations)
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        assert (store.tenant_counts("default"), store.read_collection("default").relations) == before
        assert search_ids(store, PUBLIC, "harbour") == ["open-0"]
        assert len(store.search_vectors(STAFF, vector_of("x"), kind="chunk", k=99)) == 3

    def test_one_document_twice_in_a_call_is_written_once(self, store: GraphStore) -> None:
        store.write_documents([document_bundle("a", ["first"]), document_bundle("a", ["second"], version=2)])
        assert store.document_text(PUBLIC, "a") == "second"
        assert store.tenant_counts("default").chunks == 1

    def test_a_replaced_document_leaves_nothing_behind(self, store: GraphStore) -> None:
        bundles = fill(store)
        store.write_documents([document_bundle("open", ["Delta reigns."], version=2)])
        assert store.derived_fingerprint("default") is None
        assert store.document_states("default")["open"].version == 2
        assert search_ids(store, PUBLIC, "harbour gamma") == []
        assert not store.communities(PUBLIC)
        assert not store.tree_nodes(PUBLIC)
        assert search_ids(store, PUBLIC, "harbour", kind="report") == []
        assert not store.list_entities(PUBLIC)
        assert not store.list_relations(PUBLIC)
        assert {entity.name for entity in store.list_entities(STAFF)} == {"Alpha", "Omega"}
        assert store.entities(STAFF, [entity_id("Alpha")])[0].description == ""
        assert store.passage_graph(PUBLIC).indices.tolist() == []
        store.publish(generation_of([document_bundle("open", ["Delta reigns."], version=2), bundles[1]]))
        assert {entity.name for entity in store.list_entities(STAFF)} == {"Alpha", "Omega", "Delta"}

    def test_a_partly_lost_report_keeps_what_still_has_evidence(self, store: GraphStore) -> None:
        bundles = [document_bundle("a", ["Alpha word"]), document_bundle("b", ["Beta word"])]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        assert store.delete_documents("default", ["a", "a", "missing"]) == ("a",)
        (community,) = store.communities(PUBLIC)
        assert [sentence.text for sentence in community.report] == ["Beta word"]
        assert community.chunk_ids == ("b-0",)
        assert community.entity_ids == community.key_entity_ids == (entity_id("Beta"),)
        assert "Alpha" not in community.title
        (node,) = store.tree_nodes(PUBLIC)
        assert [sentence.text for sentence in node.summary] == ["Beta word"]
        assert node.child_ids == node.chunk_ids == ("b-0",)
        assert "Alpha" not in node.title
        for kind in ("report", "tree_node"):
            assert kind in KINDS
            assert search_ids(store, PUBLIC, "alpha", kind=kind) == []
            assert len(search_ids(store, PUBLIC, "beta", kind=kind)) == 1

    def test_what_two_documents_state_outlives_one(self, store: GraphStore) -> None:
        bundles = [document_bundle("a", ["Alpha Beta"]), document_bundle("b", ["Alpha Beta"])]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        assert store.list_relations(PUBLIC)[0].weight == 2.0
        store.delete_documents("default", ["a"])
        (relation,) = store.list_relations(PUBLIC)
        assert (relation.evidence, relation.weight) == (("b-0",), 1.0)
        assert store.tenant_counts("default").entities == 2
        store.delete_documents("default", ["b"])
        assert store.tenant_counts("default") == NOTHING
        assert store.tenants() == ()

    def test_an_alias_goes_with_the_document_that_gave_it(self, store: GraphStore) -> None:
        fill(store)
        store.delete_documents("default", ["staff"])
        assert store.entities(STAFF, [entity_id("Alpha")])[0].aliases == ()

    def test_publishing_replaces_the_layer_of_one_tenant(self, store: GraphStore) -> None:
        bundles = fill(store)
        others = store.content_digest("other")
        store.publish(generation_of(bundles[:1]))
        assert len(store.communities(STAFF)) == 1
        assert search_ids(store, STAFF, "treasure", kind="report") == []
        assert store.content_digest("other") == others
        assert store.derived_fingerprint("other") == "f1"

    def test_a_stale_layer_is_that_of_the_touched_tenant(self, store: GraphStore) -> None:
        fill(store)
        store.delete_documents("other", ["foreign"])
        assert store.derived_fingerprint("other") is None
        assert store.derived_fingerprint("default") == "f1"


class Refusals:
    """A write that raises has changed nothing."""

    @pytest.mark.parametrize(
        ("vectors", "message"),
        [
            (np.zeros((1, DIMENSION)), "length"),
            (np.full((1, DIMENSION), np.nan), "length"),
            (np.full((1, DIMENSION), np.inf), "length"),
            (np.ones((1, DIMENSION)), "length"),
            (np.ones((1, DIMENSION + 1)), "shape"),
            (np.ones((2, DIMENSION)), "shape"),
            (np.ones((0, DIMENSION)), "shape"),
        ],
    )
    def test_vectors_that_break_the_contract(self, store: GraphStore, vectors: np.ndarray, message: str) -> None:
        good = document_bundle("a", ["Alpha word"])
        parts = {name: getattr(good, name) for name in good.__slots__}
        bad = DocumentBundle(**{**parts, "chunk_vectors": vectors.astype(np.float32)})
        with pytest.raises(InvalidRecord, match=message):
            store.write_documents([document_bundle("b", ["Beta"]), bad])
        assert store.tenant_counts("default") == NOTHING

    def test_token_vectors_where_none_are_kept(self, store: GraphStore) -> None:
        assert (store.token_space, store.token_dimension) == ("none", 0)
        with pytest.raises(InvalidRecord, match="token vectors of 1 chunks, expected 0"):
            store.write_documents([with_tokens(document_bundle("a", ["Alpha"]))])
        assert store.tenant_counts("default") == NOTHING
        store.write_documents([document_bundle("a", ["Alpha"])])
        assert store.token_vectors(PUBLIC, ["a-0"]) == {}

    def test_texts_that_are_no_unicode(self, store: GraphStore) -> None:
        fill(store)
        before = store.tenant_counts("default")
        with pytest.raises(InvalidText, match="udcff"):
            store.write_documents([document_bundle("a\udcff", ["Alpha"])])
        with pytest.raises(InvalidText, match="udcff"):
            store.filtered_documents(PUBLIC, (parse_filter("year=\udcff"),))
        assert store.tenant_counts("default") == before

    @pytest.mark.parametrize("value", [None, {"nested": "map"}, ["list"], (1, 2), b"bytes"])
    def test_metadata_of_other_types(self, store: GraphStore, value: object) -> None:
        metadata: Mapping[str, Any] = {"key": value}
        with pytest.raises(InvalidRecord, match="'key'"):
            store.write_documents([document_bundle("a", ["Alpha"], metadata=metadata)])
        assert store.tenant_counts("default") == NOTHING

    def test_a_chunk_id_of_another_document(self, store: GraphStore) -> None:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        clash = document_bundle("b", ["Beta word"])
        chunk = clash.chunks[0]
        stolen = type(chunk)(**{n: getattr(chunk, n) for n in chunk.__slots__ if n != "id"}, id="a-0")
        bundle = DocumentBundle(
            document=clash.document,
            text=clash.text,
            parents=clash.parents,
            chunks=(stolen,),
            chunk_vectors=clash.chunk_vectors,
            sentences=(),
            sentence_vectors=np.zeros((0, DIMENSION), dtype=np.float32),
        )
        with pytest.raises(InvalidRecord):
            store.write_documents([bundle])
        assert [document.id for document in store.list_documents(PUBLIC)] == ["a"]

    def test_a_layer_of_chunks_that_are_gone(self, store: GraphStore) -> None:
        bundles = fill(store)
        generation = generation_of(bundles)
        before = store.list_entities(STAFF)
        store.delete_documents("default", ["staff"])
        with pytest.raises(InvalidRecord, match="staff-0"):
            store.publish(generation)
        assert {entity.id for entity in store.list_entities(PUBLIC)} < {entity.id for entity in before}
        assert store.derived_fingerprint("default") is None


class GraphStoreContract(RoundTrips, Searches, Filtering, Isolation, Updates, Refusals):
    """All that a backend must do."""
