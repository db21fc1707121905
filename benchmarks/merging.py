"""Data sets poured into one: every document under an id that tells where it came from, duplicates kept."""

import random
from collections.abc import Sequence
from dataclasses import replace

from belvedere.evaluation.dataset import Dataset, Gold, LabelledQuestion
from belvedere.evaluation.dataset_files import Row


def merge_datasets(datasets: Sequence[Dataset], *, name: str, seed: int) -> Dataset:
    """Return one data set with the documents of all, shuffled, and their questions with gold renamed alike.

    Ids become ``set/id``, so two sets may use the same ones. The names of the sets must differ.
    """
    names = [dataset.name for dataset in datasets]
    if len(set(names)) < len(names):
        raise ValueError(f"two of the data sets have the same name: {sorted(names)}")
    corpus = [prefixed_row(row, dataset.name) for dataset in datasets for row in dataset.corpus]
    random.Random(seed).shuffle(corpus)
    return Dataset(
        name=name,
        corpus=tuple(corpus),
        questions=tuple(question for dataset in datasets for question in prefixed_questions(dataset)),
        seed=seed,
    )


def prefixed_row(row: Row, name: str) -> Row:
    """Return the row of a corpus with the name of its set before its id."""
    return {**row, "id": prefixed(str(row["id"]), name)}


def prefixed_questions(dataset: Dataset) -> tuple[LabelledQuestion, ...]:
    """Return the questions of a set with the name of the set before their ids and those of their gold."""
    return tuple(
        replace(question, id=prefixed(question.id, dataset.name), gold=_prefixed_gold(question.gold, dataset.name))
        for question in dataset.questions
    )


def prefixed(identifier: str, name: str) -> str:
    """Return the id under which a document or question of the set ``name`` goes in the merged set."""
    return f"{name}/{identifier}"


def _prefixed_gold(gold: Gold, name: str) -> Gold:
    return tuple(frozenset(prefixed(document, name) for document in group) for group in gold)
