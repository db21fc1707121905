"""The real model. Its package is a dependency, so nothing here is skipped."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from model_clients.bundled_model import bundled_model, bundled_model_folder
from model_clients.embedder import Embedder, Passage
from model_clients.errors import ModelMissing, ModelUnsupported
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
from model_clients.transformer_model import uses_bfloat16
from tests.model_clients.embedder_contract import SENTENCES, TEXT, EmbedderContract, TokenContract, token_cosines

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

pytestmark = pytest.mark.model


@pytest.fixture(scope="session")
def float32_embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(EmbedderSettings(dtype="float32"))


@pytest.fixture(scope="session")
def bfloat16_embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(EmbedderSettings(dtype="bfloat16"))


@pytest.fixture(scope="session")
def full_embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(EmbedderSettings(dtype="float32", token_vectors="full"))


@pytest.fixture(scope="session")
def model_folder() -> Path:
    bundled = bundled_model(EmbedderSettings().model)
    assert bundled is not None
    return bundled_model_folder(bundled)


@pytest.fixture(scope="session")
def reference(model_folder: Path) -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # heavy import, only when used

    return SentenceTransformer(str(model_folder), device="cpu")


class TestFloat32(EmbedderContract):
    @pytest.fixture
    def embedder(self, float32_embedder: SentenceTransformerEmbedder) -> Embedder:
        return float32_embedder


class TestBfloat16(EmbedderContract):
    @pytest.fixture
    def embedder(self, bfloat16_embedder: SentenceTransformerEmbedder) -> Embedder:
        return bfloat16_embedder


class TestFullTokens(TokenContract):
    @pytest.fixture
    def embedder(self, full_embedder: SentenceTransformerEmbedder) -> Embedder:
        return full_embedder


TEXTS = [TEXT, "Short.", "A question?", TEXT[:60], "  leading space and a\nnew line", "北京是中国的首都。"]


def test_vectors_are_those_of_the_library(
    float32_embedder: SentenceTransformerEmbedder, reference: "SentenceTransformer"
) -> None:
    expected = reference.encode(TEXTS, normalize_embeddings=True)
    ours = float32_embedder.embed_passages([Passage(text=text) for text in TEXTS]).passages
    questions = np.stack([float32_embedder.embed_question(text) for text in TEXTS])
    assert ((ours * expected).sum(axis=1) > 0.9995).all()
    assert ((questions * expected).sum(axis=1) > 0.9995).all()


def test_span_vectors_are_means_of_the_token_vectors(
    float32_embedder: SentenceTransformerEmbedder, reference: "SentenceTransformer"
) -> None:
    tokens = reference.encode(TEXT, output_value="token_embeddings")
    spans = float32_embedder.token_spans(TEXT)
    ours = float32_embedder.embed_passages([Passage(text=TEXT, spans=SENTENCES)]).spans[0]
    for row, (start, end) in enumerate(SENTENCES):
        # The first token vector is that of the special token at the start.
        inside = [index + 1 for index, (first, last) in enumerate(spans) if first < end and last > start]
        mean = np.asarray(tokens[inside].float().mean(dim=0).numpy())
        assert mean @ ours[row] / np.linalg.norm(mean) > 0.9995


def test_bfloat16_vectors_can_stand_in_for_float32_ones(
    float32_embedder: SentenceTransformerEmbedder, bfloat16_embedder: SentenceTransformerEmbedder
) -> None:
    passages = [Passage(text=text, spans=((0, len(text)),)) for text in TEXTS]
    exact, rough = float32_embedder.embed_passages(passages), bfloat16_embedder.embed_passages(passages)
    assert ((exact.passages * rough.passages).sum(axis=1) > 0.999).all()
    assert all(ours[0] @ theirs[0] > 0.999 for ours, theirs in zip(exact.spans, rough.spans, strict=True))
    assert float32_embedder.model_id == bfloat16_embedder.model_id


def test_full_token_vectors_are_those_of_the_library(
    full_embedder: SentenceTransformerEmbedder, reference: "SentenceTransformer"
) -> None:
    # The first and the last token are special ones.
    expected = np.asarray(reference.encode(TEXT, output_value="token_embeddings").float().numpy())[1:-1]
    (ours,) = full_embedder.embed_passages([Passage(text=TEXT)], with_tokens=True).tokens
    rows = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.abs(ours.vectors / 127 - rows).max() <= 0.5 / 127 + 1e-4
    assert (full_embedder.token_space, full_embedder.token_dimension) == ("full", 384)


def test_projected_tokens_tell_what_full_ones_tell(
    float32_embedder: SentenceTransformerEmbedder, full_embedder: SentenceTransformerEmbedder
) -> None:
    passages = [Passage(text=text) for text in TEXTS[:4]]
    question = "Which country has a complex of the Deep Space Network?"
    best = []
    for embedder in (float32_embedder, full_embedder):
        tokens = embedder.embed_question_tokens(question).tokens
        found = embedder.embed_passages(passages, with_tokens=True).tokens
        best.append(np.stack([token_cosines(tokens, passage).max(axis=1) for passage in found]))
    assert np.corrcoef(best[0].ravel(), best[1].ravel())[0, 1] > 0.9
    assert best[0].mean(axis=1).argmax() == best[1].mean(axis=1).argmax() == 0


def test_questions_have_the_same_tokens_with_and_without_torch() -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings(dtype="float32"))
    without = [embedder.embed_question_tokens(text) for text in TEXTS]
    embedder.embed_passages([Passage(text="loads torch")])
    for text, light in zip(TEXTS, without, strict=True):
        heavy = embedder.embed_question_tokens(text)
        assert np.array_equal(light.tokens.starts, heavy.tokens.starts)
        assert np.abs(light.tokens.vectors.astype(int) - heavy.tokens.vectors).max() <= 1
        assert light.vector @ heavy.vector > 0.99999


def test_token_vectors_can_be_left_out() -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings(token_vectors="none"))
    assert (embedder.token_space, embedder.token_dimension) == ("none", 0)
    assert embedder.embed_question_tokens(TEXT).tokens.vectors.shape == (0, 0)
    assert embedder.embed_passages([Passage(text=TEXT)], with_tokens=True).tokens == ()


def test_batches_do_not_change_vectors(float32_embedder: SentenceTransformerEmbedder) -> None:
    one_by_one = SentenceTransformerEmbedder(EmbedderSettings(dtype="float32", batch_size=1))
    passages = [Passage(text=text, spans=((0, 5),)) for text in TEXTS]
    batched, single = float32_embedder.embed_passages(passages), one_by_one.embed_passages(passages)
    assert np.allclose(batched.passages, single.passages, atol=1e-5)
    assert all(np.allclose(ours, theirs, atol=1e-5) for ours, theirs in zip(batched.spans, single.spans, strict=True))


def test_a_passage_prefix_takes_room_and_does_not_shift_spans(float32_embedder: SentenceTransformerEmbedder) -> None:
    prefixed = SentenceTransformerEmbedder(EmbedderSettings(dtype="float32", passage_prefix="passage: "))
    assert prefixed.max_tokens == float32_embedder.max_tokens - 2
    assert prefixed.model_id != float32_embedder.model_id
    text = "Penguins swim in cold water. The treaty was signed by two governments."
    spans = ((0, 28), (29, len(text)))
    ours = prefixed.embed_passages([Passage(text=text, spans=spans)]).spans[0]
    plain = float32_embedder.embed_passages([Passage(text=text, spans=spans)]).spans[0]
    assert (ours * plain).sum(axis=1).min() > 0.9
    (tokens,) = prefixed.embed_passages([Passage(text=text)], with_tokens=True).tokens
    assert tokens.starts.tolist() == [start for start, _ in prefixed.token_spans(text)]
    whole = prefixed.embed_passages([Passage(text=text)]).passages[0]
    written_out = float32_embedder.embed_passages([Passage(text="passage: " + text)]).passages[0]
    assert whole @ written_out > 0.9995


def test_a_question_prefix_is_put_before_questions_alone(float32_embedder: SentenceTransformerEmbedder) -> None:
    prefixed = SentenceTransformerEmbedder(EmbedderSettings(dtype="float32", question_prefix="query: "))
    expected = float32_embedder.embed_question("query: where?")
    assert prefixed.embed_question("where?") @ expected > 0.9995
    found = prefixed.embed_question_tokens("where?")
    assert found.vector @ expected > 0.9995
    assert found.tokens.starts.tolist() == [0, 5]
    assert prefixed.max_tokens == float32_embedder.max_tokens


def test_a_model_in_a_folder(model_folder: Path, float32_embedder: SentenceTransformerEmbedder) -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings(model=str(model_folder), dtype="float32"))
    assert embedder.model_id.startswith("model@")
    assert (embedder.dimension, embedder.max_tokens) == (384, 254)
    assert embedder.token_spans(TEXT) == float32_embedder.token_spans(TEXT)
    assert embedder.embed_question(TEXT) @ float32_embedder.embed_question(TEXT) > 0.9995
    assert (embedder.token_space, embedder.token_dimension) == ("full", 384), "a projection is of one model alone"


def test_a_name_that_no_file_can_have() -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings(model="x" * 5_000, passage_prefix="p", question_prefix="q"))
    assert embedder.model_id.startswith("x" * 5_000)


def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings(model=str(tmp_path)))
    with pytest.raises(ModelMissing, match="cannot be loaded"):
        embedder.embed_question("anything")


def test_a_model_without_token_vectors(tmp_path: Path, reference: "SentenceTransformer") -> None:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # heavy import, only when used
    from sentence_transformers.sentence_transformer.modules import (  # noqa: PLC0415  # heavy import, only when used
        StaticEmbedding,
    )

    static = StaticEmbedding(reference.tokenizer, embedding_dim=8)
    SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path / "static"))
    with pytest.raises(ModelUnsupported, match="no token vectors"):
        SentenceTransformerEmbedder(EmbedderSettings(model=str(tmp_path / "static"))).embed_question("anything")


def test_what_is_known_without_loading_the_model() -> None:
    program = """
import sys
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
embedder = SentenceTransformerEmbedder(EmbedderSettings())
assert embedder.model_id == "all-MiniLM-L6-v2@53aa51172d14", embedder.model_id
assert (embedder.dimension, embedder.max_tokens) == (384, 254)
assert (embedder.token_space, embedder.token_dimension) == ("pca64@c7ecafd6469c", 64), embedder.token_space
assert embedder.token_spans("two words") == [(0, 3), (4, 9)]
heavy = {"torch", "transformers", "sentence_transformers"} & set(sys.modules)
assert not heavy, heavy
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_loading_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    SentenceTransformerEmbedder(EmbedderSettings()).embed_question("anything")
    assert capfd.readouterr() == ("", "")


def test_the_precision_asked_for() -> None:
    assert uses_bfloat16("bfloat16", "cpu")
    assert not uses_bfloat16("float32", "cpu")
    assert not uses_bfloat16("auto", "cuda")
