"""The story of an evaluation: index the corpus, put the questions to each system, score what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from belvedere.evaluation.abstention import AbstentionScores, score_abstention
from belvedere.evaluation.dataset import Dataset
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
class SystemScores:
    """How one system did: measures over all questions with gold and by type, latency, abstention if it can answer."""

    measures: dict[str, Estimate]
    by_type: dict[str, dict[str, Estimate]]
    latency_ms: Latency
    abstention: AbstentionScores | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The result: scores by system, the index they were found in, and what one embedded question costs."""

    systems: dict[str, SystemScores]
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
    """Evaluate ``systems`` on ``dataset``; the data set's seed also draws the confidence intervals."""
    indexed = index_dataset(dataset, settings, cache, progress)
    with KnowledgeBase.open(indexed.store, config=settings) as kb:
        kb.warm_up()
        runs = {system: run_system(kb, system, dataset.questions, progress) for system in systems}
    embedding = [spent for run in runs.values() for spent in run.embedding_milliseconds]
    return Evaluation(
        systems={system: score_run(run, dataset) for system, run in runs.items()},
        index=indexed,
        embed_question_ms=latency(embedding),
    )


def score_run(run: SystemRun, dataset: Dataset) -> SystemScores:
    """Score what a system returned for the questions of ``dataset``."""
    scored = score_rankings(run.rankings, [question.gold for question in dataset.questions])
    by_type: dict[str, list[dict[str, float]]] = {}
    for question, values in zip(dataset.questions, scored, strict=True):
        if values is not None:
            by_type.setdefault(question.type, []).append(values)
    return SystemScores(
        measures=_estimates([values for values in scored if values is not None], dataset.seed),
        by_type={name: _estimates(by_type[name], dataset.seed) for name in sorted(by_type)},
        latency_ms=latency(run.milliseconds),
        abstention=score_abstention(run.verdicts) if run.verdicts else None,
    )


def _estimates(scored: Sequence[dict[str, float]], seed: int) -> dict[str, Estimate]:
    table = np.array([[values[name] for name in MEASURES] for values in scored], dtype=np.float64)
    return dict(zip(MEASURES, estimate_means(table.reshape(len(scored), len(MEASURES)), seed=seed), strict=True))


def latency(milliseconds: Sequence[float]) -> Latency:
    """Summarise times; there must be one at least."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return Latency(p50=round(float(p50), 3), p95=round(float(p95), 3))
