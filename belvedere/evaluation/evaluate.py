"""The story of an evaluation: index the corpus, put the questions to each system, score what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from belvedere.embedding_migration import MigrationSteps, look_at_spaces, migrate_embeddings
from belvedere.evaluation.baseline import BaselineComparison
from belvedere.evaluation.comparisons import Comparison, compare_systems
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.failure_search import find_failures
from belvedere.evaluation.failures import FailureReport
from belvedere.evaluation.gold_evidence import GoldEvidence, ask_gold_evidence
from belvedere.evaluation.index_cache import IndexedDataset, index_dataset
from belvedere.evaluation.judging.appraisal import Appraiser
from belvedere.evaluation.measures import measures_of
from belvedere.evaluation.system_scores import Latency, SystemScores, latency, score_run
from belvedere.evaluation.systems import SECOND, WITHOUT_VECTORS, SystemRun, run_system
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.wiring import make_embedder
from indexing.report import Progress
from indexing.space_migration import space_of
from model_clients.chat.task_model import TaskModel
from model_clients.settings import EmbedderSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The result: scores by system and how they compare, the index they were found in, what one embedded question
    costs, what failed where ``local`` was measured, and how all this differs from an earlier run where one was given.
    ``second_model`` is the id of the model that systems named ``@new`` were asked with, ``gold_evidence`` how ``local``
    answers of gold documents alone, where that was asked for.
    """

    systems: dict[str, SystemScores]
    comparisons: tuple[Comparison, ...]
    failures: FailureReport | None
    index: IndexedDataset
    embed_question_ms: Latency
    baseline: BaselineComparison | None = None
    second_model: str | None = None
    gold_evidence: GoldEvidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreToMeasure:
    """What is measured on demand: a ``second`` embedding model, answers by a ``judge`` other than that of the settings,
    and (``gold_evidence``) the answers that ``local`` gives of gold documents alone.
    """

    second: EmbedderSettings | None = None
    judge: TaskModel | None = None
    gold_evidence: bool = False


NOTHING_MORE = MoreToMeasure()


def evaluate_dataset(
    dataset: Dataset,
    systems: Sequence[str],
    *,
    settings: Settings,
    cache: Path,
    progress: Callable[[Progress], None] | None = None,
    more: MoreToMeasure = NOTHING_MORE,
) -> Evaluation:
    """Evaluate ``systems`` on ``dataset``; the data set's seed also draws intervals and significance tests.

    With a second embedder the index gets a second vector space of it, and the systems are asked there once more.
    A judge judges all answers. Raises ``EndpointUnusable`` where it cannot be asked.
    """
    indexed = index_dataset(dataset, settings, cache, progress)
    with KnowledgeBase.open(indexed.store, config=settings) as kb:
        kb.warm_up()
        runs: dict[str, SystemRun] = {system: run_system(kb, system, dataset.questions, progress) for system in systems}
        failures = find_failures(kb, dataset.questions, runs["local"], progress) if "local" in runs else None
        on_gold = None
        if more.gold_evidence and "local" in runs:
            on_gold = ask_gold_evidence(kb, dataset, runs["local"], progress)
        judge = more.judge or kb.language_models.judge
        appraiser = Appraiser(embedder=kb.embedder, judge=judge, access=kb.access, progress=progress)
        appraisals = {name: appraiser.appraise(run, dataset) for name, run in runs.items()}
    embedding = [spent for run in runs.values() for spent in run.embedding_milliseconds]
    second_model = None
    if more.second is not None:
        second_settings = replace(settings, embedder=more.second)
        second_model = _fill_second(indexed.store, settings, more.second, progress)
        with KnowledgeBase.open(indexed.store, config=second_settings, second_space=True) as kb:
            kb.warm_up()
            for system in systems:
                if system not in WITHOUT_VECTORS:
                    runs[system + SECOND] = run_system(kb, system, dataset.questions, progress)
                    appraisals[system + SECOND] = appraiser.appraise(runs[system + SECOND], dataset)
    scores = {name: score_run(run, dataset, appraisals[name]) for name, run in runs.items()}
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
        second_model=second_model,
        gold_evidence=on_gold,
    )


def _fill_second(
    store: Path, settings: Settings, second: EmbedderSettings, progress: Callable[[Progress], None] | None
) -> str:
    """Give the index a second vector space of ``second``, in the place of that of an earlier evaluation."""
    spare = look_at_spaces(store, settings).spare
    if spare is not None and spare.space != space_of(make_embedder(second)):
        migrate_embeddings(store, settings, MigrationSteps(abandon=True))
    filled = migrate_embeddings(store, settings, MigrationSteps(embedder=second), progress=progress)
    assert filled.spare is not None  # it was filled just now
    return filled.spare.space.embedding_model
