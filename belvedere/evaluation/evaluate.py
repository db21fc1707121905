"""The story of an evaluation: index the corpus, put the questions to each system, score what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from belvedere.evaluation.baseline import BaselineComparison
from belvedere.evaluation.comparisons import Comparison, compare_systems
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.failure_search import find_failures
from belvedere.evaluation.failures import FailureReport
from belvedere.evaluation.index_cache import IndexedDataset, index_dataset
from belvedere.evaluation.measures import measures_of
from belvedere.evaluation.system_scores import Latency, SystemScores, latency, score_run
from belvedere.evaluation.systems import run_system
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from indexing.report import Progress
from query.engine import System


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The result: scores by system and how they compare, the index they were found in, what one embedded question
    costs, what failed where ``local`` was measured, and how all this differs from an earlier run where one was given.
    """

    systems: dict[str, SystemScores]
    comparisons: tuple[Comparison, ...]
    failures: FailureReport | None
    index: IndexedDataset
    embed_question_ms: Latency
    baseline: BaselineComparison | None = None


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
            {system: found.values for system, found in scores.items()},
            measures_of([row for found in scores.values() for row in found.values]),
            seed=dataset.seed,
        ),
        failures=failures,
        index=indexed,
        embed_question_ms=latency(embedding),
    )
