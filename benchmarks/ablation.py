"""What each part of the local route is worth: ``python -m benchmarks.ablation DATA``.

One part at a time is taken away: columns of the trained models, which are then trained anew without them; or a step,
by its setting or by what it hands on, and the models are trained on what comes out then. Always trained on one of the
two training sets in DATA (and the gate on a sample of what the shipped one is trained on), tested on the other. Prints
R@5 with 95 % intervals over questions, and the difference to the whole, question by question.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from belvedere.evaluation.comparisons import compare_paired
from belvedere.evaluation.intervals import estimate_means
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from benchmarks.chains import PoolsByName, by_weights, recall
from benchmarks.narrowed import Dropped, narrowed
from benchmarks.pots import Pots, opened_pots, sampled
from benchmarks.tables import told
from graph_store.store import GraphStore
from model_clients.embedder import QuestionVectors, TokenVectors
from query.chain_ranking.arrays import Vector
from query.chain_ranking.training import ROUNDS, train
from query.chain_ranking.training_pools import FirstSearch, QuestionEmbedder, gather_pools
from query.fusion import z_sum
from query.local import FirstStage, search_first_stage
from query.request import Request
from query.settings import LocalSettings

# Questions of each set that the gate learns from: enough to rank the parts, and the table takes minutes.
GATE_QUESTIONS = 40
_ALMOST_NOTHING = 1e-6


def without_bm25(store: GraphStore, request: Request, settings: LocalSettings) -> FirstStage:
    """Search by vector alone."""
    dense = search_first_stage(store, request, settings).dense
    return FirstStage(bm25=(), dense=dense, fused=z_sum([{hit.id: hit.score for hit in dense}]))


def without_dense(store: GraphStore, request: Request, settings: LocalSettings) -> FirstStage:
    """Search by keywords alone."""
    bm25 = search_first_stage(store, request, settings).bm25
    return FirstStage(bm25=bm25, dense=(), fused=z_sum([{hit.id: hit.score for hit in bm25}]))


class WithoutTokens:
    """An embedder of questions that makes no token vectors, as if the store had none."""

    def __init__(self, embedder: QuestionEmbedder) -> None:
        self._embedder = embedder

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """Embed a question without its tokens."""
        found = self._embedder.embed_question_tokens(question)
        none = TokenVectors(starts=found.tokens.starts[:0], vectors=found.tokens.vectors[:0])
        return replace(found, tokens=none)


def with_tokens(embedder: QuestionEmbedder) -> QuestionEmbedder:
    """Return the embedder as it is."""
    return embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """How the pools are gathered: by which settings, searches and embedder."""

    settings: LocalSettings
    first_search: FirstSearch = search_first_stage
    embedder: Callable[[QuestionEmbedder], QuestionEmbedder] = with_tokens


NOTHING = Dropped()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part to take away: from what is gathered (None: nothing), from the columns, rounds, or the gate."""

    name: str
    gathering: Gathering | None = None
    dropped: Dropped = NOTHING
    rounds: int = ROUNDS
    gated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Pools of questions by name of their set."""

    chains: PoolsByName
    gate: PoolsByName


WALK = Dropped(passages=("walk_*",), links=("*_mass",))
HOPS = Dropped(passages=("hop", "hop_*"), links=("hop", "hop_*"))
HOMES = Dropped(passages=("asked_home",), links=("*_home",))
TITLES = Dropped(passages=("*_title", "title_*"), links=("*_title", "*_asked"))
BRIDGE_SENTENCE = (
    "bridge_cosine", "bridge_behind", "bridge_covers", "sentence_number", "gain_of_sentence", "gain_difference",
)  # fmt: skip
LINKS = ("link_*", "named_by_anchor", "names_anchor", "hop_by_link", "trust_sum", "trust_best")


def parts(settings: LocalSettings) -> tuple[Part, ...]:
    """Return the parts of the local route as ``settings`` run it, in the order of the route."""
    chains = settings.chains
    no_walk = replace(settings, damping=_ALMOST_NOTHING, damping_without_names=_ALMOST_NOTHING)
    no_hops = replace(settings, chains=replace(chains, pool_hops=1, hop_hits=1))
    no_homes = replace(settings, most_homes=0)
    return (
        Part(name="BM25", gathering=Gathering(settings=settings, first_search=without_bm25),
             dropped=Dropped(passages=("bm25", "bm25_place"), links=("target_bm25",))),
        Part(name="vector search", gathering=Gathering(settings=settings, first_search=without_dense),
             dropped=Dropped(passages=("dense", "dense_place"), links=("*_dense",))),
        Part(name="names of the question and their homes", gathering=Gathering(settings=no_homes),
             dropped=HOMES),
        Part(name="walk: only as a feature", dropped=WALK),
        Part(name="walk: edges followed at all", gathering=Gathering(settings=no_walk)),
        Part(name="hop vectors: as features", dropped=HOPS),
        Part(name="hop vectors: as searches, and features", gathering=Gathering(settings=no_hops),
             dropped=HOPS),
        Part(name="token vectors (words alone cover)", gathering=Gathering(settings=settings, embedder=WithoutTokens)),
        Part(name="features of titles", dropped=TITLES),
        Part(name="features of the bridge's sentence",
             dropped=Dropped(links=BRIDGE_SENTENCE)),
        Part(name="link model", dropped=Dropped(passages=("link_*",))),
        Part(name="links altogether", dropped=Dropped(passages=LINKS)),
        Part(name="second round", rounds=1),
        Part(name="gate (chains alone rank)", gated=False),
    )  # fmt: skip


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Seed of all that is drawn.")
@click.option("--only", default="", help="Parts whose names contain this.")
def main(data: Path, seed: int, only: str) -> None:
    """Take one part away at a time."""
    settings = Settings()
    local = settings.query.local
    with opened_pots(data, settings=settings, seed=seed) as pots:
        usual = gather(pots, Gathering(settings=local), seed)
        click.echo(f"trained on one set, tested on the other, gated · seed {seed} · {describe_machine()}\n")
        click.echo(f"{'R@5 without ...':40}" + "".join(f"{name:>20}{'difference':>20}" for name in usual.chains))
        whole = found_by(Part(name=""), usual, seed)
        click.echo(line("(everything there)", whole, whole, seed=seed))
        for part in parts(local):
            if only in part.name:
                pools = usual if part.gathering is None else gather(pots, part.gathering, seed)
                click.echo(line(part.name, found_by(part, pools, seed), whole, seed=seed))


def gather(pots: Pots, way: Gathering, seed: int) -> Gathered:
    """Gather the pools of all questions in one way."""
    embedder = way.embedder(pots.embedder)
    gate = {name: sampled(pot, GATE_QUESTIONS, seed) for name, pot in pots.gate.items()}
    chains, taught = (
        {name: list(gather_pools(pot, embedder, way.settings, way.first_search)) for name, pot in own.items()}
        for own in (pots.chains, gate)
    )
    return Gathered(chains=chains, gate=taught)


def found_by(part: Part, pools: Gathered, seed: int) -> Mapping[str, Vector]:
    """Return R@5 of every question (n,) by set, each set ranked by what the others taught, without the part."""
    chains = {name: narrowed(own, part.dropped) for name, own in pools.chains.items()}
    gate = {name: narrowed(own, part.dropped) for name, own in pools.gate.items()}
    found = {}
    for name, own in chains.items():
        others = {other: theirs for other, theirs in chains.items() if other != name}
        content = train(others, gate, seed=seed, rounds=part.rounds)
        found[name] = np.array([recall(item)[0] for item in by_weights(own, content, with_gate=part.gated)])
    return found


def line(label: str, found: Mapping[str, Vector], whole: Mapping[str, Vector], *, seed: int) -> str:
    """Return one row of the table."""
    return f"{label:40}" + "".join(cells(values, whole[name], seed) for name, values in found.items())


def cells(values: Vector, whole: Vector, seed: int) -> str:
    """Return R@5 of one set, and its difference to the whole."""
    change = compare_paired((values - whole)[:, None], columns=1, seed=seed)[0].estimate
    return f"{told(estimate_means(values[:, None], seed=seed)[0]):>20}{told(change, sign='+'):>20}"


if __name__ == "__main__":
    main()
