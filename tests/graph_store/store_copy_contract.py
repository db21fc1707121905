"""The part of a store's contract that copies are made with: whole documents, whole layers, the mark of a copy."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from graph_store.bundles import DocumentBundle
from graph_store.copies import LayerStanding
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import StoreMismatch, StoreUnusable
from graph_store.spaces import LiveSpace
from graph_store.store import GraphStore
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of
from tests.graph_store.samples import PUBLIC, STAFF, fill, open_document, search_ids, three_documents

OpenStore = Callable[[], GraphStore]


def same_bundle(left: DocumentBundle, right: DocumentBundle) -> bool:
    """Tell whether two bundles agree, sentence vectors by their int8 precision."""
    for item in fields(DocumentBundle):
        mine, other = getattr(left, item.name), getattr(right, item.name)
        if item.name == "sentence_vectors":
            same = mine.shape == other.shape and bool(np.allclose(mine, other, atol=0.02))
        elif item.name == "chunk_vectors":
            same = bool(np.array_equal(mine, other)) and mine.dtype == np.float32
        else:
            same = mine == other
        if not same:
            return False
    return True


class CopyContract:
    """Needs the fixtures ``store``, open for writing, and ``open_reader``, which opens the same one to read."""

    def test_whole_documents_come_back_as_they_were_written(self, store: GraphStore) -> None:
        store.write_documents(three_documents())
        found = store.document_bundles("default", ["staff", "nobody", "open"])
        assert [bundle.document.id for bundle in found] == ["staff", "open"]
        written = {bundle.document.id: bundle for bundle in three_documents()}
        assert all(same_bundle(bundle, written[bundle.document.id]) for bundle in found)
        assert store.document_bundles("other", ["open"]) == ()

    def test_a_store_is_told_from_others_whoever_opens_it(
        self, store: GraphStore, open_reader: OpenStore, tmp_path: Path
    ) -> None:
        assert store.identity == open_reader().identity != ""
        with EmbeddedStore.create_or_open(tmp_path / "other", embedding_model=MODEL, dimension=DIMENSION) as other:
            assert other.identity != store.identity

    def test_a_document_that_was_read_and_written_again_is_the_same_to_the_last_bit(self, store: GraphStore) -> None:
        store.write_documents([open_document()])
        (first,) = store.document_bundles("default", ["open"])
        store.write_documents([first])
        (second,) = store.document_bundles("default", ["open"])
        np.testing.assert_array_equal(first.sentence_vectors, second.sentence_vectors)
        np.testing.assert_array_equal(first.chunk_vectors, second.chunk_vectors)

    def test_a_document_without_chunks_is_read_whole(self, store: GraphStore) -> None:
        empty = replace(document_bundle("empty", []), parents=())
        store.write_documents([empty])
        (found,) = store.document_bundles("default", ["empty"])
        assert found.chunks == ()
        assert found.text == empty.text
        store.write_documents([found])

    def test_a_layer_comes_back_as_it_was_published(self, store: GraphStore) -> None:
        bundles = fill(store)
        layer = store.stored_layer("default")
        published = generation_of(bundles, aliases={"Alpha": ("Omega",)})
        assert set(layer.generation.mentions) == set(published.mentions)
        assert set(layer.generation.homes) == set(published.homes)
        assert set(layer.generation.passage_edges) == set(published.passage_edges)
        assert set(layer.generation.entities) == set(published.entities)
        assert set(layer.generation.relations) == set(published.relations)
        assert set(layer.generation.communities) == set(published.communities)
        assert set(layer.generation.tree_nodes) == set(published.tree_nodes)
        assert layer.standing == LayerStanding(fingerprint="f1", made_with="f1")
        assert store.stored_layer("nobody").generation.entities == ()

    def test_a_layer_that_is_written_stands_as_it_stood(self, store: GraphStore) -> None:
        fill(store)
        store.write_documents([document_bundle("new", ["Epsilon meets Alpha."])])
        store.delete_documents("default", ["open"])
        layer, digest = store.stored_layer("default"), store.content_digest("default")
        seen = search_ids(store, STAFF, "Alpha", kind="report")
        assert layer.standing.fingerprint is None
        assert layer.standing.made_with == "f1"
        assert layer.standing.changed_documents > 0
        store.publish(replace(layer.generation, fingerprint="between"))
        store.write_layer(layer)
        again = store.stored_layer("default")
        assert again.standing == layer.standing
        assert store.content_digest("default") == digest
        assert search_ids(store, STAFF, "Alpha", kind="report") == seen
        assert store.derived_fingerprint("default") is None

    def test_texts_that_lost_evidence_stay_known_as_such(self, store: GraphStore) -> None:
        bundles = [open_document(), document_bundle("second", ["Alpha meets Zeta."])]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        store.delete_documents("default", ["second"])
        layer = store.stored_layer("default")
        assert layer.standing.mended
        assert "Zeta" not in {entity.name for entity in layer.generation.entities}
        store.write_layer(layer)
        assert store.stored_layer("default").standing.mended == layer.standing.mended
        assert store.read_generation("default").mended == layer.standing.mended

    def test_an_unfinished_copy_is_known_until_it_is_ended(self, store: GraphStore, open_reader: OpenStore) -> None:
        assert store.unfinished_copy() is None
        live = replace(store.live_space(), recipe="how", replaced=())
        store.begin_copy("from somewhere", live)
        store.begin_copy("from elsewhere", live)
        assert store.unfinished_copy() == "from elsewhere"
        assert open_reader().unfinished_copy() == "from elsewhere"
        assert store.live_space() == live
        fill(store)
        store.end_copy()
        store.end_copy()
        assert store.unfinished_copy() is None
        assert open_reader().unfinished_copy() is None
        assert search_ids(open_reader(), PUBLIC, "Alpha")

    def test_a_copy_of_another_space_is_refused(self, store: GraphStore) -> None:
        other = replace(store.live_space().space, embedding_model="another")
        with pytest.raises(StoreMismatch, match="another"):
            store.begin_copy("from somewhere", LiveSpace(space=other))
        assert store.unfinished_copy() is None

    def test_a_reader_begins_and_ends_no_copy(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        reader = open_reader()
        layer = reader.stored_layer("default")
        changes: list[Callable[[], object]] = [
            lambda: reader.begin_copy("x", reader.live_space()),
            reader.end_copy,
            lambda: reader.write_layer(layer),
        ]
        for change in changes:
            with pytest.raises(StoreUnusable, match="read only"):
                change()
