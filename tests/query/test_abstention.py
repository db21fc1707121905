import json
from collections.abc import Callable
from importlib.resources import files

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.bundles import PassageGraph
from graph_store.embedded.embedded_store import EmbeddedStore
from query.abstention_training import (
    Example,
    ExampleMaker,
    TrainingQuestion,
    graph_without,
    threshold_for,
    trained_weights,
)
from query.engine import QueryEngine
from query.logistic import LogisticModel, sigmoid, softmax
from query.pseudo_questions import make_questions
from query.settings import AnswerSettings, QuerySettings
from tests.query.small_store import EMBEDDER


def test_a_sum_over_records_is_not_read_off_passages(engine: QueryEngine) -> None:
    answer = engine.ask("How many tonnes of oil did the lamp of Skerry Rock Lighthouse burn on average last month?")
    assert answer.abstained
    stated = engine.ask("How many tonnes of oil a year did the lamp of Skerry Rock Lighthouse burn?")
    assert "fourteen tonnes" in stated.answer


def test_a_name_that_no_document_has_lowers_the_support(engine: QueryEngine) -> None:
    known = engine.ask("In which year was Skerry Rock Lighthouse built by Ida Holm?").trace
    unknown = engine.ask("In which year was Zanzibar Opera House built by Rodrigo Ferreira?").trace
    assert known.support is not None
    assert unknown.support is not None
    assert known.support > unknown.support
    assert unknown.support_features["names_unknown"] == 1.0


def test_the_margin_makes_abstaining_more_or_less_likely(small_store: EmbeddedStore) -> None:
    for margin, abstained in ((1.0, True), (-1.0, False)):
        settings = QuerySettings(answer=AnswerSettings(abstention_margin=margin))
        answer = QueryEngine(small_store, EMBEDDER, settings).ask("Who sells herring in Bergvik at the regatta?")
        assert answer.abstained == abstained


def test_features_are_shares_cosines_and_small_counts(engine: QueryEngine) -> None:
    for question in ("Who built Skerry Rock Lighthouse?", "zeppelin " * 300, "What is PMP-2041?"):
        for name, value in engine.ask(question).trace.support_features.items():
            assert -1.0 <= value <= 400.0, name
            assert np.isfinite(value)


def test_hiding_chunks_leaves_a_graph_without_them(make_graph: Callable[..., PassageGraph]) -> None:
    graph = make_graph(
        "abcd",
        {("a", "b"): 1.0, ("b", "c"): 2.0, ("c", "a"): 3.0, ("d", "c"): 4.0},
        homes={"bell": "b", "clock": "bc"},
        mentions={"bell": "ab", "clock": "b"},
    )
    left = graph_without(graph, frozenset({"b"}))
    assert left.chunk_ids == ("a", "c", "d")
    assert left.indptr.tolist() == [0, 0, 1, 2]
    assert left.indices.tolist() == [0, 1]
    assert left.weights.tolist() == [3.0, 4.0]
    assert left.homes == {"clock": (1,)}
    assert left.mentions == {"bell": (0,)}


def test_an_unanswerable_twin_has_less_support(small_store: EmbeddedStore) -> None:
    maker = ExampleMaker(small_store, EMBEDDER, QuerySettings())
    question = TrainingQuestion(text="Of what did Ida Holm die in 1911?", gold=frozenset({"ida-holm"}))
    there, hidden = maker.examples("small", [question])
    assert (there.answerable, hidden.answerable) == (True, False)
    assert there.features["sentence_cosine"] > hidden.features["sentence_cosine"]
    assert there.features["missing_in_all"] < hidden.features["missing_in_all"]


def test_an_identifier_does_not_bring_hidden_passages_back(small_store: EmbeddedStore) -> None:
    maker = ExampleMaker(small_store, EMBEDDER, QuerySettings())
    holders = small_store.search_keywords(Access(), "PMP-2041", kind="chunk", k=5)
    question = TrainingQuestion(text="What is PMP-2041?", gold_chunks=frozenset(hit.id for hit in holders))
    there, hidden = maker.examples("small", [question])
    assert there.features["missing_in_all"] == 0.0
    assert hidden.features["missing_in_all"] > 0.5


def test_the_threshold_lets_the_given_share_of_answerable_questions_fall() -> None:
    examples = [Example(features={}, answerable=place % 2 == 0, source="s", number=place) for place in range(40)]
    threshold = threshold_for([place / 40 for place in range(40)], examples, 0.1)
    answerable = [place / 40 for place in range(0, 40, 2)]
    assert sum(value < threshold for value in answerable) == 2


@pytest.mark.model
def test_training_tells_supported_from_unsupported_and_repeats_itself() -> None:
    chance = np.random.default_rng(1)
    examples = [
        Example(
            features={"near": float(chance.normal(answerable)), "noise": float(chance.normal())},
            answerable=answerable,
            source="s",
            number=number,
        )
        for number in range(60)
        for answerable in (True, False)
    ]
    told = json.loads(trained_weights(examples))
    assert told["features"]["near"]["weight"] > abs(told["features"]["noise"]["weight"])
    assert 0.6 < told["cross_validated"]["s"]["auroc"] < 1.0
    assert trained_weights(examples) == trained_weights(examples)


def test_the_shipped_model_tells_what_it_was_trained_on() -> None:
    shipped = json.loads(files("query").joinpath("abstention_weights.json").read_text(encoding="utf-8"))
    assert sum(shipped["trained_on"].values()) > 1000
    assert shipped["cross_validated"].keys() == shipped["trained_on"].keys()


def test_pseudo_questions_are_of_single_chunks_and_the_same_each_time(small_store: EmbeddedStore) -> None:
    questions = make_questions(small_store, EMBEDDER, 5)
    assert questions == make_questions(small_store, EMBEDDER, 5)
    assert 0 < len(questions) <= 5
    for question in questions:
        assert question.text.endswith("?")
        assert question.chunk_id


def test_a_logistic_model_clips_what_lies_far_from_training() -> None:
    model = LogisticModel(features=("x",), means=(1.0,), scales=(2.0,), weights=(1.0,), bias=0.5, threshold=0.5)
    assert model.probability({"x": 1.0}) == pytest.approx(sigmoid(0.5))
    assert model.probability({"x": 1e9}) == pytest.approx(sigmoid(4.5))
    assert sigmoid(-1000.0) == 0.0
    assert softmax([1000.0, 1000.0]) == [0.5, 0.5]
