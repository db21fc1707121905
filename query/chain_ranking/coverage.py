"""How well passages and sentences cover the words of a question, token by token (late interaction).

The cosine of a question's token with the nearest token of a passage (MaxSim; Khattab and Zaharia, SIGIR 2020) says
whether the passage speaks of that word. Common words are near to something everywhere, so each word is standardised
against a sample of passages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import TokenVectors
from query.chain_ranking.arrays import Matrix

_HIGHEST = 6.0
_LEAST_SPREAD = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTable:
    """Token vectors of many passages, one after the other: ``vectors`` (t, e) unit rows, passage i from ``bounds[i]``
    to ``bounds[i + 1]``; ``starts`` (t,) are character offsets in the passage's text, -1 for its title and headings.
    """

    vectors: NDArray[np.float32]
    starts: NDArray[np.int64]
    bounds: NDArray[np.int64]


def token_table(tokens: Sequence[TokenVectors]) -> TokenTable:
    """Stack the token vectors of passages."""
    counts = [len(item.starts) for item in tokens]
    filled = [item for item in tokens if len(item.starts)]
    width = filled[0].vectors.shape[1] if filled else 0
    vectors = np.concatenate([item.vectors for item in filled]) if filled else np.zeros((0, width), dtype=np.int8)
    starts = np.concatenate([item.starts for item in filled]) if filled else np.zeros(0, dtype=np.int32)
    return TokenTable(
        vectors=unit_tokens(vectors),
        starts=starts.astype(np.int64),
        bounds=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
    )


def unit_tokens(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return token vectors in float32, of unit length but for rounding."""
    return vectors.astype(np.float32) / np.float32(127.0)


def highest_in_segments(values: Matrix, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> Matrix:
    """Return (segments, columns): the column maxima of ``values[begin:end]``; -1 where a segment is empty."""
    found = np.full((len(begins), values.shape[1]), -1.0)
    filled = np.flatnonzero(ends > begins)
    if len(filled) == 0:
        return found
    # reduceat wants flat pairs and takes every second result; an end at the very edge is not an index.
    padded = np.vstack([values, np.full((1, values.shape[1]), -1.0)])
    pairs = np.column_stack([begins[filled], ends[filled]]).ravel()
    found[filled] = np.maximum.reduceat(padded, pairs, axis=0)[::2]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScale:
    """Mean and spread of each word's nearness over a sample of passages, (w,) each."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]

    def standard(self, nearness: Matrix) -> Matrix:
        """Return standard scores of (n, w) nearness, clipped to 0 ... 6."""
        scores: Matrix = np.clip((nearness - self.mean) / (self.spread + _LEAST_SPREAD), 0.0, _HIGHEST)
        return scores


def word_scale(nearness: Matrix) -> WordScale:
    """Return the scale of a sample's nearness (n, w); neutral where the sample is empty."""
    if len(nearness) == 0:
        return WordScale(mean=np.zeros(nearness.shape[1]), spread=np.ones(nearness.shape[1]))
    return WordScale(mean=nearness.mean(axis=0), spread=nearness.std(axis=0))
