"""Trains chain ranking from labelled data sets: indexes each, gathers what ranking sees, fits."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belvedere.errors import UserMistake
from belvedere.evaluation.dataset import Dataset, read_corpus, read_dataset
from belvedere.evaluation.index_cache import index_dataset
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from indexing.report import Progress
from query.chain_ranking.fitting import NothingToLearn
from query.chain_ranking.training import train
from query.chain_ranking.training_pools import Pot, TrainingPool, TrainingQuestion, gather_pools
from query.pseudo_questions import make_questions

LEAST_QUESTIONS = 20
_PSEUDO_QUESTIONS = 100

ShowProgress = Callable[[Progress], None] | None


class TooFewQuestions(UserMistake):
    """A data set that is too small to learn from."""


class TrainingMistake(UserMistake):
    """Data sets that cannot be told apart, or a weights file that cannot be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFolders:
    """What to learn from: ``chains`` have questions that join passages, ``gate`` questions of every kind, and the
    ``texts`` have none: questions are made from their sentences.
    """

    chains: tuple[Path, ...]
    gate: tuple[Path, ...] = ()
    texts: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPools:
    """What was gathered from the folders, by name of the data set."""

    chains: Mapping[str, Sequence[TrainingPool]]
    gate: Mapping[str, Sequence[TrainingPool]]


def train_ranker(
    folders: TrainingFolders, *, settings: Settings, cache: Path, seed: int, progress: ShowProgress = None
) -> dict[str, Any]:
    """Return the content of a weights file. Raises ``DatasetError`` and ``TooFewQuestions``."""
    pools = gather_training_pools(folders, settings=settings, cache=cache, seed=seed, progress=progress)
    try:
        return train(pools.chains, pools.gate, seed=seed)
    except NothingToLearn as error:
        raise TooFewQuestions(str(error)) from None


def _refuse_same_names(folders: TrainingFolders) -> None:
    """Refuse two data sets of one name: a weights file tells by name what it was trained on."""
    for given in ((*folders.chains, *folders.gate), folders.texts):
        names = [folder.resolve().name for folder in given]
        again = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if again is not None:
            raise TrainingMistake(f"two of the data sets are called {again!r}: name each once, in folders of their own")


def gather_training_pools(
    folders: TrainingFolders, *, settings: Settings, cache: Path, seed: int, progress: ShowProgress = None
) -> TrainingPools:
    """Index each folder where that is not done yet, and gather the pool of every question. Raises as above."""
    _refuse_same_names(folders)
    chains = {folder: read_dataset(folder, seed=seed) for folder in folders.chains}
    gate = {folder: read_dataset(folder, seed=seed) for folder in folders.gate}
    for folder, dataset in {**chains, **gate}.items():
        _check(folder, dataset)
    texts = [read_corpus(folder, seed=seed) for folder in folders.texts]

    def gather(dataset: Dataset) -> Sequence[TrainingPool]:
        indexed = index_dataset(dataset, settings, cache, progress)
        with KnowledgeBase.open(indexed.store, config=settings) as kb:
            pot = _labelled_pot(dataset, kb) if dataset.questions else _made_pot(dataset, kb)
            return list(gather_pools(pot, kb.embedder, settings.query.local))

    return TrainingPools(
        chains={dataset.name: gather(dataset) for dataset in chains.values()},
        gate={dataset.name: gather(dataset) for dataset in gate.values()}
        | {f"{dataset.name} (made)": gather(dataset) for dataset in texts},
    )


def check_writable(path: Path) -> None:
    """Raise ``TrainingMistake`` where a weights file cannot be put, before anything is trained for it."""
    if not path.resolve().parent.is_dir():
        raise TrainingMistake(f"there is no folder {path.parent} to write {path.name} into: make it first")


def weights_text(content: Mapping[str, Any]) -> str:
    """Return the text of a weights file: JSON, a number a line, so that a change can be reviewed."""
    return json.dumps(content, indent=1) + "\n"


def _check(folder: Path, dataset: Dataset) -> None:
    labelled = sum(bool(question.gold) for question in dataset.questions)
    if labelled < LEAST_QUESTIONS:
        raise TooFewQuestions(
            f"{folder} has {labelled} questions with gold; training needs {LEAST_QUESTIONS} of each data set"
        )


def _labelled_pot(dataset: Dataset, kb: KnowledgeBase) -> Pot:
    questions = [TrainingQuestion(text=item.text, gold=item.gold) for item in dataset.questions if item.gold]
    return Pot(name=dataset.name, store=kb.store, questions=questions)


def _made_pot(dataset: Dataset, kb: KnowledgeBase) -> Pot:
    made = make_questions(kb.store, kb.embedder, _PSEUDO_QUESTIONS)
    questions = [TrainingQuestion(text=item.text, gold=(frozenset((item.chunk_id,)),)) for item in made]
    return Pot(name=dataset.name, store=kb.store, questions=questions, by_chunk=True)
