"""The words of a question as coverage measures them: where they stand, how much they weigh, which tokens make them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from query.question import Question
from query.rarity import WordRarity
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem, tokens

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """The distinct content stems of a question, in order.

    ``spans`` are character spans in the question, ``weights`` (w,) their shares of rarity (sum 1), ``capitalised``
    (w,) tells which are parts of names.
    """

    stems: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    weights: NDArray[np.float64]
    capitalised: NDArray[np.bool_]

    def pieces(self, starts: Sequence[int]) -> NDArray[np.float64]:
        """Return (tokens, w): the share of each token of the question in each word; columns sum to 1 or to 0."""
        owner = np.zeros((len(starts), len(self.stems)))
        for token, start in enumerate(starts):
            for word, (first, end) in enumerate(self.spans):
                owner[token, word] = first <= start < end
        totals = owner.sum(axis=0, keepdims=True)
        shares: NDArray[np.float64] = owner / np.maximum(totals, 1.0)
        return shares


def question_words(question: Question, rarity: WordRarity) -> QuestionWords:
    """Find the content words of a question; stop words are none."""
    spans: dict[str, tuple[int, int]] = {}
    capitalised: dict[str, bool] = {}
    for match in _WORD.finditer(question.searched):
        for token in tokens(match.group()):
            if token in FUNCTION_WORDS:
                continue
            spans.setdefault(stem(token), match.span())
            is_capital = match.group()[0].isupper() and match.start() > 0
            capitalised[stem(token)] = capitalised.get(stem(token), False) or is_capital
    shares = rarity.shares(spans)
    return QuestionWords(
        stems=tuple(spans),
        spans=tuple(spans.values()),
        weights=np.array([shares[word] for word in spans], dtype=np.float64),
        capitalised=np.array([capitalised[word] for word in spans], dtype=bool),
    )
