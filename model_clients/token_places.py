"""Which tokens of an encoded text belong to the text itself, and which to a span of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from model_clients.embedder import FloatMatrix, Passage

if TYPE_CHECKING:
    from tokenizers import Encoding


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTokens:
    """Which tokens of an encoding belong to the text itself: their indices and where they start in it, both (t,)."""

    indices: NDArray[np.int64]
    starts: NDArray[np.int32]


def span_weights(encoding: "Encoding", passage: Passage, shift: int) -> FloatMatrix:
    """Return (spans, tokens) float32: 1 / k for the k tokens that overlap a span, ``shift`` characters further right.

    Special tokens have the empty span (0, 0) and tokens of the prefix end before ``shift``: they overlap nothing.
    """
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    spans = np.array(passage.spans, dtype=np.int64).reshape(-1, 2) + shift
    overlaps = (offsets[None, :, 0] < spans[:, 1:]) & (offsets[None, :, 1] > spans[:, :1])
    counts = np.maximum(overlaps.sum(axis=1, keepdims=True), 1)
    weights: FloatMatrix = overlaps.astype(np.float32) / counts.astype(np.float32)
    return weights


def any_token(weights: FloatMatrix) -> FloatMatrix:
    """Return (spans, 1): 1 where a span has tokens, 0 where not (a projection would turn its zeros into something)."""
    covered: FloatMatrix = (weights.sum(axis=1, keepdims=True) > 0).astype(np.float32)
    return covered


def own_tokens(encoding: "Encoding", shift: int) -> OwnTokens:
    """Return the tokens that begin or end beyond a prefix of ``shift`` characters; special tokens are empty spans."""
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    indices = np.flatnonzero(offsets[:, 1] > np.maximum(offsets[:, 0], shift))
    # Normalising may reorder marks above and below a letter, and the tokens with them: starts never fall all the same.
    starts = np.maximum.accumulate(np.maximum(offsets[indices, 0] - shift, 0))
    return OwnTokens(indices=indices, starts=starts.astype(np.int32))
