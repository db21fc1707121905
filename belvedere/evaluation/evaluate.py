"""The story of an evaluation: index the corpus, put the questions to each system, score what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from belvedere.evaluation.abstention import AbstentionScores, Verdict, score_abstention
from belvedere.evaluation.answers import ANSWER_MEASURES, score_answer
from belvedere.evaluation.comparisons import Comparison, compare_systems
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.failure_search import find_failures
from belvedere.evaluation.failures import FailureReport
from belvedere.evaluation.index_cache import IndexedDataset, index_dataset
from belvedere.evaluation.intervals import Estimate, estimate_means
from belvedere.evaluation.measures import MEASURES, score_rankings
from belvedere.evaluation.systems import SystemRun, run_system
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from indexing.report import Progress
from query.engine import System


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Median and 95th percentile over questions, in milliseconds of wall time."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScores:
    """How near answers come to their references, over the answerable questions that have one, and by type."""

    measures: dict[str, Estimate]
    by_type: dict[str, dict[str, Estimate]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """How one system did: measures over all questions with gold and by type, latency; and where it can answer, how it
    abstained and (where the data set has references) how right it was.

    ``values`` are the measures of each question with gold, in their order.
    """

    measures: dict[str, Estimate]
    by_type: dict[str, dict[str, Estimate]]
    latency_ms: Latency
    abstention: AbstentionScores | None
    answers: AnswerScores | None
    values: tuple[dict[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The result: scores by system and how they compare, the index they were found in, what one embedded question
    costs, and what failed where ``local`` was measured.
    """

    systems: dict[str, SystemScores]
    comparisons: tuple[Comparison, ...]
    failures: FailureReport | None
    index: IndexedDataset
    embed_question_ms: Latency


def evaluate_dataset(
    dataset: Dataset,
    systems: Sequence[System],
    *,
    settings: Settings,
    cache: Path,
    progress: Callable[[Progress], None] | None = None,
) -> Evaluation:
    """Evaluate ``systems`` on ``dataset``; the data set's seed also draws intervals and significance tests."""
    indexed = index_dataset(dataset, settings, cache, progress)
    with KnowledgeBase.open(indexed.store, config=settings) as kb:
        kb.warm_up()
        runs = {system: run_system(kb, system, dataset.questions, progress) for system in systems}
        failures = find_failures(kb, dataset.questions, runs["local"], progress) if "local" in runs else None
    embedding = [spent for run in runs.values() for spent in run.embedding_milliseconds]
    scores: dict[str, SystemScores] = {system: score_run(run, dataset) for system, run in runs.items()}
    return Evaluation(
        systems=scores,
        comparisons=compare_systems(
            {system: found.values for system, found in scores.items()}, MEASURES, seed=dataset.seed
        ),
        failures=failures,
        index=indexed,
        embed_question_ms=latency(embedding),
    )


def score_run(run: SystemRun, dataset: Dataset) -> SystemScores:
    """Score what a system returned for the questions of ``dataset``."""
    scored = score_rankings(run.rankings, [question.gold for question in dataset.questions])
    typed = [
        (question.type, values)
        for question, values in zip(dataset.questions, scored, strict=True)
        if values is not None
    ]
    measures, by_type = _summary(typed, MEASURES, dataset.seed)
    return SystemScores(
        measures=measures,
        by_type=by_type,
        latency_ms=latency(run.milliseconds),
        abstention=score_abstention(_verdicts(run, dataset)) if run.replies else None,
        answers=_score_answers(run, dataset),
        values=tuple(values for _, values in typed),
    )


def _verdicts(run: SystemRun, dataset: Dataset) -> list[Verdict]:
    return [
        Verdict(answerable=bool(question.gold), abstained=reply.abstained, support=reply.support)
        for question, reply in zip(dataset.questions, run.replies, strict=True)
    ]


def _score_answers(run: SystemRun, dataset: Dataset) -> AnswerScores | None:
    if not run.replies:
        return None
    # An answer that was not given is a wrong one here: saying nothing must not raise the score.
    typed = [
        (question.type, score_answer("" if reply.abstained else reply.text, question.references))
        for question, reply in zip(dataset.questions, run.replies, strict=True)
        if question.gold and question.references
    ]
    if not typed:
        return None
    measures, by_type = _summary(typed, ANSWER_MEASURES, dataset.seed)
    return AnswerScores(measures=measures, by_type=by_type)


def _summary(
    typed: Sequence[tuple[str, dict[str, float]]], names: Sequence[str], seed: int
) -> tuple[dict[str, Estimate], dict[str, dict[str, Estimate]]]:
    """Return means over all questions, and by type in the order of names."""
    by_type: dict[str, list[dict[str, float]]] = {}
    for kind, values in typed:
        by_type.setdefault(kind, []).append(values)
    whole = _estimates([values for _, values in typed], names, seed)
    return whole, {kind: _estimates(by_type[kind], names, seed) for kind in sorted(by_type)}


def _estimates(scored: Sequence[dict[str, float]], names: Sequence[str], seed: int) -> dict[str, Estimate]:
    table = np.array([[values[name] for name in names] for values in scored], dtype=np.float64)
    return dict(zip(names, estimate_means(table.reshape(len(scored), len(names)), seed=seed), strict=True))


def latency(milliseconds: Sequence[float]) -> Latency:
    """Summarise times; there must be one at least."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return Latency(p50=round(float(p50), 3), p95=round(float(p95), 3))
