"""The contract of an embedder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatMatrix: TypeAlias = NDArray[np.float32]
FloatVector: TypeAlias = NDArray[np.float32]
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text to embed, with the character spans (half-open, in ``text``) that also get a vector of their own."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVectors:
    """The t tokens of a text, for late interaction: how near each word of a question comes to a word of a passage.

    ``starts`` is (t,) int32: the character where each token begins, never falling. ``vectors`` is (t, e) int8: unit
    vectors times 127, rounded. For cosines, make them float32 and of unit length first: products of int8 overflow.
    """

    starts: NDArray[np.int32]
    vectors: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageVectors:
    """``passages`` is (n, d); ``spans`` holds one (len(spans_i), d) matrix per passage. float32, unit rows.

    ``tokens`` has one record per passage where token vectors were asked for and the embedder makes them, else none.
    """

    passages: FloatMatrix
    spans: tuple[FloatMatrix, ...]
    tokens: tuple[TokenVectors, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionVectors:
    """A question's vector, (d,) float32 of unit length, and those of its tokens, in the space of passages' tokens."""

    vector: FloatVector
    tokens: TokenVectors


class Embedder(Protocol):
    """Turns texts into unit vectors. Every vector returned is finite float32 of length 1 (1e-3)."""

    @property
    def model_id(self) -> str:
        """A name that changes whenever the vectors do: model, version, and what else matters."""
        ...

    @property
    def dimension(self) -> int:
        """d, the number of dimensions."""
        ...

    @property
    def token_space(self) -> str:
        """A name for what token vectors are, given ``model_id``: only those of one space compare. "none" for none."""
        ...

    @property
    def token_dimension(self) -> int:
        """e, the number of dimensions of token vectors; 0 where there are none."""
        ...

    @property
    def max_tokens(self) -> int:
        """The largest number of tokens of a passage, special tokens and passage prefix not counted."""
        ...

    def token_spans(self, text: str) -> list[Span]:
        """Return the character span of each token of ``text`` (no special tokens, no truncation), in order."""
        ...

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        """Embed passages, in the order given. A span's vector is the mean of the token vectors that overlap it.

        ``with_tokens`` also returns token vectors, unless the token space is "none"; the passage prefix has none.
        Raises ``PassageTooLong`` where a text has more than ``max_tokens`` tokens: nothing is ever cut off silently.
        An empty sequence gives matrices of 0 rows. A text or span without tokens gets the unit vector e0.
        """
        ...

    def embed_question(self, question: str) -> FloatVector:
        """Embed a question: (d,). A question beyond the limit is cut at the limit (questions are not stored)."""
        ...

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """Embed a question as ``embed_question`` does, and its tokens with it: (0, e) where there are none.

        The question prefix has no tokens. It costs one forward pass.
        """
        ...
