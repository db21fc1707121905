"""What the token vectors of a document must fulfil before they are written."""

from collections.abc import Sequence

import numpy as np

from graph_store.bundles import DocumentBundle, TokenVectors
from graph_store.errors import InvalidRecord
from graph_store.records import Chunk

_LENGTH = 127


def check_tokens(bundle: DocumentBundle, *, dimension: int) -> None:
    """Raise ``InvalidRecord`` where chunks lack token vectors of ``dimension``, or have some and ``dimension`` is 0."""
    owner = f"document {bundle.document.id!r}"
    check_token_vectors(bundle.chunks, bundle.token_vectors, dimension=dimension, owner=owner)


def check_token_vectors(
    chunks: Sequence[Chunk], token_vectors: Sequence[TokenVectors], *, dimension: int, owner: str
) -> None:
    """Raise as ``check_tokens`` does, for the chunks of ``owner``."""
    expected = len(chunks) if dimension else 0
    if len(token_vectors) != expected:
        raise InvalidRecord(f"{owner} has token vectors of {len(token_vectors)} chunks, expected {expected}")
    for chunk, tokens in zip(chunks, token_vectors, strict=False):
        _check_starts(chunk, tokens)
        _check_vectors(chunk, tokens, dimension)


def _check_starts(chunk: Chunk, tokens: TokenVectors) -> None:
    starts = tokens.starts
    if starts.dtype != np.int32 or starts.ndim != 1:
        raise InvalidRecord(
            f"token starts of chunk {chunk.id!r} are {starts.dtype}, {starts.shape}: int32, (t,) is due"
        )
    if starts.size and (starts[0] < -1 or starts[-1] >= len(chunk.text) or bool((np.diff(starts) < 0).any())):
        raise InvalidRecord(f"token starts of chunk {chunk.id!r} fall, or lie outside its text")


def _check_vectors(chunk: Chunk, tokens: TokenVectors, dimension: int) -> None:
    vectors = tokens.vectors
    expected = (len(tokens.starts), dimension)
    if vectors.dtype != np.int8 or vectors.shape != expected:
        raise InvalidRecord(
            f"token vectors of chunk {chunk.id!r} are {vectors.dtype}, {vectors.shape}: int8, {expected} is due"
        )
    lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
    # Rounding moves each component by half a unit at most.
    wrong = np.flatnonzero(np.abs(lengths - _LENGTH) > dimension**0.5 / 2 + 1e-3)
    if wrong.size:
        length = float(lengths[wrong[0]])
        raise InvalidRecord(f"token vector {int(wrong[0])} of chunk {chunk.id!r} has length {length!r}: 127 is due")
