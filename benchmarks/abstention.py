"""Trains the shipped weights of abstention: ``python -m benchmarks.abstention DATA [--write]``.

DATA holds the data sets by name. Learns from labelled questions (musique_train100, hotpot_train100, English articles
of xquad with numbers below 24) and from questions made of the sentences of meetings and stories, each once as it is and
once with its gold hidden. Prints what came of it on questions held out, and whether the weights are as shipped.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from belvedere import KnowledgeBase
from belvedere.evaluation.dataset import Dataset, read_corpus, read_dataset
from belvedere.evaluation.index_cache import cache_folder, index_dataset
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from benchmarks.xquad_part import training_part
from query.abstention_training import WEIGHTS, Example, ExampleMaker, TrainingQuestion, trained_weights
from query.pseudo_questions import make_questions

LABELLED = ("musique_train100", "hotpot_train100")
TEXTS = ("qmsum_committee", "odsum_story_dev")
MADE = 150


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Seed of the order in which corpora are indexed.")
@click.option("--write", is_flag=True, help="Write the weights where they are shipped.")
def main(data: Path, seed: int, *, write: bool) -> None:
    """Train, and tell."""
    examples = [example for dataset in _datasets(data, seed) for example in _examples(dataset)]
    content = trained_weights(examples)
    told = json.loads(content)
    click.echo(f"seed {seed} · {describe_machine()}")
    for name, figures in told["cross_validated"].items():
        click.echo(f"{name}: {figures}")
    same = WEIGHTS.is_file() and WEIGHTS.read_text(encoding="utf-8") == content
    click.echo(f"weights: {'as shipped, to the byte' if same else 'not as shipped'}")
    if write:
        WEIGHTS.write_text(content, encoding="utf-8")


def _datasets(data: Path, seed: int) -> Iterator[Dataset]:
    for name in LABELLED:
        yield read_dataset(data / name, seed=seed)
    with tempfile.TemporaryDirectory() as scratch:
        yield read_dataset(training_part(data / "xquad", Path(scratch) / "xquad"), seed=seed)
    for name in TEXTS:
        yield read_corpus(data / name, seed=seed)


def _examples(dataset: Dataset) -> list[Example]:
    indexed = index_dataset(dataset, Settings(), cache_folder())
    with KnowledgeBase.open(indexed.store) as kb:
        maker = ExampleMaker(kb.store, kb.embedder, Settings().query)
        return list(maker.examples(dataset.name, _questions(dataset, kb)))


def _questions(dataset: Dataset, kb: KnowledgeBase) -> list[TrainingQuestion]:
    labelled = [
        TrainingQuestion(text=item.text, gold=frozenset().union(*item.gold)) for item in dataset.questions if item.gold
    ]
    if labelled:
        return labelled
    made = make_questions(kb.store, kb.embedder, MADE)
    return [TrainingQuestion(text=item.text, gold_chunks=frozenset((item.chunk_id,))) for item in made]


if __name__ == "__main__":
    main()
