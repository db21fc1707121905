"""Makes the projection of token vectors that ships with the bundled model.

``python -m model_clients.token_projection_training FOLDER...`` reads the ``corpus.jsonl`` of each folder, embeds a
sample of the passages (title, newline, text) and writes the file anew; no question is looked at. The one that ships was
made from the passages of 100 MuSiQue and 100 HotpotQA training questions (see ``docs/dependencies.md``).
"""

import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from model_clients.bundled_model import bundled_model
from model_clients.embedder import Embedder, Passage
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings

_SEED = 7
_SAMPLE = 1_000
_KEPT = 64
_BATCH = 64


def main_directions(moments: NDArray[np.float64], kept: int) -> NDArray[np.float16]:
    """Return the ``kept`` main directions (d, kept) of a second-moment matrix (d, d), the largest first.

    It is PCA without centring: the cosine, which the projection is to keep, is about the origin. A direction's sign is
    arbitrary, so its largest component is made positive, the same on every machine.
    """
    directions, _, _ = np.linalg.svd(moments, hermitian=True)
    chosen = directions[:, :kept]
    largest = np.abs(chosen).argmax(axis=0)
    signs = np.sign(chosen[largest, np.arange(chosen.shape[1])])
    fixed: NDArray[np.float16] = (chosen * signs).astype(np.float16)
    return fixed


def second_moments(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float64]:
    """Return the sum of the outer products of all token vectors with themselves: (d, d)."""
    moments = np.zeros((embedder.dimension, embedder.dimension))
    for start in range(0, len(texts), _BATCH):
        passages = [Passage(text=_fit(text, embedder)) for text in texts[start : start + _BATCH]]
        for tokens in embedder.embed_passages(passages, with_tokens=True).tokens:
            rows = tokens.vectors.astype(np.float64) / 127
            moments += rows.T @ rows
    return moments


def _fit(text: str, embedder: Embedder) -> str:
    spans = embedder.token_spans(text)
    return text if len(spans) <= embedder.max_tokens else text[: spans[embedder.max_tokens - 1][1]]


def _texts(folder: Path) -> Iterator[str]:
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield f"{row['title']}\n{row['text']}"


def _main(folders: Sequence[str]) -> None:
    texts = sorted({text for folder in folders for text in _texts(Path(folder))})
    sample = random.Random(_SEED).sample(texts, min(_SAMPLE, len(texts)))
    settings = EmbedderSettings(token_vectors="full", dtype="float32")
    model = bundled_model(settings.model)
    assert model is not None  # the default model is a bundled one
    directions = main_directions(second_moments(sample, SentenceTransformerEmbedder(settings)), _KEPT)
    np.save(model.token_projection, directions, allow_pickle=False)


if __name__ == "__main__":
    _main(sys.argv[1:])
