"""Token vectors as they are kept: projected to few dimensions, one byte a component.

Late interaction (ColBERT, Khattab & Zaharia 2020) needs a vector per token, which at 384 float32 dimensions would take
a thousand times the room of the text. Most of their directions hold next to nothing, so a fixed projection to the main
ones keeps what cosines tell, and eight bits a component are enough for them.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from model_clients.embedder import FloatMatrix, TokenVectors
from model_clients.unit_rows import unit_rows

NO_TOKENS = "none"
"""The token space of embedders that make no token vectors."""

FULL_TOKENS = "full"
"""The token space of token vectors as the model makes them, scaled to unit length."""

_SCALE = 127


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenProjection:
    """A linear map of unit token vectors: ``matrix`` is (d, e) float32; ``space`` names it with its digest."""

    space: str
    matrix: FloatMatrix


@lru_cache(maxsize=8)
def read_projection(path: Path) -> TokenProjection:
    """Read a projection from an npy file of (d, e) float16."""
    content = path.read_bytes()
    matrix = np.load(BytesIO(content), allow_pickle=False).astype(np.float32)
    return TokenProjection(space=f"pca{matrix.shape[1]}@{hashlib.sha256(content).hexdigest()[:12]}", matrix=matrix)


def quantised_rows(rows: FloatMatrix) -> NDArray[np.int8]:
    """Return unit rows (t, e) times 127, rounded to int8; the error of a cosine is about 0.003."""
    quantised: NDArray[np.int8] = np.rint(rows * _SCALE).astype(np.int8)
    return quantised


def projected_tokens(rows: FloatMatrix, projection: TokenProjection | None) -> NDArray[np.int8]:
    """Return token vectors (t, d) projected, scaled to unit length and quantised: (t, e); as they are without one."""
    return quantised_rows(unit_rows(rows if projection is None else rows @ projection.matrix))


def no_token_vectors() -> TokenVectors:
    """Return the record of a text where the token space is "none"."""
    return TokenVectors(starts=np.zeros(0, dtype=np.int32), vectors=np.zeros((0, 0), dtype=np.int8))
