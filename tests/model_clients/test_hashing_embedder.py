import numpy as np
import pytest

from model_clients.embedder import Embedder, Passage
from model_clients.hashing_embedder import HashingEmbedder
from tests.model_clients.embedder_contract import EmbedderContract, token_cosines


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()


class TestSmallHashingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder(dimension=48, max_tokens=60)


def test_vectors_are_the_same_on_every_machine() -> None:
    vector = HashingEmbedder(dimension=8).embed_question("deep space network")
    assert np.allclose(vector, [0, 0.8165, 0, 0.4082, 0, -0.4082, 0, 0], atol=1e-4)


def test_the_dimension_is_part_of_the_model_id() -> None:
    assert HashingEmbedder(dimension=32).model_id != HashingEmbedder(dimension=64).model_id


def test_case_does_not_matter_and_chinese_characters_are_words() -> None:
    embedder = HashingEmbedder()
    assert embedder.embed_question("Deep SPACE") @ embedder.embed_question("deep space") > 0.999
    assert embedder.token_spans("北京 is") == [(0, 1), (1, 2), (3, 5)]


def test_a_lone_surrogate_does_no_harm() -> None:
    vectors = HashingEmbedder().embed_passages([Passage(text="broken \ud800 text")])
    assert np.isfinite(vectors.passages).all()


def test_equal_words_have_a_cosine_of_one() -> None:
    embedder = HashingEmbedder()
    question = embedder.embed_question_tokens("Deep WATER").tokens
    (passage,) = embedder.embed_passages([Passage(text="water is deep")], with_tokens=True).tokens
    assert token_cosines(question, passage)[0, 2] == pytest.approx(1, abs=1e-5)
    assert token_cosines(question, passage)[1, 0] == pytest.approx(1, abs=1e-5)
    assert (embedder.token_space, embedder.token_dimension) == ("full", 64)


def test_token_vectors_can_be_left_out() -> None:
    embedder = HashingEmbedder(token_vectors="none")
    assert (embedder.token_space, embedder.token_dimension) == ("none", 0)
    assert embedder.embed_passages([Passage(text="a word")], with_tokens=True).tokens == ()
    found = embedder.embed_question_tokens("a word")
    assert found.tokens.vectors.shape == (0, 0)
    assert np.array_equal(found.vector, HashingEmbedder().embed_question("a word"))
