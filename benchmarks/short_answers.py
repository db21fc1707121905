"""Trains the shipped weights of short answers: ``python -m benchmarks.short_answers DATA [--write]``.

DATA holds the data sets by name. Learns from questions with references (musique_train100, hotpot_train100, English
articles of xquad with numbers below 24); yes/no questions and comparisons, which rules decide, are told apart. Prints
what came of it on questions held out, by set and by kind of question, and whether the weights are as shipped. With
--stores FOLDER the stores FOLDER/NAME/store are read instead of being indexed.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
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
from query.abstention import SupportEvidence
from query.short_answers.asked import wanted
from query.short_answers.comparison import decide, is_comparison
from query.short_answers.model import ClaimRule
from query.short_answers.training import (
    WEIGHTS,
    EvidenceMaker,
    Kept,
    TrainingAnswer,
    figures,
    train,
    training_answer,
    weights_text,
)

LABELLED = ("musique_train100", "hotpot_train100")
_RIGHT = 0.5


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--stores", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Ready stores, by name.")
@click.option("--seed", default=0, show_default=True, help="Seed of the order in which corpora are indexed.")
@click.option("--write", is_flag=True, help="Write the weights where they are shipped.")
def main(data: Path, stores: Path | None, seed: int, *, write: bool) -> None:
    """Train, and tell."""
    answers: list[TrainingAnswer] = []
    for dataset in _datasets(data, seed):
        answers.extend(_answers(dataset, stores))
    trained = train(answers)
    content = weights_text(trained)
    rule = trained.model
    click.echo(f"seed {seed} · {describe_machine()} · claimed from {rule.threshold}, covered from {rule.covered}")
    for how, kept in (
        ("cross-validated", trained.by_fold),
        ("by the other sets", trained.by_set),
        ("in sample", trained.in_sample),
    ):
        _show(how, kept, rule)
    same = WEIGHTS.is_file() and WEIGHTS.read_text(encoding="utf-8") == content
    click.echo(f"weights: {'as shipped, to the byte' if same else 'not as shipped'}")
    if write:
        WEIGHTS.write_text(content, encoding="utf-8")


def _show(how: str, kept: Sequence[Kept], rule: ClaimRule) -> None:
    groups = sorted({(answer.source, group) for answer, _ in kept for group in ("all", *answer.groups)})
    for source, group in groups:
        own = [pair for pair in kept if pair[0].source == source and group in ("all", *pair[0].groups)]
        click.echo(f"{how}, {source}, {group} ({len(own)}): {figures(own, rule)}")


def _datasets(data: Path, seed: int) -> Iterator[Dataset]:
    for name in LABELLED:
        yield read_dataset(data / name, seed=seed)
    with tempfile.TemporaryDirectory() as scratch:
        yield read_dataset(training_part(data / "xquad", Path(scratch) / "xquad"), seed=seed)


def _answers(dataset: Dataset, stores: Path | None) -> Iterator[TrainingAnswer]:
    """Yield the questions that spans may answer; print how many of the others rules decide, and how many are right."""
    ready = stores / dataset.name / "store" if stores is not None else None
    store = ready if ready is not None else index_dataset(dataset, Settings(), cache_folder()).store
    decided: list[tuple[bool, float]] = []
    with KnowledgeBase.open(store) as kb:
        maker = EvidenceMaker(kb.store, kb.embedder, Settings().query)
        for item in dataset.questions:
            evidence = maker.evidence(item.text)
            if not item.references:
                continue
            if evidence.question.kind == "yes_no" or is_comparison(evidence.question):
                verdict = decide(evidence.question, [entry.candidate for entry in evidence.scored])
                told = _score(item.references, verdict.text)["F1"] if verdict is not None else 0.0
                decided.append((verdict is not None, told))
            else:
                yield training_answer(dataset.name, evidence, partial(_score, item.references), _groups(evidence))
    right = sum(told >= _RIGHT for _, told in decided)
    told_of = sum(is_told for is_told, _ in decided)
    click.echo(f"rules, {dataset.name}: {len(decided)} comparisons or yes/no, {told_of} decided, {right} of them right")


def _groups(evidence: SupportEvidence) -> tuple[str, ...]:
    """Tell what is asked for, and whether chains were trusted and lead from one told document to another."""
    trusted = bool(evidence.ranking.chain_odds())
    leads = any(evidence.ranking.chain(candidate.passage.chunk.id) for candidate in evidence.told)
    chains = "chains lead on" if leads else "chains trusted" if trusted else "chains not trusted"
    return f"asks for a {wanted(evidence.question).kind}", chains


def _score(references: tuple[str, ...], answer: str) -> Mapping[str, float]:
    return score_answer(answer, references)


if __name__ == "__main__":
    main()
