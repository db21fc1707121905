"""What each question was scored, and how a question is known again in another run."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from belvedere.evaluation.dataset import Dataset, LabelledQuestion
from belvedere.evaluation.system_scores import SystemScores

Values: TypeAlias = Mapping[str, float]
QuestionKey: TypeAlias = tuple[str, str]
"""Text and a digest of the labels: a question whose labels were changed is another one."""

_DIGEST = 16


def values_by_system(systems: Mapping[str, SystemScores], dataset: Dataset) -> dict[str, list[Values]]:
    """Return for each system one row of values per question of ``dataset``: of its ranking, and of its reply."""
    return {name: _rows(scores, dataset.questions) for name, scores in systems.items()}


def _rows(scores: SystemScores, questions: Sequence[LabelledQuestion]) -> list[Values]:
    ranked = iter(scores.values)
    replies = scores.reply_values or ({},) * len(questions)
    return [
        {**(next(ranked) if question.gold else {}), **reply} for question, reply in zip(questions, replies, strict=True)
    ]


def question_key(question: LabelledQuestion) -> QuestionKey:
    """Return what a question is known by: its text and its labels. Rows without an id are numbered, so ids may move."""
    labels: list[object] = [
        sorted(sorted(group) for group in question.gold),
        question.references,
        sorted(question.grades.items()),
    ]
    if question.rules:
        labels.append([sorted(question.rules.must_contain), sorted(question.rules.must_not_contain)])
    if not question.gold_known:
        labels.append("no gold")
    return question.text, _digest(labels)


def corpus_digest(dataset: Dataset) -> str:
    """Name the documents by all that they hold, in the order in which they are indexed."""
    return _digest(dataset.corpus)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()[:_DIGEST]
