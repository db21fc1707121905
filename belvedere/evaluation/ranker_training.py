"""Trains chain ranking from labelled data sets: indexes each, gathers what ranking sees, fits."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belvedere.errors import UserMistake
from belvedere.evaluation.dataset import Dataset, read_corpus, read_dataset
from belvedere.evaluation.index_cache import index_dataset
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from indexing.report import Progress
from query.chain_ranking.training import train
from query.chain_ranking.training_pools import Pot, TrainingPool, TrainingQuestion, gather_pools
from query.pseudo_questions import make_questions

LEAST_QUESTIONS = 20
_PSEUDO_QUESTIONS = 100

ShowProgress = Callable[[Progress], None] | None


class TooFewQuestions(UserMistake):
    """A data set that is too small to learn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFolders:
    """What to learn from: ``chains`` have questions that join passages, ``gate`` questions of every kind, and the
    ``texts`` have none: questions are made from their sentences.
    """

    chains: tuple[Path, ...]
    gate: tuple[Path, ...] = ()
    texts: tuple[Path, ...] = ()


def train_ranker(
    folders: TrainingFolders, *, settings: Settings, cache: Path, seed: int, progress: ShowProgress = None
) -> dict[str, Any]:
    """Return the content of a weights file. Raises ``DatasetError`` and ``TooFewQuestions``."""
    chains = {folder: read_dataset(folder, seed=seed) for folder in folders.chains}
    gate = {folder: read_dataset(folder, seed=seed) for folder in folders.gate}
    for folder, dataset in {**chains, **gate}.items():
        _check(folder, dataset)
    with _gatherer(settings, cache, progress) as gather:
        chain_pots = {dataset.name: gather(dataset) for dataset in chains.values()}
        gate_pots = {dataset.name: gather(dataset) for dataset in gate.values()}
        texts = [read_corpus(folder, seed=seed) for folder in folders.texts]
        gate_pots |= {f"{dataset.name} (made)": gather(dataset) for dataset in texts}
    return train(chain_pots, gate_pots, seed=seed)


def write_weights(content: Mapping[str, Any], path: Path) -> None:
    """Write a weights file: JSON, one feature a line, so that a change can be reviewed."""
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _check(folder: Path, dataset: Dataset) -> None:
    labelled = sum(bool(question.gold) for question in dataset.questions)
    if labelled < LEAST_QUESTIONS:
        raise TooFewQuestions(
            f"{folder} has {labelled} questions with gold; training needs {LEAST_QUESTIONS} of each data set"
        )


@contextmanager
def _gatherer(
    settings: Settings, cache: Path, progress: ShowProgress
) -> Iterator[Callable[[Dataset], Sequence[TrainingPool]]]:
    """Hand out a function from data set to pools; the stores stay open until all is trained."""
    with ExitStack() as opened:

        def gather(dataset: Dataset) -> Sequence[TrainingPool]:
            indexed = index_dataset(dataset, settings, cache, progress)
            kb = opened.enter_context(KnowledgeBase.open(indexed.store, config=settings))
            pot = _labelled_pot(dataset, kb) if dataset.questions else _made_pot(dataset, kb)
            return list(gather_pools(pot, kb.embedder, settings.query.local))

        yield gather


def _labelled_pot(dataset: Dataset, kb: KnowledgeBase) -> Pot:
    questions = [TrainingQuestion(text=item.text, gold=item.gold) for item in dataset.questions if item.gold]
    return Pot(name=dataset.name, store=kb.store, questions=questions)


def _made_pot(dataset: Dataset, kb: KnowledgeBase) -> Pot:
    made = make_questions(kb.store, kb.embedder, _PSEUDO_QUESTIONS)
    questions = [TrainingQuestion(text=item.text, gold=(frozenset((item.chunk_id,)),)) for item in made]
    return Pot(name=dataset.name, store=kb.store, questions=questions, by_chunk=True)
