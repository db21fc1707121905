"""A deterministic embedder without a model: for tests, for trying things out, and where nothing else is installed."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from model_clients.embedder import (
    FloatMatrix,
    FloatVector,
    Passage,
    PassageVectors,
    QuestionVectors,
    Span,
    TokenVectors,
)
from model_clients.errors import PassageTooLong
from model_clients.settings import TokenVectorKind
from model_clients.token_vectors import FULL_TOKENS, NO_TOKENS, no_token_vectors, quantised_rows
from model_clients.unit_rows import unit_rows, unit_vector

# Chinese, Japanese and Korean characters are tokens of their own, as in most tokenizers.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\w\s]")
_FEATURES = 4
_SHORT_WORD_WEIGHT = 0.2


class HashingEmbedder:
    """Turns a text into the sum of its words' hashed vectors (the hashing trick, Weinberger et al. 2009), unit length.

    Texts that share words are similar, in proportion; meaning plays no part. Tokens are words, single CJK characters
    and single signs. Words of up to three letters weigh less, since most of them are function words. The vector of a
    token is that of its word alone, so equal words have a cosine of 1; there is no projection of it.
    """

    def __init__(
        self, dimension: int = 64, max_tokens: int = 256, *, token_vectors: TokenVectorKind = "projected"
    ) -> None:
        self._dimension = dimension
        self._max_tokens = max_tokens
        self._makes_tokens = token_vectors != "none"

    @property
    def model_id(self) -> str:
        """The name of the method with its dimension."""
        return f"hashing-{self._dimension}"

    @property
    def dimension(self) -> int:
        """d, the number of dimensions."""
        return self._dimension

    @property
    def token_space(self) -> str:
        """Always that of the whole vectors, or none."""
        return FULL_TOKENS if self._makes_tokens else NO_TOKENS

    @property
    def token_dimension(self) -> int:
        """e, the number of dimensions of token vectors; 0 where there are none."""
        return self._dimension if self._makes_tokens else 0

    @property
    def max_tokens(self) -> int:
        """The largest number of tokens of a passage."""
        return self._max_tokens

    def token_spans(self, text: str) -> list[Span]:
        """Return the character span of each token of ``text``, in order."""
        return [match.span() for match in _TOKEN.finditer(text)]

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        """Embed passages, their spans and, where asked, their tokens, in the order given; raises ``PassageTooLong``."""
        vectors = np.zeros((len(passages), self._dimension), dtype=np.float32)
        spans, all_tokens = [], []
        for row, passage in enumerate(passages):
            token_spans = self.token_spans(passage.text)
            if len(token_spans) > self._max_tokens:
                raise PassageTooLong(passage.text, len(token_spans), self._max_tokens)
            tokens = self._token_vectors(passage.text, token_spans)
            vectors[row] = tokens.sum(axis=0)
            spans.append(_span_vectors(tokens, token_spans, passage.spans))
            if with_tokens and self._makes_tokens:
                all_tokens.append(_token_record(tokens, token_spans))
        return PassageVectors(passages=unit_rows(vectors), spans=tuple(spans), tokens=tuple(all_tokens))

    def embed_question(self, question: str) -> FloatVector:
        """Embed a question: (d,), cut at ``max_tokens`` tokens."""
        return self.embed_question_tokens(question).vector

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """Embed a question with its tokens, cut at ``max_tokens`` tokens."""
        token_spans = self.token_spans(question)[: self._max_tokens]
        tokens = self._token_vectors(question, token_spans)
        return QuestionVectors(
            vector=unit_vector(tokens.sum(axis=0)),
            tokens=_token_record(tokens, token_spans) if self._makes_tokens else no_token_vectors(),
        )

    def _token_vectors(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        vectors = np.zeros((len(spans), self._dimension), dtype=np.float32)
        for row, (start, end) in enumerate(spans):
            for position, value in _features(text[start:end].lower()):
                vectors[row, position % self._dimension] += value
        return vectors


def _token_record(tokens: FloatMatrix, token_spans: Sequence[Span]) -> TokenVectors:
    return TokenVectors(
        starts=np.array([start for start, _ in token_spans], dtype=np.int32), vectors=quantised_rows(unit_rows(tokens))
    )


@lru_cache(maxsize=50_000)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Return positions and signed weights of a word, the same on every machine."""
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4 * _FEATURES).digest()
    weight = _SHORT_WORD_WEIGHT if len(word) <= 3 else 1.0
    numbers = [int.from_bytes(digest[4 * index : 4 * index + 4], "little") for index in range(_FEATURES)]
    return tuple((number >> 1, weight if number & 1 else -weight) for number in numbers)


def _span_vectors(tokens: FloatMatrix, token_spans: Sequence[Span], spans: Sequence[Span]) -> FloatMatrix:
    sums = np.zeros((len(spans), tokens.shape[1]), dtype=np.float32)
    for row, (start, end) in enumerate(spans):
        inside = [index for index, (begin, stop) in enumerate(token_spans) if begin < end and stop > start]
        sums[row] = tokens[inside].sum(axis=0)
    return unit_rows(sums)
