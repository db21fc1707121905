"""The part of a store's contract that is about vector spaces: a second one beside the first, the switch, the end."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.bundles import FloatMatrix, TokenVectors
from graph_store.errors import InvalidRecord, SpaceConflict, SpaceIncomplete, SpaceMissing, StoreSwitched, StoreUnusable
from graph_store.spaces import LiveSpace, SpaceVectors, Unfilled, VectorSpace
from graph_store.store import GraphStore
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of, matrix_of, vector_of
from tests.graph_store.samples import KINDS, OTHER, PUBLIC, STAFF, fill, open_document

WIDER = DIMENSION + 3
FIRST = VectorSpace(embedding_model=MODEL, dimension=DIMENSION)
SECOND = VectorSpace(embedding_model="wider-model", dimension=WIDER, token_space="wide-words", token_dimension=WIDER)
WITHOUT_TOKENS = replace(SECOND, token_space="none", token_dimension=0)

OpenStore = Callable[[], GraphStore]


def wide(matrix: FloatMatrix) -> FloatMatrix:
    """Return the vectors of the second model: reversed, with other dimensions before them, of unit length."""
    rows = np.concatenate([np.full((len(matrix), 3), 0.5, dtype=np.float32), matrix[:, ::-1]], axis=1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatMatrix = (rows / lengths).astype(np.float32)
    return unit


def wide_vector(text: str) -> FloatMatrix:
    vector: FloatMatrix = wide(vector_of(text)[None, :])[0]
    return vector


def wide_tokens(text: str) -> TokenVectors:
    return TokenVectors(
        starts=np.array([0], dtype=np.int32),
        vectors=np.rint(wide(matrix_of([text])) * 127).astype(np.int8),
    )


def fill_spare(store: GraphStore, *, most: int | None = None) -> None:
    """Give every record that lacks it its vectors in the spare space, at most ``most`` chunks of each tenant."""
    spare = store.spare_space()
    assert spare is not None
    for tenant in store.tenants():
        lacking = store.unfilled(tenant)
        part = lacking if most is None else Unfilled(chunk_ids=lacking.chunk_ids[:most])
        store.fill_space(vectors_for(store, tenant, part, tokens=spare.space.token_dimension > 0))


def vectors_for(store: GraphStore, tenant: str, part: Unfilled, *, tokens: bool) -> SpaceVectors:
    content = store.unfilled_content(tenant, part)
    spans = {
        chunk.id: [chunk.text[s.char_start : s.char_end] for s in content.sentences if s.chunk_id == chunk.id]
        for chunk in content.chunks
    }
    return SpaceVectors(
        tenant=tenant,
        chunk_ids=tuple(chunk.id for chunk in content.chunks),
        chunk_vectors=wide(matrix_of([chunk.text for chunk in content.chunks])),
        sentence_vectors=tuple(wide(matrix_of(spans[chunk.id])) for chunk in content.chunks),
        token_vectors=tuple(wide_tokens(chunk.text) for chunk in content.chunks) if tokens else (),
        community_ids=tuple(item.id for item in content.communities),
        community_vectors=wide(matrix_of([item.title for item in content.communities])),
        tree_node_ids=tuple(item.id for item in content.tree_nodes),
        tree_vectors=wide(matrix_of([item.title for item in content.tree_nodes])),
    )


def lacking(store: GraphStore) -> int:
    return sum(store.unfilled(tenant).total for tenant in store.tenants())


class SpaceContract:
    """Needs the fixtures ``store``, open for writing, and ``open_reader``, which opens the same one to read."""

    def test_a_store_begins_with_one_space(self, store: GraphStore) -> None:
        assert store.live_space() == LiveSpace(space=FIRST)
        assert store.spare_space() is None
        with pytest.raises(SpaceMissing, match="migrate embeddings"):
            store.unfilled("default")
        for change in (store.switch_space, store.drop_space):
            with pytest.raises(SpaceMissing):
                change()

    def test_a_second_space_lacks_everything_at_first(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="how to load it")
        spare = store.spare_space()
        assert spare is not None
        assert (spare.space, spare.recipe, spare.former) == (SECOND, "how to load it", False)
        found = store.unfilled("default")
        counts = store.tenant_counts("default")
        assert len(found.chunk_ids) == counts.chunks
        assert len(found.community_ids) == counts.communities
        assert len(found.tree_node_ids) == counts.tree_nodes
        assert found.total == counts.chunks + counts.communities + counts.tree_nodes
        assert not set(found.chunk_ids) & set(store.unfilled("other").chunk_ids)

    def test_what_is_unfilled_comes_with_all_that_vectors_are_made_from(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="")
        part = store.unfilled("default")
        backwards = Unfilled(
            chunk_ids=part.chunk_ids[::-1],
            community_ids=part.community_ids[::-1],
            tree_node_ids=part.tree_node_ids[::-1],
        )
        content = store.unfilled_content("default", backwards)
        assert tuple(chunk.id for chunk in content.chunks) == backwards.chunk_ids
        assert tuple(sentence.chunk_id for sentence in content.sentences) == backwards.chunk_ids
        assert tuple(item.id for item in content.communities) == backwards.community_ids
        assert tuple(item.id for item in content.tree_nodes) == backwards.tree_node_ids
        assert {document.id for document in content.documents} == {"open", "staff"}

    def test_the_live_space_answers_while_the_second_is_built(self, store: GraphStore) -> None:
        fill(store)
        before = [store.search_vectors(STAFF, vector_of("Alpha"), kind=kind, k=9) for kind in KINDS]
        store.begin_space(SECOND, recipe="")
        fill_spare(store)
        assert lacking(store) == 0
        assert [store.search_vectors(STAFF, vector_of("Alpha"), kind=kind, k=9) for kind in KINDS] == before
        assert store.embedding_model == MODEL

    def test_filling_goes_on_where_it_stopped(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="first")
        fill_spare(store, most=1)
        left = store.unfilled("default")
        store.begin_space(SECOND, recipe="first")
        assert store.unfilled("default") == left
        fill_spare(store)
        store.switch_space()

    def test_an_incomplete_space_does_not_become_live(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="")
        fill_spare(store, most=1)
        with pytest.raises(SpaceIncomplete, match="have no vectors"):
            store.switch_space()
        assert store.live_space().space == FIRST
        assert open_reader().embedding_model == MODEL

    def test_after_the_switch_everything_is_of_the_second_space(self, store: GraphStore) -> None:
        bundles = fill(store)
        store.begin_space(SECOND, recipe="second", live_recipe="first")
        fill_spare(store)
        store.switch_space()
        assert store.live_space() == LiveSpace(space=SECOND, recipe="second", replaced=(FIRST,))
        assert (store.embedding_model, store.dimension) == (SECOND.embedding_model, WIDER)
        assert (store.token_space, store.token_dimension) == (SECOND.token_space, WIDER)
        for kind in KINDS:
            best = store.search_vectors(PUBLIC, wide_vector("Alpha"), kind=kind, k=9)
            assert best
        for bundle in bundles[:2]:
            for chunk in bundle.chunks:
                vectors = store.chunk_vectors(STAFF, [chunk.id])
                np.testing.assert_allclose(vectors[chunk.id], wide_vector(chunk.text), atol=1e-6)
                assert store.cosines(STAFF, wide_vector(chunk.text), [chunk.id])[chunk.id] == pytest.approx(1, abs=1e-5)
                sentences = store.sentences(STAFF, [chunk.id])
                assert [s.chunk_id for s in sentences.sentences] == [chunk.id]
                np.testing.assert_allclose(sentences.vectors[0], wide_vector(chunk.text), atol=0.02)
                (tokens,) = store.token_vectors(STAFF, [chunk.id]).values()
                np.testing.assert_array_equal(tokens.vectors, wide_tokens(chunk.text).vectors)
        assert {chunk.embedding_model for chunk in store.document_chunks(PUBLIC, "open")} == {SECOND.embedding_model}
        assert store.read_collection("default").chunk_vectors.shape[1] == WIDER
        with pytest.raises(InvalidRecord, match="shape"):
            store.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=1)

    def test_records_other_than_vectors_stay_as_they_were(self, store: GraphStore) -> None:
        fill(store)
        counts, digest = store.counts(STAFF), store.content_digest("other")
        hits = store.search_keywords(STAFF, "Alpha", kind="chunk", k=9)
        fingerprint = store.derived_fingerprint("default")
        store.begin_space(SECOND, recipe="")
        assert store.content_digest("other") == digest
        fill_spare(store)
        store.switch_space()
        store.drop_space()
        assert store.counts(STAFF) == counts
        assert store.search_keywords(STAFF, "Alpha", kind="chunk", k=9) == hits
        assert store.derived_fingerprint("default") == fingerprint

    def test_a_reader_of_the_former_space_is_told_and_never_mixes(
        self, store: GraphStore, open_reader: OpenStore
    ) -> None:
        fill(store)
        reader = open_reader()
        reader.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9)
        store.begin_space(SECOND, recipe="")
        fill_spare(store)
        assert reader.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9)
        store.switch_space()
        for read in (
            lambda: reader.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9),
            lambda: reader.search_vectors(PUBLIC, vector_of("Alpha"), kind="report", k=9),
            lambda: reader.cosines(PUBLIC, vector_of("Alpha"), ["open-0"]),
            lambda: reader.chunk_vectors(PUBLIC, ["open-0"]),
            lambda: reader.sentences(PUBLIC, ["open-0"]),
            lambda: reader.token_vectors(PUBLIC, ["open-0"]),
            lambda: reader.read_collection("default"),
            reader.live_space,
            reader.spare_space,
        ):
            with pytest.raises(StoreSwitched, match="wider-model"):
                read()
        assert reader.search_keywords(PUBLIC, "Alpha", kind="chunk", k=9)
        assert open_reader().search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)

    def test_a_switch_can_be_taken_back(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        before = store.search_vectors(STAFF, vector_of("Alpha"), kind="chunk", k=9)
        store.begin_space(SECOND, recipe="second", live_recipe="first")
        fill_spare(store)
        store.switch_space()
        spare = store.spare_space()
        assert spare is not None
        assert (spare.space, spare.recipe, spare.former) == (FIRST, "first", True)
        store.switch_space()
        assert store.live_space() == LiveSpace(space=FIRST, recipe="first", replaced=(SECOND,))
        assert store.search_vectors(STAFF, vector_of("Alpha"), kind="chunk", k=9) == before
        assert open_reader().search_vectors(STAFF, vector_of("Alpha"), kind="chunk", k=9) == before

    def test_documents_written_meanwhile_are_lacking_and_deleted_ones_gone(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="")
        fill_spare(store)
        store.write_documents([document_bundle("new", ["Epsilon arrives."]), open_document()])
        assert set(store.unfilled("default").chunk_ids) == {"new-0", "open-0", "open-1"}
        with pytest.raises(SpaceIncomplete):
            store.switch_space()
        store.delete_documents("default", ["new", "staff"])
        assert set(store.unfilled("default").chunk_ids) == {"open-0", "open-1"}
        fill_spare(store)
        store.switch_space()
        found = store.search_vectors(STAFF, wide_vector("Alpha"), kind="chunk", k=9)
        assert {hit.id for hit in found} == {"open-0", "open-1"}

    def test_documents_written_after_a_switch_are_lacking_in_the_former_space(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(WITHOUT_TOKENS, recipe="")
        fill_spare(store)
        store.switch_space()
        bundle = document_bundle("new", ["Epsilon arrives."])
        wider = replace(
            bundle,
            chunks=tuple(replace(chunk, embedding_model=SECOND.embedding_model) for chunk in bundle.chunks),
            chunk_vectors=wide(bundle.chunk_vectors),
            sentence_vectors=wide(bundle.sentence_vectors),
        )
        with pytest.raises(InvalidRecord):
            store.write_documents([bundle])
        store.write_documents([wider])
        assert store.unfilled("default").chunk_ids == ("new-0",)
        with pytest.raises(SpaceIncomplete, match="1 records"):
            store.switch_space()

    def test_a_new_generation_is_lacking(self, store: GraphStore) -> None:
        bundles = fill(store)
        store.begin_space(SECOND, recipe="")
        fill_spare(store)
        store.publish(generation_of(bundles))
        found = store.unfilled("default")
        assert found.chunk_ids == ()
        assert found.community_ids
        assert found.tree_node_ids

    def test_only_one_second_space_and_no_second_of_the_live_one(self, store: GraphStore) -> None:
        fill(store)
        with pytest.raises(SpaceConflict, match="already"):
            store.begin_space(FIRST, recipe="")
        assert store.spare_space() is None
        store.begin_space(SECOND, recipe="")
        with pytest.raises(SpaceConflict, match="--abandon"):
            store.begin_space(WITHOUT_TOKENS, recipe="")
        fill_spare(store)
        store.switch_space()
        with pytest.raises(SpaceConflict, match="--drop-old"):
            store.begin_space(WITHOUT_TOKENS, recipe="")

    def test_another_kind_of_token_vectors_is_another_space(self, store: GraphStore) -> None:
        fill(store)
        space = replace(FIRST, token_space="wide-words", token_dimension=WIDER)
        store.begin_space(space, recipe="")
        for tenant in store.tenants():
            part = store.unfilled(tenant)
            vectors = vectors_for(store, tenant, part, tokens=True)
            content = store.unfilled_content(tenant, part)
            same = [matrix_of([s.text]) for s in content.chunks]
            store.fill_space(
                replace(
                    vectors,
                    chunk_vectors=matrix_of([chunk.text for chunk in content.chunks]),
                    sentence_vectors=tuple(same),
                    community_vectors=vectors.community_vectors[:, 3:][:, ::-1]
                    / np.linalg.norm(vectors.community_vectors[:, 3:], axis=1, keepdims=True),
                    tree_vectors=vectors.tree_vectors[:, 3:][:, ::-1]
                    / np.linalg.norm(vectors.tree_vectors[:, 3:], axis=1, keepdims=True),
                )
            )
        assert store.token_vectors(PUBLIC, ["open-0"]) == {}
        store.switch_space()
        assert set(store.token_vectors(PUBLIC, ["open-0"])) == {"open-0"}
        assert store.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9)

    def test_a_dropped_space_is_gone_and_may_come_again(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="")
        fill_spare(store)
        store.drop_space()
        assert store.spare_space() is None
        store.begin_space(WITHOUT_TOKENS, recipe="")
        assert lacking(store) > 0
        fill_spare(store)
        store.switch_space()
        store.drop_space()
        assert store.spare_space() is None
        assert store.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)

    def test_vectors_that_do_not_fit_are_refused_whole(self, store: GraphStore) -> None:
        fill(store)
        with pytest.raises(SpaceMissing):
            store.fill_space(SpaceVectors(tenant="default"))
        store.begin_space(SECOND, recipe="")
        part = store.unfilled("default")
        good = vectors_for(store, "default", part, tokens=True)
        broken = good.chunk_vectors.copy()
        broken[0] = 0
        for bad in (
            replace(good, chunk_vectors=broken),
            replace(good, chunk_vectors=good.chunk_vectors[:, :DIMENSION]),
            replace(good, chunk_ids=("nobody", *good.chunk_ids[1:])),
            replace(good, chunk_ids=(good.chunk_ids[1], *good.chunk_ids[1:])),
            replace(good, tenant="other"),
            replace(good, token_vectors=()),
            replace(good, sentence_vectors=()),
            replace(good, sentence_vectors=(good.sentence_vectors[0][:0], *good.sentence_vectors[1:])),
            replace(good, community_vectors=good.community_vectors * 2),
            replace(good, tree_node_ids=()),
        ):
            with pytest.raises(InvalidRecord):
                store.fill_space(bad)
        assert store.unfilled("default") == part

    def test_access_holds_in_the_second_space(self, store: GraphStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="")
        fill_spare(store)
        store.switch_space()

        def found(access: Access) -> set[str]:
            hits = store.search_vectors(access, wide_vector("treasure"), kind="chunk", k=9)
            return {hit.id for hit in hits} | set(store.chunk_vectors(access, ["open-0", "staff-0", "foreign-0"]))

        assert found(PUBLIC) == {"open-0", "open-1"}
        assert found(STAFF) == {"open-0", "open-1", "staff-0"}
        assert found(OTHER) == {"foreign-0"}

    def test_a_reader_may_not_change_spaces(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        store.begin_space(SECOND, recipe="")
        reader = open_reader()
        spare = reader.spare_space()
        assert spare is not None
        assert spare.space == SECOND
        assert reader.unfilled("default").total > 0
        changes: list[Callable[[], object]] = [
            lambda: reader.begin_space(WITHOUT_TOKENS, recipe=""),
            lambda: reader.fill_space(SpaceVectors(tenant="default")),
            reader.switch_space,
            reader.drop_space,
        ]
        for change in changes:
            with pytest.raises(StoreUnusable, match="read only"):
                change()
