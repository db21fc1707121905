"""Trains the shipped weights of chain ranking and measures what chains gain: ``python -m benchmarks.chains DATA``.

DATA holds the data sets by name: questions that join passages (musique_train100, hotpot_train100), questions that one
passage answers (the English articles of xquad with numbers below 24), and texts to make questions from. Prints R@5 and
all@5 with 95 % intervals over questions: by cross-validation, trained on one set and tested on the other, always with
the gate; with parts of the ranker left out; and tells whether the weights come out as they are shipped (``--write``
ships them).
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from belvedere.evaluation.index_cache import cache_folder
from belvedere.evaluation.intervals import estimate_means
from belvedere.evaluation.machine import describe_machine
from belvedere.evaluation.ranker_training import (
    TrainingFolders,
    TrainingPools,
    gather_training_pools,
    weights_text,
)
from belvedere.settings import Settings
from benchmarks.xquad_part import training_part
from query.chain_ranking.arrays import Vector
from query.chain_ranking.fitting import question_folds
from query.chain_ranking.gate import gate_features, gated
from query.chain_ranking.passage_features import plain_search
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.training import train
from query.chain_ranking.training_pools import TrainingPool
from query.chain_ranking.weights import weights_of

SHIPPED = Path(__file__).resolve().parents[1] / "query" / "chain_ranking" / "chain_weights.json"
CHAINS = ("musique_train100", "hotpot_train100")
TEXTS = (*CHAINS, "odsum_story_dev", "qmsum_committee")
FOLDS = 5

PoolsByName = Mapping[str, Sequence[TrainingPool]]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Seed of all that is drawn.")
@click.option("--write", is_flag=True, help="Write the weights where they are shipped.")
@click.option("--weights-only", is_flag=True, help="Measure nothing.")
def main(data: Path, seed: int, *, write: bool, weights_only: bool) -> None:
    """Train, compare, measure."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = TrainingFolders(
            chains=tuple(data / name for name in CHAINS),
            gate=(training_part(data / "xquad", Path(scratch) / "xquad"),),
            texts=tuple(data / name for name in TEXTS),
        )
        pools = gather_training_pools(folders, settings=Settings(), cache=cache_folder(), seed=seed)
    content = weights_text(train(pools.chains, pools.gate, seed=seed))
    same = SHIPPED.is_file() and SHIPPED.read_text(encoding="utf-8") == content
    click.echo(f"weights: {'as shipped, to the byte' if same else 'not as shipped'}")
    if write:
        SHIPPED.write_text(content, encoding="utf-8")
    if not weights_only:
        measure(pools, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Scores (n,) of a pool by one system."""

    pool: TrainingPool
    scores: Vector


def measure(pools: TrainingPools, seed: int) -> None:
    """Print the table."""
    counts = ", ".join(f"{name} {len(own)}" for name, own in {**pools.chains, **pools.gate}.items())
    click.echo(f"questions: {counts}\nseed {seed} · {describe_machine()}\n")
    click.echo(f"{'':52}{'R@5':>20}{'all@5':>20}")
    for name, own in pools.chains.items():
        show(f"{name}: searches", [Ranked(pool=pool, scores=pool.evidence.fused) for pool in own], seed)
        show(f"{name}: late interaction", [Ranked(pool=pool, scores=plain_search(pool.evidence)) for pool in own], seed)
        show(f"{name}: walk", [Ranked(pool=pool, scores=pool.evidence.mass) for pool in own], seed)
        others = {other: theirs for other, theirs in pools.chains.items() if other != name}
        content = train(others, pools.gate, seed=seed)
        show(f"{name}: trained on the other, gated", by_weights(own, content), seed)
        show(f"{name}: trained on the other, no gate", by_weights(own, content, with_gate=False), seed)
    for name, ranked in cross_validated(pools, seed).items():
        show(f"{name}: cross-validated, gated", ranked, seed)


def cross_validated(pools: TrainingPools, seed: int) -> Mapping[str, Sequence[Ranked]]:
    """Rank every chain question by weights that were trained without its fold of questions."""
    folds = {name: question_folds(len(own), FOLDS, np.random.default_rng(seed)) for name, own in pools.chains.items()}
    ranked: dict[str, list[Ranked]] = {name: [] for name in pools.chains}
    for number in range(FOLDS):
        held = {name: set(folds[name][number].tolist()) for name in pools.chains}
        rest = {
            name: [pool for index, pool in enumerate(own) if index not in held[name]]
            for name, own in pools.chains.items()
        }
        content = train(rest, pools.gate, seed=seed)
        for name, own in pools.chains.items():
            ranked[name] += by_weights([own[index] for index in sorted(held[name])], content)
    return ranked


def by_weights(pools: Sequence[TrainingPool], content: dict[str, Any], *, with_gate: bool = True) -> list[Ranked]:
    """Rank pools by trained weights."""
    weights = weights_of(content)
    ranked = []
    for pool in pools:
        result = run_rounds(pool.rounds, weights.rounds)
        searched = plain_search(pool.evidence)
        trust = weights.gate.probability(gate_features(pool.evidence, result, searched)) if with_gate else 1.0
        ranked.append(Ranked(pool=pool, scores=gated(result.scores, searched, trust)))
    return ranked


def show(label: str, ranked: Sequence[Ranked], seed: int) -> None:
    """Print one line."""
    values = np.array([recall(item) for item in ranked])
    told = [
        f"{estimate.value:.3f} [{estimate.low:.3f}-{estimate.high:.3f}]"
        for estimate in estimate_means(values, seed=seed)
    ]
    click.echo(f"{label:52}{told[0]:>20}{told[1]:>20}")


def recall(item: Ranked) -> tuple[float, float]:
    """Return R@5 and all@5 of documents; gold outside the pool counts as not found."""
    order = np.argsort(-item.scores, kind="stable").tolist()
    top = set(list(dict.fromkeys(item.pool.keys[index] for index in order))[:5])
    found = sum(bool(group & top) for group in item.pool.gold)
    return found / len(item.pool.gold), float(found == len(item.pool.gold))


if __name__ == "__main__":
    main()
