"""A deterministic embedder without a model: for tests, for trying things out, and where nothing else is installed."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from model_clients.embedder import FloatMatrix, FloatVector, Passage, PassageVectors, Span
from model_clients.errors import PassageTooLong
from model_clients.unit_rows import unit_rows, unit_vector

# Chinese, Japanese and Korean characters are tokens of their own, as in most tokenizers.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\w\s]")
_FEATURES = 4
_SHORT_WORD_WEIGHT = 0.2


class HashingEmbedder:
    """Turns a text into the sum of its words' hashed vectors (the hashing trick, Weinberger et al. 2009), unit length.

    Texts that share words are similar, in proportion; meaning plays no part. Tokens are words, single CJK characters
    and single signs. Words of up to three letters weigh less, since most of them are function words.
    """

    def __init__(self, dimension: int = 64, max_tokens: int = 256) -> None:
        self._dimension = dimension
        self._max_tokens = max_tokens

    @property
    def model_id(self) -> str:
        """The name of the method with its dimension."""
        return f"hashing-{self._dimension}"

    @property
    def dimension(self) -> int:
        """d, the number of dimensions."""
        return self._dimension

    @property
    def max_tokens(self) -> int:
        """The largest number of tokens of a passage."""
        return self._max_tokens

    def token_spans(self, text: str) -> list[Span]:
        """Return the character span of each token of ``text``, in order."""
        return [match.span() for match in _TOKEN.finditer(text)]

    def embed_passages(self, passages: Sequence[Passage]) -> PassageVectors:
        """Embed passages and their spans, in the order given; raises ``PassageTooLong``."""
        vectors = np.zeros((len(passages), self._dimension), dtype=np.float32)
        spans = []
        for row, passage in enumerate(passages):
            token_spans = self.token_spans(passage.text)
            if len(token_spans) > self._max_tokens:
                raise PassageTooLong(passage.text, len(token_spans), self._max_tokens)
            tokens = self._token_vectors(passage.text, token_spans)
            vectors[row] = tokens.sum(axis=0)
            spans.append(_span_vectors(tokens, token_spans, passage.spans))
        return PassageVectors(passages=unit_rows(vectors), spans=tuple(spans))

    def embed_question(self, question: str) -> FloatVector:
        """Embed a question: (d,), cut at ``max_tokens`` tokens."""
        token_spans = self.token_spans(question)[: self._max_tokens]
        return unit_vector(self._token_vectors(question, token_spans).sum(axis=0))

    def _token_vectors(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        vectors = np.zeros((len(spans), self._dimension), dtype=np.float32)
        for row, (start, end) in enumerate(spans):
            for position, value in _features(text[start:end].lower()):
                vectors[row, position % self._dimension] += value
        return vectors


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
