"""A real cross-encoder, made tiny with random weights by a fixed seed."""

import json
from pathlib import Path

import numpy as np
import pytest

from model_clients.cross_encoder import CrossEncoderReranker
from model_clients.errors import ModelCorrupt, ModelMissing, ModelUnsupported
from model_clients.reranker import OverlapReranker
from model_clients.settings import RerankerSettings

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (*SPECIAL, "who", "built", "the", "tower", "of", "mast", "ida", "holm", "herring", "oil")
PASSAGES = ["ida holm built the tower", "herring", "the oil of the mast " * 40]


def write_model(folder: Path, *, labels: int = 1, head: bool = True, damaged: bool = False) -> Path:
    import torch  # noqa: PLC0415  # heavy import, only when used
    from transformers import (  # noqa: PLC0415  # heavy import, only when used
        BertConfig,
        BertForSequenceClassification,
        BertModel,
        BertTokenizer,
    )

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizer(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    config.num_labels = labels
    torch.manual_seed(7)
    model = BertForSequenceClassification(config) if head else BertModel(config)
    if damaged:
        with torch.no_grad():
            dict(model.named_parameters())["classifier.bias"].fill_(float("nan"))
    model.save_pretrained(folder)
    return folder


def reranker(folder: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(RerankerSettings(model=str(folder), max_length=32, batch_size=2))


@pytest.mark.model
def test_scores_are_those_of_the_model_whatever_the_batch(tmp_path: Path) -> None:
    model = reranker(write_model(tmp_path / "m"))
    scores = model.scores("who built the tower", PASSAGES)
    assert scores.shape == (3,)
    assert scores.dtype == np.float32
    assert len(set(scores.tolist())) == 3
    turned = reranker(tmp_path / "m").scores("who built the tower", PASSAGES[::-1])
    np.testing.assert_allclose(turned[::-1], scores, atol=1e-5)
    assert model.scores("who", []).shape == (0,)


@pytest.mark.model
def test_a_model_of_several_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnsupported, match="tells 3 labels apart"):
        reranker(write_model(tmp_path / "m", labels=3)).scores("who", PASSAGES)


@pytest.mark.model
def test_a_model_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnsupported, match="no cross-encoder"):
        reranker(write_model(tmp_path / "m", head=False)).scores("who", PASSAGES)


@pytest.mark.model
@pytest.mark.parametrize(
    ("lost", "named"), [(("classifier.weight",), "classifier.weight"), (("classifier.", "bert.pooler"), "and 2 more")]
)
def test_a_model_that_says_it_has_a_head_but_lacks_its_weights_is_refused(
    tmp_path: Path, lost: tuple[str, ...], named: str
) -> None:
    from safetensors.numpy import load_file, save_file  # noqa: PLC0415  # heavy import, only when used

    weights = write_model(tmp_path / "m") / "model.safetensors"
    save_file(
        {name: array for name, array in load_file(weights).items() if not name.startswith(lost)},
        weights,
        metadata={"format": "pt"},
    )
    with pytest.raises(ModelUnsupported, match="scores would be random") as raised:
        reranker(tmp_path / "m").scores("who", PASSAGES)
    assert named in str(raised.value)


@pytest.mark.model
def test_scores_that_are_no_numbers_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelCorrupt, match="weights are damaged"):
        reranker(write_model(tmp_path / "m", damaged=True)).scores("who", PASSAGES)


@pytest.mark.model
def test_damaged_weights_are_an_error(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelMissing, match="cannot be loaded"):
        reranker(folder).scores("who", PASSAGES)


@pytest.mark.parametrize(
    "content", [None, "{", "[]", "{}", json.dumps({"architectures": 5}), json.dumps({"architectures": ["BertModel"]})]
)
def test_a_folder_that_holds_no_cross_encoder_is_refused_before_anything_is_loaded(
    tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises((ModelMissing, ModelUnsupported), match=r"reranker\.model"):
        reranker(tmp_path).scores("who", PASSAGES)


def test_the_name_tells_what_the_scores_depend_on() -> None:
    settings = RerankerSettings(model="some/model", revision="abc", max_length=128)
    assert CrossEncoderReranker(settings).model_id == "some/model@abc|128"


def test_the_reranker_without_a_model_counts_shared_words() -> None:
    scores = OverlapReranker().scores("Who built it", ["Ida built it.", "herring", "who BUILT it"])
    assert scores.tolist() == pytest.approx([2 / 3, 0.0, 1.0])
    assert OverlapReranker().scores("?!", ["a"]).tolist() == [0.0]
