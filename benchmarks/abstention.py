"""Trains the shipped weights of abstention: ``python -m benchmarks.abstention DATA [--write]``.

DATA holds the data sets by name. Learns from labelled questions (musique_train100, hotpot_train100, a hundred of the
English articles of xquad with numbers below 24) and from questions made of the sentences of meetings and stories, each
as it is and as unanswerable twins. Prints for each set the AUROC of support by cross-validation and of a model trained
on the other sets, how often it abstains, how reliable support is, and whether the weights are as shipped.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from belvedere import KnowledgeBase
from belvedere.evaluation.abstention import Verdict, brier_score, calibration_error, reliability_table
from belvedere.evaluation.dataset import Dataset, read_corpus, read_dataset
from belvedere.evaluation.index_cache import cache_folder, index_dataset
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from benchmarks.xquad_part import training_part
from query.abstention_examples import UNANSWERABLE, Example, ExampleMaker, Kind, TrainingQuestion
from query.abstention_training import TAUGHT, WEIGHTS, Trained, balance, train, trained_weights
from query.pseudo_questions import make_questions

LABELLED = ("musique_train100", "hotpot_train100")
TEXTS = ("qmsum_committee", "odsum_story_dev")
MADE = 50
OF_XQUAD = 100
# Twins of a question weigh 1, 1/2 or 1/3 each.
_PARTS = 6


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Seed of the order in which corpora are indexed.")
@click.option("--write", is_flag=True, help="Write the weights where they are shipped.")
def main(data: Path, seed: int, *, write: bool) -> None:
    """Train, and tell."""
    trained = train([example for dataset in _datasets(data, seed) for example in _examples(dataset)])
    content = trained_weights(trained)
    click.echo(f"seed {seed} · {describe_machine()}")
    _show_sets(json.loads(content))
    _show_reliability(trained)
    same = WEIGHTS.is_file() and WEIGHTS.read_text(encoding="utf-8") == content
    click.echo(f"weights: {'as shipped, to the byte' if same else 'not as shipped'}")
    if write:
        WEIGHTS.write_text(content, encoding="utf-8")


def _show_sets(told: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    for name, counts in told["trained_on"].items():
        click.echo(f"{name}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
        click.echo(f"  cross-validated            {_figures(told['cross_validated'][name])}")
        click.echo(f"  trained on the other sets  {_figures(told['trained_on_the_other_sets'][name])}")


def _figures(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())


def _show_reliability(trained: Trained) -> None:
    """Print the reliability of support on questions held out, as many of them answerable as not."""
    for kinds in (TAUGHT, ("answerable", *UNANSWERABLE)):
        click.echo(f"\nquestions held out: {', '.join(kinds)}")
        _show_reliability_among(trained, kinds)


def _show_reliability_among(trained: Trained, kinds: Sequence[Kind]) -> None:
    own = [pair for pair in zip(trained.examples, trained.held_out, strict=True) if pair[0].kind in kinds]
    shares = balance([example for example, _ in own])
    weighed = [
        (Verdict(answerable=example.answerable, abstained=False, support=support), round(_PARTS * share))
        for (example, support), share in zip(own, shares, strict=True)
    ]
    verdicts = [verdict for verdict, count in weighed for _ in range(count)]
    table = reliability_table(verdicts)
    click.echo("support     questions   mean support   answerable")
    for row in table:
        if row.mean_support is not None and row.share_answerable is not None:
            shown = f"{row.mean_support:>12.3f}   {row.share_answerable:>10.3f}"
            click.echo(f"{row.low:.1f} to {row.high:.1f}  {row.n / _PARTS:>9.1f}   {shown}")
    click.echo(f"calibration error {calibration_error(table):.3f}, Brier score {brier_score(verdicts):.3f}")


def _datasets(data: Path, seed: int) -> Iterator[Dataset]:
    for name in LABELLED:
        yield read_dataset(data / name, seed=seed)
    with tempfile.TemporaryDirectory() as scratch:
        yield read_dataset(training_part(data / "xquad", Path(scratch) / "xquad"), seed=seed, limit=OF_XQUAD)
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
