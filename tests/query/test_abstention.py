import json
from collections.abc import Callable
from importlib.resources import files

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.bundles import PassageGraph
from graph_store.embedded.embedded_store import EmbeddedStore
from query.abstention import Support
from query.abstention_examples import Example, ExampleMaker, Kind, TrainingQuestion, graph_without
from query.abstention_training import balance, calibrated, calibration, threshold_for, train, trained_weights
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
    assert known.support_features["names_near"] == 1.0
    assert unknown.support_features["names_near"] == 0.0
    assert unknown.support_features["names_unknown"] == 1.0


def test_words_that_are_missing_count_as_a_share_of_the_question(engine: QueryEngine) -> None:
    short = engine.ask("Did Ida Holm build zeppelins?").trace.support_features
    long = engine.ask("Did Ida Holm build Skerry Rock Lighthouse in 1874, and zeppelins?").trace.support_features
    assert short["missing_in_all"] > long["missing_in_all"] > 0.0


def test_the_margin_makes_abstaining_more_or_less_likely(small_store: EmbeddedStore) -> None:
    for margin, abstained in ((1.0, True), (-1.0, False)):
        settings = QuerySettings(answer=AnswerSettings(abstention_margin=margin))
        answer = QueryEngine(small_store, EMBEDDER, settings).ask("Who sells herring in Bergvik at the regatta?")
        assert answer.abstained == abstained


def test_features_stay_in_bounds(engine: QueryEngine) -> None:
    for question in ("Who built Skerry Rock Lighthouse?", "zeppelin " * 300, "What is PMP-2041?"):
        for name, value in engine.ask(question).trace.support_features.items():
            assert -30.0 <= value <= 30.0, name
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
    there, hidden, *_ = maker.examples("small", [question])
    assert (there.answerable, hidden.answerable) == (True, False)
    assert there.features["sentence_support"] > hidden.features["sentence_support"]
    assert there.features["missing_in_all"] < hidden.features["missing_in_all"]


def test_where_documents_answer_together_one_alone_is_hidden_too(small_store: EmbeddedStore) -> None:
    maker = ExampleMaker(small_store, EMBEDDER, QuerySettings())
    both = TrainingQuestion(
        text="Of what did Ida Holm die in 1911?", gold=frozenset({"ida-holm", "skerry-rock-lighthouse"})
    )
    kinds = [example.kind for example in maker.examples("small", [both])]
    assert kinds[:3] == ["answerable", "hidden", "one_hidden"]


def test_an_identifier_does_not_bring_hidden_passages_back(small_store: EmbeddedStore) -> None:
    maker = ExampleMaker(small_store, EMBEDDER, QuerySettings())
    holders = small_store.search_keywords(Access(), "PMP-2041", kind="chunk", k=5)
    question = TrainingQuestion(text="What is PMP-2041?", gold_chunks=frozenset(hit.id for hit in holders))
    there, hidden, *_ = maker.examples("small", [question])
    assert there.features["sentence_support"] > 0.1
    assert hidden.features["sentence_support"] < there.features["sentence_support"] / 2.0


def test_the_threshold_lets_the_given_share_of_answerable_questions_fall() -> None:
    examples = [
        Example(features={}, kind="hidden" if place % 2 else "answerable", source="s", number=place)
        for place in range(40)
    ]
    threshold = threshold_for([place / 40 for place in range(40)], examples, 0.1)
    answerable = [place / 40 for place in range(0, 40, 2)]
    assert sum(value < threshold for value in answerable) == 2


@pytest.mark.model
def test_training_tells_supported_from_unsupported_and_repeats_itself() -> None:
    chance = np.random.default_rng(1)
    kinds: tuple[tuple[Kind, bool], ...] = (("answerable", True), ("hidden", False), ("near_miss", False))
    examples = [
        Example(
            features={"near": float(chance.normal(answerable)), "noise": float(chance.normal())},
            kind=kind,
            source="s",
            number=number,
        )
        for number in range(60)
        for kind, answerable in kinds
    ]
    told = json.loads(trained_weights(train(examples)))
    assert told["features"]["near"]["weight"] > abs(told["features"]["noise"]["weight"])
    assert 0.6 < told["cross_validated"]["s"]["auroc"] < 1.0
    assert told["trained_on"]["s"] == {"answerable": 60, "hidden": 60, "near_miss": 60}
    assert trained_weights(train(examples)) == trained_weights(train(examples))


def test_twins_weigh_as_much_together_as_their_question() -> None:
    kinds: tuple[tuple[Kind, int], ...] = (("answerable", 0), ("hidden", 0), ("near_miss", 0), ("answerable", 1))
    examples = [Example(features={}, kind=kind, source="s", number=number) for kind, number in kinds]
    assert balance(examples) == [1.0, 0.5, 0.5, 0.0]


@pytest.mark.model
def test_calibration_makes_log_odds_as_sure_as_what_came_true() -> None:
    chance = np.random.default_rng(2)
    examples, odds = [], []
    for number in range(2_000):
        kinds: tuple[Kind, ...] = ("answerable", "hidden")
        for kind in kinds:
            examples.append(Example(features={}, kind=kind, source="s", number=number))
            # Normal with means 1 and -1 and variance 1: the true log odds are twice the value.
            odds.append(float(chance.normal(1.0 if kind == "answerable" else -1.0)) / 5.0)
    slope, offset = calibration(odds, examples)
    assert slope == pytest.approx(10.0, rel=0.1)
    assert offset == pytest.approx(0.0, abs=0.15)
    plain = LogisticModel(features=("x",), means=(0.0,), scales=(1.0,), weights=(0.2,), bias=0.1, threshold=0.0)
    surer = calibrated(plain, 10.0, 0.5)
    assert surer.log_odds({"x": 1.5}) == pytest.approx(10.0 * plain.log_odds({"x": 1.5}) + 0.5)


def test_the_shipped_model_tells_what_it_was_trained_on() -> None:
    shipped = json.loads(files("query").joinpath("abstention_weights.json").read_text(encoding="utf-8"))
    assert sum(sum(counts.values()) for counts in shipped["trained_on"].values()) > 1000
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


@pytest.mark.parametrize(
    ("probability", "is_doubtful", "is_likely"), [(0.36, True, False), (0.45, False, False), (0.7, False, True)]
)
def test_only_a_doubtful_answer_is_headed_as_evidence(
    probability: float, *, is_doubtful: bool, is_likely: bool
) -> None:
    support = Support(probability=probability, needed=0.35, features={})
    assert (support.is_doubtful, support.is_likely) == (is_doubtful, is_likely)
