"""Trains the shipped weights of short answers: ``python -m benchmarks.short_answers DATA [--write]``.

DATA holds the data sets by name. Learns from questions with references (musique_train100, hotpot_train100, English
articles of xquad with numbers below 24); yes/no questions and comparisons, which rules decide, are left out. Prints
what came of it on questions held out, and whether the weights are as shipped.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import click

from belvedere import KnowledgeBase
from belvedere.evaluation.answers import score_answer
from belvedere.evaluation.dataset import Dataset, read_dataset
from belvedere.evaluation.index_cache import cache_folder, index_dataset
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from benchmarks.xquad_part import training_part
from query.short_answers.comparison import is_comparison
from query.short_answers.training import WEIGHTS, EvidenceMaker, TrainingAnswer, trained_weights, training_answer

LABELLED = ("musique_train100", "hotpot_train100")


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Seed of the order in which corpora are indexed.")
@click.option("--write", is_flag=True, help="Write the weights where they are shipped.")
def main(data: Path, seed: int, *, write: bool) -> None:
    """Train, and tell."""
    content = trained_weights([answer for dataset in _datasets(data, seed) for answer in _answers(dataset)])
    told = json.loads(content)
    click.echo(f"seed {seed} · {describe_machine()} · claimed from {told['threshold']}")
    for how in ("cross_validated", "trained_on_the_other_sets", "in_sample"):
        for name, figures in told[how].items():
            click.echo(f"{how}, {name}: {figures}")
    same = WEIGHTS.is_file() and WEIGHTS.read_text(encoding="utf-8") == content
    click.echo(f"weights: {'as shipped, to the byte' if same else 'not as shipped'}")
    if write:
        WEIGHTS.write_text(content, encoding="utf-8")


def _datasets(data: Path, seed: int) -> Iterator[Dataset]:
    for name in LABELLED:
        yield read_dataset(data / name, seed=seed)
    with tempfile.TemporaryDirectory() as scratch:
        yield read_dataset(training_part(data / "xquad", Path(scratch) / "xquad"), seed=seed)


def _answers(dataset: Dataset) -> Iterator[TrainingAnswer]:
    indexed = index_dataset(dataset, Settings(), cache_folder())
    with KnowledgeBase.open(indexed.store) as kb:
        maker = EvidenceMaker(kb.store, kb.embedder, Settings().query)
        for item in dataset.questions:
            evidence = maker.evidence(item.text)
            if item.references and evidence.question.kind != "yes_no" and not is_comparison(evidence.question):
                yield training_answer(dataset.name, evidence, partial(_score, item.references))


def _score(references: tuple[str, ...], answer: str) -> Mapping[str, float]:
    return score_answer(answer, references)


if __name__ == "__main__":
    main()
