"""What is left of chains where documents have no titles: ``python -m benchmarks.untitled DATA``.

The two training sets in DATA are indexed with the title of every document taken away. Each is ranked by weights that
were trained on the other set: as it is, which is how the shipped weights meet documents without titles, and as it is
together with its untitled copy. Prints R@5 and all@5 with 95 % intervals, and the difference of R@5 to the plain
hybrid search, question by question.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np

from belvedere.evaluation.comparisons import compare_paired
from belvedere.evaluation.intervals import estimate_means
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from benchmarks.chains import PoolsByName, Ranked, by_weights, recall
from benchmarks.pots import opened_pots
from benchmarks.tables import told
from query.chain_ranking.training import train
from query.chain_ranking.training_pools import Pot, gather_pools

WANTED: Mapping[str, float] = {"musique_train100": 10.0, "hotpot_train100": 8.0}
"""Points of R@5 above hybrid."""


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Seed of all that is drawn.")
def main(data: Path, seed: int) -> None:
    """Index, train on the one, test on the other."""
    settings = Settings()
    with opened_pots(data, settings=settings, seed=seed, untitled=True) as pots:

        def gathered(own: Mapping[str, Pot]) -> PoolsByName:
            return {name: list(gather_pools(pot, pots.embedder, settings.query.local)) for name, pot in own.items()}

        titled, untitled, gate = gathered(pots.chains), gathered(pots.untitled), gathered(pots.gate)
    click.echo(f"titles removed · seed {seed} · {describe_machine()}\n")
    click.echo(f"{'':52}{'R@5':>20}{'all@5':>20}{'R@5 to hybrid':>22}")
    for name in untitled:
        rankings = ranked_by_all(name, titled, untitled, gate, seed=seed)
        for label, ranked in rankings.items():
            click.echo(line(f"{name}: {label}", ranked, rankings["hybrid"], seed=seed))
        click.echo(f"{'':52}wanted of the gated: {WANTED[name]:+.1f} to hybrid")


def ranked_by_all(
    name: str, titled: PoolsByName, untitled: PoolsByName, gate: PoolsByName, *, seed: int
) -> Mapping[str, Sequence[Ranked]]:
    """Return the rankings of the untitled copy of one set, by searches and by weights that did not see the set."""
    own = untitled[name]
    others = {other: pools for other, pools in titled.items() if other != name}
    copies = {f"{other} (untitled)": untitled[other] for other in others}
    by_titled = train(others, gate, seed=seed)
    return {
        "hybrid": [Ranked(pool=pool, scores=pool.evidence.fused) for pool in own],
        "walk": [Ranked(pool=pool, scores=pool.evidence.mass) for pool in own],
        "trained on the other, gated": by_weights(own, by_titled),
        "trained on the other, no gate": by_weights(own, by_titled, with_gate=False),
        "trained on the other and its copy, gated": by_weights(own, train(others | copies, gate, seed=seed)),
    }


def line(label: str, ranked: Sequence[Ranked], against: Sequence[Ranked], *, seed: int) -> str:
    """Return one row of the table."""
    values, others = np.array([recall(item) for item in ranked]), np.array([recall(item) for item in against])
    found, whole = estimate_means(values, seed=seed)
    change = compare_paired((values - others)[:, :1], columns=1, seed=seed)[0].estimate
    return f"{label:52}{told(found):>20}{told(whole):>20}{told(change, sign='+'):>22}"


if __name__ == "__main__":
    main()
