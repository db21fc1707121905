"""Embedding passages of any length, with a model that reads less at once than the one they were cut for.

A passage that is too long is embedded in pieces, cut at words near the middle until each one fits. Its vector is the
mean of theirs by their number of tokens, that of a span the mean over the pieces that it stands in, by characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model_clients.embedder import Embedder, FloatMatrix, FloatVector, Passage, PassageVectors, Span, TokenVectors
from model_clients.unit_rows import unit_rows, unit_vector


@dataclass(frozen=True, slots=True, kw_only=True)
class LongPassageVectors:
    """The vectors, and how many passages were embedded in pieces."""

    vectors: PassageVectors
    in_pieces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A part of a passage: where it starts in it, the number of its tokens, the passage that is embedded for it, and
    which spans of the whole stand in it, with the number of their characters there.
    """

    start: int
    tokens: int
    passage: Passage
    spans: tuple[tuple[int, int], ...]


def embed_any_length(
    passages: Sequence[Passage], embedder: Embedder, *, with_tokens: bool = False
) -> LongPassageVectors:
    """Embed passages as ``embed_passages`` does, those that are too long in pieces."""
    pieces = [_pieces_of(passage, embedder) for passage in passages]
    flat = embedder.embed_passages([piece.passage for parts in pieces for piece in parts], with_tokens=with_tokens)
    vectors = np.zeros((len(passages), embedder.dimension), dtype=np.float32)
    spans: list[FloatMatrix] = []
    tokens: list[TokenVectors] = []
    end = 0
    for row, (passage, parts) in enumerate(zip(passages, pieces, strict=True)):
        start, end = end, end + len(parts)
        vectors[row] = _joined(parts, flat.passages[start:end])
        spans.append(_joined_spans(len(passage.spans), parts, flat.spans[start:end], embedder.dimension))
        if flat.tokens:
            tokens.append(_joined_tokens(parts, flat.tokens[start:end]))
    return LongPassageVectors(
        vectors=PassageVectors(passages=vectors, spans=tuple(spans), tokens=tuple(tokens)),
        in_pieces=sum(len(parts) > 1 for parts in pieces),
    )


def _pieces_of(passage: Passage, embedder: Embedder) -> list[_Piece]:
    parts = _fitting_parts(passage.text, 0, embedder)
    pieces = []
    for start, text, tokens in parts:
        inside = [
            (number, max(begin, start) - start, min(end, start + len(text)) - start)
            for number, (begin, end) in enumerate(passage.spans)
            if begin < start + len(text) and end > start
        ]
        if len(parts) == 1:  # spans without characters count, too
            inside = [(number, *span) for number, span in enumerate(passage.spans)]
        pieces.append(
            _Piece(
                start=start,
                tokens=tokens,
                passage=Passage(text=text, spans=tuple((begin, end) for _, begin, end in inside)),
                spans=tuple((number, end - begin) for number, begin, end in inside),
            )
        )
    return pieces


def _fitting_parts(text: str, start: int, embedder: Embedder) -> list[tuple[int, str, int]]:
    """Return the parts of a text that starts at ``start``, each with its place and its number of tokens."""
    spans = embedder.token_spans(text)
    if len(spans) <= embedder.max_tokens:
        return [(start, text, len(spans))]
    cut = _cut(text, spans)
    return [
        *_fitting_parts(text[:cut], start, embedder),
        *_fitting_parts(text[cut:], start + cut, embedder),
    ]


def _cut(text: str, spans: Sequence[Span]) -> int:
    """Return where a text of several tokens is cut: before the token after white space that is nearest its middle."""
    places = range(1, len(spans))
    after_space = [place for place in places if text[spans[place][0] - 1].isspace()]
    chosen = min(after_space or places, key=lambda place: abs(2 * place - len(spans)))
    return max(spans[chosen][0], 1)


def _joined(parts: Sequence[_Piece], rows: FloatMatrix) -> FloatVector:
    if len(parts) == 1:
        only: FloatVector = rows[0]
        return only
    return unit_vector(np.array([part.tokens for part in parts], dtype=np.float32) @ rows)


def _joined_spans(count: int, parts: Sequence[_Piece], matrices: Sequence[FloatMatrix], dimension: int) -> FloatMatrix:
    if len(parts) == 1:
        return matrices[0]
    sums = np.zeros((count, dimension), dtype=np.float32)
    for part, matrix in zip(parts, matrices, strict=True):
        for (number, characters), row in zip(part.spans, matrix, strict=True):
            sums[number] += characters * row
    return unit_rows(sums)


def _joined_tokens(parts: Sequence[_Piece], records: Sequence[TokenVectors]) -> TokenVectors:
    if len(parts) == 1:
        return records[0]
    return TokenVectors(
        starts=np.concatenate([part.start + record.starts for part, record in zip(parts, records, strict=True)]).astype(
            np.int32
        ),
        vectors=np.concatenate([record.vectors for record in records]),
    )
