"""One short text through a BERT model in numpy alone: a single question need not wait for torch to load."""

import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from model_clients.embedder import FloatMatrix

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # ships no types

_EMBEDDINGS = "embeddings"
_ERF_COEFFICIENTS = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """What the weights do not tell of themselves."""

    layers: int
    heads: int
    epsilon: float

    @classmethod
    def from_file(cls, path: Path) -> "BertShape":
        """Read a ``config.json``."""
        config = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            epsilon=float(config["layer_norm_eps"]),
        )


class QuestionEncoder:
    """A BERT encoder (Devlin et al., 2019) in float32; agrees with torch to a cosine of 1 - 1e-6.

    Importing torch and the libraries around it takes seconds, one question here a few hundredths of one. For more than
    that, torch is the better choice: it multiplies faster, and whole batches at a time.
    """

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file  # noqa: PLC0415  # only where no torch is loaded

        self._lock = threading.Lock()
        self._shape = BertShape.from_file(folder / "config.json")
        self._weights: dict[str, NDArray[np.float32]] = load_file(folder / "model.safetensors")

    def token_vectors(self, token_ids: Sequence[int]) -> FloatMatrix:
        """Return the vectors of the last layer: (tokens, d), not of unit length. O(tokens x weights)."""
        # One at a time: the number of threads belongs to the process, and has to be put back as it was.
        with self._lock, self._one_thread():
            rows = self._embedded(np.asarray(token_ids, dtype=np.int64))
            for layer in range(self._shape.layers):
                rows = self._layer(rows, f"encoder.layer.{layer}.")
            return rows

    def _one_thread(self) -> AbstractContextManager[object]:
        """Keep to one thread: matrices are so small that threads wait for each other, for ages on a busy machine."""
        limited: AbstractContextManager[object] = self._threads.limit(limits=1, user_api="blas")
        return limited

    @cached_property
    def _threads(self) -> "ThreadpoolController":
        from threadpoolctl import ThreadpoolController  # noqa: PLC0415  # only where no torch is loaded

        return ThreadpoolController()

    def _embedded(self, token_ids: NDArray[np.int64]) -> FloatMatrix:
        words = self._weights[f"{_EMBEDDINGS}.word_embeddings.weight"][token_ids]
        positions = self._weights[f"{_EMBEDDINGS}.position_embeddings.weight"][: len(token_ids)]
        kind = self._weights[f"{_EMBEDDINGS}.token_type_embeddings.weight"][0]
        return self._normalised(words + positions + kind, f"{_EMBEDDINGS}.LayerNorm")

    def _layer(self, rows: FloatMatrix, name: str) -> FloatMatrix:
        attended = self._linear(self._attention(rows, f"{name}attention.self."), f"{name}attention.output.dense")
        rows = self._normalised(attended + rows, f"{name}attention.output.LayerNorm")
        inner = _gelu(self._linear(rows, f"{name}intermediate.dense"))
        return self._normalised(self._linear(inner, f"{name}output.dense") + rows, f"{name}output.LayerNorm")

    def _attention(self, rows: FloatMatrix, name: str) -> FloatMatrix:
        """Return (n, d): every token as the mixture of all tokens that each head makes."""
        query, key, value = (self._by_head(self._linear(rows, name + part)) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[-1]))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (shares / shares.sum(axis=-1, keepdims=True)) @ value
        merged: FloatMatrix = mixed.transpose(1, 0, 2).reshape(rows.shape)
        return merged

    def _by_head(self, rows: FloatMatrix) -> NDArray[np.float32]:
        return rows.reshape(len(rows), self._shape.heads, -1).transpose(1, 0, 2)

    def _linear(self, rows: FloatMatrix, name: str) -> FloatMatrix:
        product: FloatMatrix = rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _normalised(self, rows: FloatMatrix, name: str) -> FloatMatrix:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self._shape.epsilon))
        scaled: FloatMatrix = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return scaled


def _gelu(values: FloatMatrix) -> FloatMatrix:
    """Return x times the normal distribution function of x (Hendrycks and Gimpel, 2016)."""
    activated: FloatMatrix = values * (np.float32(0.5) + np.float32(0.5) * _erf(values * np.float32(2**-0.5)))
    return activated


def _erf(values: FloatMatrix) -> FloatMatrix:
    """Return the error function, to 2e-7 (Abramowitz and Stegun, 1964, 7.1.26): importing scipy's takes longer."""
    sizes = np.abs(values)
    t = np.float32(1.0) / (np.float32(1.0) + np.float32(0.3275911) * sizes)
    series = np.zeros_like(t)
    for coefficient in _ERF_COEFFICIENTS:
        series = (series + np.float32(coefficient)) * t
    result: FloatMatrix = np.copysign(np.float32(1.0) - series * np.exp(-sizes * sizes), values)
    return result
