"""An embedder that measures another one."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from model_clients.embedder import Embedder, FloatVector, Passage, PassageVectors, QuestionVectors, Span


class CpuMeteredEmbedder:
    """Passes every call on, and adds up what the calls cost.

    ``cpu_seconds`` is the CPU time of this process, all threads, while a call runs; ``wall_seconds`` is what passes.
    ``passages`` and ``questions`` count what was embedded. Loading the model at the first call is counted too.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.cpu_seconds = 0.0
        self.wall_seconds = 0.0
        self.passages = 0
        self.questions = 0

    @property
    def model_id(self) -> str:
        """As of the embedder inside."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """As of the embedder inside."""
        return self._embedder.dimension

    @property
    def token_space(self) -> str:
        """As of the embedder inside."""
        return self._embedder.token_space

    @property
    def token_dimension(self) -> int:
        """As of the embedder inside."""
        return self._embedder.token_dimension

    @property
    def max_tokens(self) -> int:
        """As of the embedder inside."""
        return self._embedder.max_tokens

    def token_spans(self, text: str) -> list[Span]:
        """As of the embedder inside, unmeasured: tokenising belongs to chunking, and takes a hundredth of embedding."""
        return self._embedder.token_spans(text)

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        """As of the embedder inside."""
        with self._metered():
            vectors = self._embedder.embed_passages(passages, with_tokens=with_tokens)
        self.passages += len(passages)
        return vectors

    def embed_question(self, question: str) -> FloatVector:
        """As of the embedder inside."""
        with self._metered():
            vector = self._embedder.embed_question(question)
        self.questions += 1
        return vector

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """As of the embedder inside."""
        with self._metered():
            vectors = self._embedder.embed_question_tokens(question)
        self.questions += 1
        return vectors

    @contextmanager
    def _metered(self) -> Iterator[None]:
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self.cpu_seconds += time.process_time() - cpu
            self.wall_seconds += time.perf_counter() - wall
