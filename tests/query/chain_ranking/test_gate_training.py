from dataclasses import replace
from math import log2
from typing import Any

import numpy as np
import pytest

from query.chain_ranking.gate_training import GateExample, fit_gate, gate_example, ranking_quality
from query.chain_ranking.passage_features import plain_search
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.training_pools import TrainingPool
from query.chain_ranking.weights import chain_weights
from tests.query.chain_ranking.hand_made import joining_pool


def pool_with(keys: str, *gold: str) -> TrainingPool:
    """A pool whose passages belong to the documents ``keys``, one letter each; a group of gold is a word of letters."""
    return replace(joining_pool(0), keys=tuple(keys), gold=tuple(frozenset(group) for group in gold))


def falling(count: int) -> np.ndarray:
    return -np.arange(count, dtype=np.float64)


@pytest.mark.parametrize(
    ("keys", "gold", "expected"),
    [
        # The mean of R@5 and nDCG@10, by hand.
        ("abcde", ("a",), 1.0),
        ("abcde", ("b",), 0.5 + 0.5 / log2(3)),
        ("abcdef", ("f",), 0.5 / log2(7)),
        ("abcde", ("a", "b"), 1.0),
        ("abcde", ("a", "c"), 0.5 + 0.5 * (1 + 1 / log2(4)) / (1 + 1 / log2(3))),
        ("abcde", ("a", "z"), 0.25 + 0.5 / (1 + 1 / log2(3))),
        ("abcde", ("zy",), 0.0),
        # One group is met by any of its documents, and once.
        ("abcde", ("ab",), 1.0),
        # One document may meet two groups.
        ("abcde", ("ax", "ay"), 0.5 + 0.5 / (1 + 1 / log2(3))),
        # Passages of one document count as one place.
        ("aaaaabc", ("b", "c"), 0.5 + 0.5 * (1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3))),
        # Beyond ten nothing is gained.
        ("abcdefghijk", ("k",), 0.0),
    ],
)
def test_the_quality_of_a_ranking(keys: str, gold: tuple[str, ...], expected: float) -> None:
    assert ranking_quality(pool_with(keys, *gold), falling(len(keys))) == pytest.approx(expected)


def test_quality_follows_the_scores_and_ties_the_pool() -> None:
    pool = pool_with("abcdef", "f")
    assert ranking_quality(pool, -falling(6)) == 1.0
    assert ranking_quality(pool, np.zeros(6)) == ranking_quality(pool, falling(6))


def test_an_example_tells_what_chains_gained() -> None:
    pool = joining_pool(1)
    gold_first = np.where(pool.is_gold, 1.0, 0.0)
    result = replace(run_rounds(pool.rounds, chain_weights("").rounds), scores=gold_first)
    example = gate_example(pool, result)
    assert example.pot == "pot"
    assert example.gained == pytest.approx(1.0 - ranking_quality(pool, plain_search(pool.evidence)))
    assert example.gained > 0.0
    assert set(example.features) == set(chain_weights("").gate.features)


def examples(count: int = 40, pot: str = "a") -> list[GateExample]:
    """Questions on which chains win where "helps" is above 0."""
    random = np.random.default_rng(5)
    values = random.normal(size=(count, 2))
    return [
        GateExample(pot=pot, features={"helps": float(own), "noise": float(other)}, gained=float(np.sign(own)) * 0.5)
        for own, other in values
    ]


def weight(content: dict[str, Any], name: str) -> float:
    return float(content["features"][name][2])


def test_the_gate_recovers_what_tells() -> None:
    fitted = fit_gate(examples(), losses_weigh=1.0)
    assert weight(fitted, "helps") > 3 * abs(weight(fitted, "noise"))
    assert fitted == fit_gate(examples(), losses_weigh=1.0)


def test_ties_count_for_the_scale_but_for_nothing_else() -> None:
    ties = [GateExample(pot="a", features={"helps": 9.0, "noise": 9.0}, gained=0.0) for _ in range(5)]
    fitted, without = (fit_gate(own, losses_weigh=1.0) for own in (examples() + ties, examples()))
    assert fitted["features"]["helps"][0] > without["features"]["helps"][0]
    assert weight(fitted, "helps") > 0.0


def test_the_more_losses_weigh_the_less_chains_are_trusted() -> None:
    bare = [replace(example, features={"noise": example.features["noise"]}) for example in examples()]
    light, heavy = (fit_gate(bare, losses_weigh=weigh)["bias"] for weigh in (1.0, 10.0))
    assert heavy < light


def test_a_large_pot_does_not_outvote_a_small_one_by_its_size() -> None:
    winning = [GateExample(pot="large", features={"x": 0.0}, gained=0.5) for _ in range(64)]
    losing = [GateExample(pot="small", features={"x": 0.0}, gained=-0.5) for _ in range(4)]
    # 64 / sqrt(64) against 4 / sqrt(4): odds of 4, not of 16; the odds of the gate are squared.
    assert fit_gate(winning + losing, losses_weigh=1.0)["bias"] == pytest.approx(2 * np.log(4), abs=0.01)


@pytest.mark.parametrize(("gained", "bias"), [(0.5, np.log(5)), (-0.5, -np.log(5)), (0.0, 0.0)])
def test_where_chains_never_lose_or_never_win_trust_is_the_same_everywhere(gained: float, bias: float) -> None:
    same = [replace(example, gained=gained) for example in examples(4)]
    fitted = fit_gate(same, losses_weigh=3.0)
    assert fitted["bias"] == pytest.approx(bias, abs=1e-5)
    assert weight(fitted, "helps") == weight(fitted, "noise") == 0.0
    assert all(scale > 0 for _, scale, _ in fitted["features"].values())
