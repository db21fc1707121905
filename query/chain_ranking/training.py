"""Trains chain ranking: the rounds on questions that join passages, the gate on those and on others.

The rounds learn from ``chain_pots`` alone. The gate learns on which questions chains pay: on the chain pots, each
scored by rounds that were trained on the others (out of fold where there is but one), and on ``gate_pots``, where one
passage is enough, scored by the final rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from query.chain_ranking.fitting import cross_validate, fit_rounds
from query.chain_ranking.gate_training import GateExample, fit_gate, gate_example
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.rounds import RoundResult
from query.chain_ranking.training_pools import TrainingPool
from query.chain_ranking.weights import VERSION, LinearScorer, RoundWeights

ROUNDS = 2
_FOLDS = 5
# The smallest of a few with which no set of training questions, left out of the gate's training, falls behind the
# fused searches. Below 1, since made questions, whose words were replaced by near ones, favour late interaction.
_LOSSES_WEIGH = 0.7

PoolsByPot = Mapping[str, Sequence[TrainingPool]]


def train(chain_pots: PoolsByPot, gate_pots: PoolsByPot, *, seed: int, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return the content of a weights file; equal input gives equal content."""
    pools = [pool for pot in chain_pots.values() for pool in pot]
    fitted = fit_rounds(pools, rounds=rounds, seed=seed)
    examples = list(gate_examples(chain_pots, gate_pots, fitted, seed=seed))
    return {
        "version": VERSION,
        "seed": seed,
        "questions": {name: len(pot) for name, pot in {**chain_pots, **gate_pots}.items()},
        "rounds": [
            {"link": _scorer_content(model.link), "passage": _scorer_content(model.passage)} for model in fitted
        ],
        "gate": fit_gate(examples, losses_weigh=_LOSSES_WEIGH),
    }


def gate_examples(
    chain_pots: PoolsByPot, gate_pots: PoolsByPot, rounds: Sequence[RoundWeights], *, seed: int
) -> Iterator[GateExample]:
    """Yield what the gate learns from, scored by models that did not see the question."""
    for name, pot in chain_pots.items():
        others = [pool for other, own in chain_pots.items() if other != name for pool in own]
        for pool, result in zip(pot, _unseen_results(pot, others, seed, rounds=len(rounds)), strict=True):
            yield gate_example(pool, result)
    for pot in gate_pots.values():
        for pool in pot:
            yield gate_example(pool, run_rounds(pool.rounds, rounds))


def _unseen_results(
    pot: Sequence[TrainingPool], others: Sequence[TrainingPool], seed: int, *, rounds: int
) -> list[RoundResult]:
    if not others:
        return cross_validate(pot, rounds=rounds, folds=_FOLDS, seed=seed)
    weights = fit_rounds(others, rounds=rounds, seed=seed)
    return [run_rounds(pool.rounds, weights) for pool in pot]


def _scorer_content(scorer: LinearScorer) -> dict[str, Any]:
    table = zip(scorer.features, scorer.means, scorer.scales, scorer.weights, strict=True)
    return {
        "bias": scorer.bias,
        "features": {name: [float(mean), float(scale), float(weight)] for name, mean, scale, weight in table},
    }
