"""The contract of a reranker, and the deterministic one without a model."""

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from model_clients.embedder import FloatVector

_WORD = re.compile(r"\w+")


class Reranker(Protocol):
    """Judges how well each of some passages answers a question, reading both together."""

    @property
    def model_id(self) -> str:
        """A name that changes whenever the scores do."""
        ...

    def scores(self, question: str, passages: Sequence[str]) -> FloatVector:
        """Return (n,) float32, one finite score per passage in the order given; higher is better, the scale is free.

        What is longer than the model reads is cut at its end. An empty sequence gives (0,). Raises ``ModelUnusable``.
        """
        ...


class OverlapReranker:
    """Scores a passage by the share of the question's distinct words in it: for tests and for trying things out."""

    model_id = "overlap"

    def scores(self, question: str, passages: Sequence[str]) -> FloatVector:
        """Return shares, 0 to 1; 0 for a question without words."""
        asked = _words(question)
        shares = [len(asked & _words(passage)) / max(1, len(asked)) for passage in passages]
        return np.array(shares, dtype=np.float32)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
