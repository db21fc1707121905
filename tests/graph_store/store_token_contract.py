"""The part of a store's contract that is about token vectors: for stores that keep them.

Inherit the class and give it a ``token_store`` fixture: empty, writable, with the dimension, embedding model, token
space and token dimension of ``builders``.
"""

from dataclasses import replace

import numpy as np
import pytest

from graph_store.bundles import DocumentBundle, TokenVectors
from graph_store.errors import InvalidRecord
from graph_store.store import GraphStore
from tests.graph_store.builders import TOKEN_DIMENSION, TOKEN_SPACE, document_bundle, with_tokens
from tests.graph_store.samples import OTHER, PUBLIC, STAFF, three_documents


def fill(store: GraphStore) -> list[DocumentBundle]:
    bundles = [with_tokens(bundle) for bundle in three_documents()]
    store.write_documents(bundles)
    return bundles


def assert_same(found: TokenVectors, expected: TokenVectors) -> None:
    assert found.starts.dtype == np.int32
    assert found.vectors.dtype == np.int8
    np.testing.assert_array_equal(found.starts, expected.starts)
    np.testing.assert_array_equal(found.vectors, expected.vectors)


class TokenContract:
    def test_space_and_dimension_are_told(self, token_store: GraphStore) -> None:
        assert (token_store.token_space, token_store.token_dimension) == (TOKEN_SPACE, TOKEN_DIMENSION)
        assert token_store.token_vectors(PUBLIC, ["nothing"]) == {}
        assert token_store.token_vectors(PUBLIC, []) == {}

    def test_tokens_come_back_as_written_in_the_order_asked(self, token_store: GraphStore) -> None:
        bundle = fill(token_store)[0]
        found = token_store.token_vectors(PUBLIC, ["open-1", "missing", "open-0", "open-1"])
        assert list(found) == ["open-1", "open-0"]
        assert_same(found["open-0"], bundle.token_vectors[0])
        assert_same(found["open-1"], bundle.token_vectors[1])

    def test_a_chunk_without_tokens_has_an_empty_record(self, token_store: GraphStore) -> None:
        none = TokenVectors(starts=np.zeros(0, dtype=np.int32), vectors=np.zeros((0, TOKEN_DIMENSION), dtype=np.int8))
        token_store.write_documents([replace(document_bundle("a", ["Alpha"]), token_vectors=(none,))])
        assert_same(token_store.token_vectors(PUBLIC, ["a-0"])["a-0"], none)

    def test_tokens_of_hidden_chunks_are_missing(self, token_store: GraphStore) -> None:
        fill(token_store)
        everything = ["open-0", "staff-0", "foreign-0"]
        assert set(token_store.token_vectors(PUBLIC, everything)) == {"open-0"}
        assert set(token_store.token_vectors(STAFF, everything)) == {"open-0", "staff-0"}
        assert set(token_store.token_vectors(OTHER, everything)) == {"foreign-0"}

    def test_tenants_keep_their_own_tokens_under_the_same_id(self, token_store: GraphStore) -> None:
        mine = with_tokens(document_bundle("same", ["Alpha is mine."]))
        yours = with_tokens(document_bundle("same", ["Alpha is yours, then."], tenant="other"))
        token_store.write_documents([mine, yours])
        token_store.delete_documents("other", ["same"])
        assert token_store.token_vectors(OTHER, ["same-0"]) == {}
        assert_same(token_store.token_vectors(PUBLIC, ["same-0"])["same-0"], mine.token_vectors[0])

    def test_a_replaced_document_has_its_new_tokens_alone(self, token_store: GraphStore) -> None:
        fill(token_store)
        newer = with_tokens(document_bundle("open", ["Delta reigns over many words."], version=2))
        token_store.write_documents([newer])
        found = token_store.token_vectors(PUBLIC, ["open-0", "open-1"])
        assert list(found) == ["open-0"]
        assert_same(found["open-0"], newer.token_vectors[0])

    def test_tokens_go_with_their_document(self, token_store: GraphStore) -> None:
        fill(token_store)
        token_store.delete_documents("default", ["open"])
        assert set(token_store.token_vectors(STAFF, ["open-0", "open-1", "staff-0"])) == {"staff-0"}

    def test_the_digest_does_not_depend_on_tokens(self, token_store: GraphStore) -> None:
        bundle = fill(token_store)[0]
        before = token_store.content_digest("default")
        turned = tuple(replace(tokens, vectors=-tokens.vectors) for tokens in bundle.token_vectors)
        token_store.write_documents([replace(bundle, token_vectors=turned)])
        assert token_store.content_digest("default") == before

    @pytest.mark.parametrize(
        ("starts", "vectors", "message"),
        [
            (np.array([0, 2], dtype=np.int64), np.eye(2, TOKEN_DIMENSION) * 127, "int32"),
            (np.array([[0], [2]], dtype=np.int32), np.eye(2, TOKEN_DIMENSION) * 127, "int32"),
            (np.array([2, 0], dtype=np.int32), np.eye(2, TOKEN_DIMENSION) * 127, "fall"),
            (np.array([-2, 0], dtype=np.int32), np.eye(2, TOKEN_DIMENSION) * 127, "outside"),
            (np.array([0, 5], dtype=np.int32), np.eye(2, TOKEN_DIMENSION) * 127, "outside"),
            (np.array([0, 2], dtype=np.int32), np.eye(3, TOKEN_DIMENSION) * 127, r"\(2, 16\) is due"),
            (np.array([0, 2], dtype=np.int32), np.eye(2, TOKEN_DIMENSION + 1) * 127, r"\(2, 16\) is due"),
            (np.array([0, 2], dtype=np.int32), np.eye(2, TOKEN_DIMENSION) * 120, "length 120"),
            (np.array([0, 2], dtype=np.int32), np.zeros((2, TOKEN_DIMENSION)), "length 0"),
        ],
    )
    def test_tokens_that_break_their_record_are_refused(
        self, token_store: GraphStore, starts: np.ndarray, vectors: np.ndarray, message: str
    ) -> None:
        broken = TokenVectors(starts=starts, vectors=vectors.astype(np.int8))
        with pytest.raises(InvalidRecord, match=message):
            token_store.write_documents([replace(document_bundle("a", ["Alpha"]), token_vectors=(broken,))])
        assert token_store.tenants() == ()

    def test_vectors_that_are_not_int8_are_refused(self, token_store: GraphStore) -> None:
        bundle = with_tokens(document_bundle("a", ["Alpha"]))
        floats = replace(bundle.token_vectors[0], vectors=bundle.token_vectors[0].vectors.astype(np.float32))
        with pytest.raises(InvalidRecord, match="float32"):
            token_store.write_documents([replace(bundle, token_vectors=(floats,))])

    @pytest.mark.parametrize("kept", [0, 1])
    def test_every_chunk_must_have_tokens(self, token_store: GraphStore, kept: int) -> None:
        bundle = with_tokens(document_bundle("a", ["Alpha", "Beta"]))
        with pytest.raises(InvalidRecord, match=f"of {kept} chunks, expected 2"):
            token_store.write_documents([replace(bundle, token_vectors=bundle.token_vectors[:kept])])
        assert token_store.tenants() == ()
