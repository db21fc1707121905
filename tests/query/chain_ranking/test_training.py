import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from query.chain_ranking.fitting import NothingToLearn
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.training import gate_examples, train
from query.chain_ranking.training_pools import Pot, TrainingPool, TrainingQuestion, gather_pools
from query.chain_ranking.weights import VERSION, chain_weights, weights_of
from query.settings import LocalSettings
from tests.query.chain_ranking.hand_made import joining_pool
from tests.query.small_store import EMBEDDER


def pots(*numbers: int) -> list[TrainingPool]:
    return [joining_pool(number) for number in numbers]


CHAINS = {"one": pots(*range(6)), "two": pots(*range(6, 12))}


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    return train(CHAINS, {"others": pots(20, 21)}, seed=3)


def test_the_content_tells_where_it_comes_from(content: dict[str, Any]) -> None:
    assert (content["version"], content["seed"]) == (VERSION, 3)
    assert content["questions"] == {"one": 6, "two": 6, "others": 2}
    assert len(content["rounds"]) == 2


def test_the_content_is_what_is_read_back(content: dict[str, Any]) -> None:
    weights = weights_of(json.loads(json.dumps(content)))
    for model, entry in zip(weights.rounds, content["rounds"], strict=True):
        for scorer, own in ((model.link, entry["link"]), (model.passage, entry["passage"])):
            table = np.column_stack([scorer.means, scorer.scales, scorer.weights]).tolist()
            assert dict(zip(scorer.features, table, strict=True)) == own["features"]
            assert scorer.bias == own["bias"]
    gate = zip(weights.gate.features, weights.gate.means, weights.gate.scales, weights.gate.weights, strict=True)
    assert {name: list(numbers) for name, *numbers in gate} == content["gate"]["features"]


def test_what_is_trained_has_the_features_of_what_is_shipped(content: dict[str, Any]) -> None:
    trained, shipped = weights_of(content), chain_weights("")
    for own, packaged in zip(trained.rounds, shipped.rounds, strict=True):
        assert set(own.link.features) == set(packaged.link.features)
        assert set(own.passage.features) == set(packaged.passage.features)
    assert set(trained.gate.features) == set(shipped.gate.features)


def test_two_runs_train_the_same_bytes(content: dict[str, Any]) -> None:
    again = train(CHAINS, {"others": pots(20, 21)}, seed=3)
    assert json.dumps(again) == json.dumps(content)


def test_each_chain_pot_is_judged_by_rounds_trained_on_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[set[str]] = []
    weights = chain_weights("").rounds

    def watched(pools: list[TrainingPool], **_: int) -> object:
        fitted.append({pool.pot for pool in pools})
        return weights

    monkeypatch.setattr("query.chain_ranking.training.fit_rounds", watched)
    chains = {name: [joining_pool(number, name) for number in (1, 2)] for name in ("a", "b", "c")}
    found = list(gate_examples(chains, {"d": [joining_pool(3, "d")]}, weights, seed=0))
    assert fitted == [{"b", "c"}, {"a", "c"}, {"a", "b"}]
    assert [example.pot for example in found] == ["a", "a", "b", "b", "c", "c", "d"]


def test_gold_that_is_in_no_pool_teaches_nothing() -> None:
    nothing = [pool for pool in pots(*range(6))]
    for pool in nothing:
        pool.is_gold[:] = False
    with pytest.raises(NothingToLearn):
        train({"chains": nothing}, {}, seed=0)


def test_pools_are_gathered_with_their_gold(small_store: EmbeddedStore) -> None:
    questions = (
        TrainingQuestion(text="Where was Ida Holm from?", gold=(frozenset({"ida-holm"}), frozenset({"bergvik"}))),
        TrainingQuestion(text="what is it", gold=(frozenset({"bergvik"}),)),
    )
    (pool,) = gather_pools(Pot(name="small", store=small_store, questions=questions), EMBEDDER, LocalSettings())
    assert pool.pot == "small"
    assert pool.keys == tuple(chunk.document_id for chunk in pool.evidence.chunks)
    assert pool.is_gold.tolist() == [key in {"ida-holm", "bergvik"} for key in pool.keys]
    assert pool.is_gold.sum() == 3
    assert np.isfinite(run_rounds(pool.rounds, chain_weights("").rounds).scores).all()


def test_gold_may_be_chunks(small_store: EmbeddedStore, store_of: Callable[..., EmbeddedStore]) -> None:
    questions = (TrainingQuestion(text="Which herring market?", gold=(frozenset({"default/bergvik/0"}),)),)
    pot = Pot(name="made", store=small_store, questions=questions, by_chunk=True)
    (pool,) = gather_pools(pot, EMBEDDER, LocalSettings())
    assert [key for key, is_gold in zip(pool.keys, pool.is_gold, strict=True) if is_gold] == ["default/bergvik/0"]
    assert list(gather_pools(Pot(name="none", store=store_of(), questions=questions), EMBEDDER, LocalSettings())) == []
