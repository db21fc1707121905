"""Values as stores keep them: JSON texts, float32 vectors, int8 sentence and token vectors, int32 spans."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import FloatMatrix, TokenVectors
from graph_store.errors import StoreDamaged
from graph_store.records import Metadata, SourcedSentence


def pack_json(value: object) -> str:
    """Return compact JSON; tuples become lists."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpack_strings(text: str) -> tuple[str, ...]:
    """Read back a tuple of strings."""
    return tuple(json.loads(text))


def pack_metadata(metadata: Metadata) -> str:
    """Return metadata as JSON, keys sorted."""
    return pack_json(dict(sorted(metadata.items())))


def unpack_metadata(text: str) -> Metadata:
    """Read back metadata; lists become tuples."""
    found: dict[str, Any] = json.loads(text)
    return {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}


def pack_sentences(sentences: Sequence[SourcedSentence]) -> str:
    """Return sourced sentences as JSON, one list a sentence."""
    return pack_json([[item.text, item.chunk_ids, item.char_start, item.char_end] for item in sentences])


def unpack_sentences(text: str) -> tuple[SourcedSentence, ...]:
    """Read back sourced sentences."""
    return tuple(
        SourcedSentence(text=words, chunk_ids=tuple(chunk_ids), char_start=start, char_end=end)
        for words, chunk_ids, start, end in json.loads(text)
    )


def pack_vectors(matrix: FloatMatrix) -> list[bytes]:
    """Return one little-endian float32 blob per row of (n, d)."""
    return [row.tobytes() for row in np.ascontiguousarray(matrix, dtype="<f4")]


def unpack_vectors(blobs: Sequence[bytes], dimension: int) -> FloatMatrix:
    """Read back (len(blobs), dimension) float32."""
    matrix = np.frombuffer(b"".join(blobs), dtype="<f4")
    return matrix.reshape(len(blobs), dimension).astype(np.float32, copy=False)


def quantise(matrix: FloatMatrix) -> NDArray[np.int8]:
    """Return (n, d) int8: each row scaled so that its largest component is 127.

    The scale is not kept, for the rows are unit vectors and are brought back to unit length when read; the error of a
    cosine is about 0.002 at 384 dimensions.
    """
    if matrix.size == 0:
        return np.zeros(matrix.shape, dtype=np.int8)
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    quantised: NDArray[np.int8] = np.rint(matrix / largest * 127).astype(np.int8)
    return quantised


def restore(quantised: NDArray[np.int8]) -> FloatMatrix:
    """Return (n, d) float32 with unit rows from what ``quantise`` made."""
    matrix = quantised.astype(np.float32)
    if matrix.size == 0:
        return matrix
    unit: FloatMatrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit


def pack_spans(spans: Sequence[tuple[int, int, int]]) -> bytes:
    """Return (position, char_start, char_end) triples as little-endian int32."""
    return np.asarray(spans, dtype="<i4").reshape(-1, 3).tobytes()


def unpack_spans(blob: bytes) -> list[list[int]]:
    """Read back (position, char_start, char_end) triples."""
    spans: list[list[int]] = np.frombuffer(blob, dtype="<i4").reshape(-1, 3).tolist()
    return spans


def pack_tokens(tokens: TokenVectors) -> tuple[bytes, bytes]:
    """Return the starts of tokens as little-endian int32, and their int8 vectors."""
    return np.asarray(tokens.starts, dtype="<i4").tobytes(), tokens.vectors.tobytes()


def unpack_tokens(starts: bytes, vectors: bytes, dimension: int) -> TokenVectors:
    """Read back the tokens of a chunk; their vectors have ``dimension`` columns. Raises ``StoreDamaged``."""
    if len(starts) * dimension != len(vectors) * 4:
        raise StoreDamaged("the store holds damaged token vectors: index the documents again into another folder")
    return TokenVectors(
        starts=np.frombuffer(starts, dtype="<i4").astype(np.int32, copy=False),
        vectors=np.frombuffer(vectors, dtype=np.int8).reshape(-1, dimension),
    )
