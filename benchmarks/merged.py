"""What a large mixed collection costs: ``python -m benchmarks.merged DATA``.

The documents of seven data sets in DATA go into one store, and the questions of each are asked there and in the store
of their own set. Prints R@5 (nDCG@10 for cranfield, whose questions have many answers) with 95 % intervals over
questions for both, and the difference, question by question, for the plain hybrid search, the walk and the local
route. What is indexed comes from the cache of evaluations; the one store is poured together from the others.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import click
import numpy as np

from belvedere.evaluation.comparisons import compare_paired
from belvedere.evaluation.dataset import Dataset, LabelledQuestion, read_dataset
from belvedere.evaluation.index_cache import cache_folder, index_dataset
from belvedere.evaluation.intervals import estimate_means
from belvedere.evaluation.machine import describe_machine
from belvedere.evaluation.measures import collapse, score_rankings
from belvedere.evaluation.systems import RANKED_CHUNKS
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from benchmarks.merging import prefixed_questions
from benchmarks.pouring import pour
from benchmarks.tables import told
from benchmarks.xquad_part import TRAINING_ARTICLES, article
from graph_store.filters import parse_filter
from query.chain_ranking.arrays import Vector
from query.engine import System
from query.request import AskOptions

NAMES = (
    "musique_train100", "hotpot_train100", "2wiki_dev164", "multihoprag_partial", "lihua_world", "cranfield", "xquad",
)  # fmt: skip
SYSTEMS: tuple[System, ...] = ("hybrid", "ppr", "local")
MEASURE_OF: Mapping[str, str] = {"cranfield": "nDCG@10"}
USUAL_MEASURE = "R@5"


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sets", default=",".join(NAMES), help="Sets whose questions are asked; the one store holds all.")
@click.option("--systems", default=",".join(SYSTEMS), show_default=True, help="Systems asked.")
@click.option("--limit", type=int, help="Ask a sample of so many questions of each set.")
@click.option("--stores", type=click.Path(path_type=Path), help="Folder with NAME/store of each set, made before.")
@click.option("--merged", type=click.Path(path_type=Path), help="Keep the one store there, or find it there.")
@click.option("--seed", default=0, show_default=True, help="Seed of samples, orders and intervals.")
def main(data: Path, **options: object) -> None:
    """Index, ask, compare."""
    run(data, Options(**options))  # type: ignore[arg-type]  # click has checked them


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command, as its help tells."""

    sets: str
    systems: str
    limit: int | None
    stores: Path | None
    merged: Path | None
    seed: int


def run(data: Path, options: Options) -> None:
    """Print the table."""
    datasets = [read_set(data / name, options.seed, options.limit) for name in NAMES]
    stores = {dataset.name: stored(dataset, options.stores) for dataset in datasets}
    systems = [system for system in get_args(System) if system in options.systems.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.merged or Path(scratch) / "merged"
        if not folder.exists():
            pour(stores, folder, Settings().indexing)
        documents = sum(len(dataset.corpus) for dataset in datasets)
        click.echo(f"{documents} documents in one store · seed {options.seed} · {describe_machine()}\n")
        click.echo(f"{'':34}{'own store':>20}{'one store':>20}{'difference':>22}")
        for dataset in datasets:
            if dataset.name in options.sets.split(","):
                for row in compare(dataset, stores[dataset.name], folder, systems=systems):
                    click.echo(row)


def read_set(folder: Path, seed: int, limit: int | None = None) -> Dataset:
    """Read a data set with (a sample of) the questions that name gold; of xquad the English articles, asked about by
    the checking part only.
    """
    is_xquad = folder.name == "xquad"
    dataset = read_dataset(folder, seed=seed, filters=(parse_filter("lang=en"),) if is_xquad else ())
    asked = [question for question in dataset.questions if question.gold and not (is_xquad and _is_training(question))]
    if limit is not None and limit < len(asked):
        chosen = np.random.default_rng(seed).choice(len(asked), size=limit, replace=False)
        asked = [asked[index] for index in sorted(chosen.tolist())]
    return replace(dataset, questions=tuple(asked))


def _is_training(question: LabelledQuestion) -> bool:
    return article(min(question.gold[0])) < TRAINING_ARTICLES


def stored(dataset: Dataset, stores: Path | None) -> Path:
    """Return the store of a data set: in the folder given, else from the cache, where it is made if it is not there."""
    if stores is not None:
        return stores / dataset.name / "store"
    return index_dataset(dataset, Settings(), cache_folder()).store


def compare(dataset: Dataset, own: Path, merged: Path, *, systems: Sequence[System]) -> list[str]:
    """Return a line per system: the set's measure in both stores, and what the large one loses."""
    name = MEASURE_OF.get(dataset.name, USUAL_MEASURE)
    alone = measure(own, dataset.questions, name, systems)
    among = measure(merged, prefixed_questions(dataset), name, systems)
    return [
        line(f"{dataset.name} {name} {system}", alone[system], among[system], seed=dataset.seed) for system in systems
    ]


def measure(
    store: Path, questions: Sequence[LabelledQuestion], name: str, systems: Sequence[System]
) -> Mapping[System, Vector]:
    """Return a measure of every question (n,) by system."""
    golds = [question.gold for question in questions]
    found = {}
    with KnowledgeBase.open(store, config=Settings()) as kb:
        for system in systems:
            rankings = [ranked_documents(kb, system, question.text) for question in questions]
            scored = score_rankings(rankings, golds)
            found[system] = np.array([values[name] for values in scored if values is not None])
    return found


def ranked_documents(kb: KnowledgeBase, system: System, text: str) -> tuple[str, ...]:
    """Return the documents that a system ranks, best first."""
    hits = kb.engine.rank_chunks(text, system, RANKED_CHUNKS, AskOptions(access=kb.access))
    return collapse(chunk.document_id for chunk in kb.store.chunks(kb.access, [hit.id for hit in hits]))


def line(label: str, alone: Vector, among: Vector, *, seed: int) -> str:
    """Return one row of the table, from the values (n,) of the same questions in both stores."""
    both = estimate_means(np.column_stack([alone, among]), seed=seed)
    change = compare_paired((among - alone)[:, None], columns=1, seed=seed)[0].estimate
    return f"{label:34}{told(both[0]):>20}{told(both[1]):>20}{told(change, sign='+'):>22}"


if __name__ == "__main__":
    main()
