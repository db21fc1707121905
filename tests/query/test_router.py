import json
from importlib.resources import files

import pytest

from graph_store.bundles import StoreCounts
from query.question import analyse
from query.router import RouteDecision, RouteEvidence, decide_route, route_probabilities
from query.router_training import read_examples, trained_weights
from query.settings import RouterSettings


def counts(*, communities: int = 3, tree_nodes: int = 5) -> StoreCounts:
    return StoreCounts(
        documents=9, chunks=40, entities=60, relations=30, communities=communities, tree_nodes=tree_nodes
    )


def decide(question: str, evidence: RouteEvidence | None = None) -> RouteDecision:
    known = evidence if evidence is not None else RouteEvidence(counts=counts())
    return decide_route(analyse(question), lambda: known, RouterSettings())


@pytest.mark.parametrize(
    "question",
    [
        "When was the company founded?",
        "Why is the deploy failing?",
        "What is the relationship between price and demand?",
        "Refactor plan for the billing service",
        "Which of the two lighthouses is older?",
        "Who wrote the summary on page 4?",
        "What does ERR_TOO_MANY_REDIRECTS_17 mean?",
    ],
)
def test_questions_for_something_particular_stay_local(question: str) -> None:
    assert decide(question).route == "local"


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes?",
        "Which topics are covered?",
        "How do the reports differ in their view of risk?",
        "What subjects come up across the letters?",
    ],
)
def test_questions_across_the_documents_go_to_the_communities(question: str) -> None:
    assert decide(question).route == "community"


@pytest.mark.parametrize(
    "question",
    [
        "Summarise the article on windmills.",
        "Give me a summary of the lease.",
        "Summarise the whole collection.",
        "What is the article on Kepler about?",
    ],
)
def test_requests_for_a_summary_go_to_the_tree(question: str) -> None:
    assert decide(question).route == "tree"


@pytest.mark.parametrize(
    "question",
    [
        "What do most of the harbour pilots struggle with?",
        "How did the weaving of sails change over the centuries?",
        "Which worries do nearly all of the innkeepers described here share?",
        "Sketch across all the diaries how winters were survived.",
    ],
)
def test_questions_about_what_many_share_and_how_things_changed_go_to_the_communities(question: str) -> None:
    assert decide(question).route == "community"


def test_a_single_document_that_is_named_is_told_by_the_tree_however_it_is_asked() -> None:
    named = RouteEvidence(counts=counts(), named_document="Windmills")
    assert decide('Which themes run through "Windmills"?', named).route == "tree"
    assert decide("Which themes run through the report on windmills?", named).route == "tree"
    assert decide("Which themes run through the reports on windmills?", named).route == "community"


def test_a_subject_across_the_documents_is_told_by_points_even_where_a_summary_is_asked_for() -> None:
    assert decide("Summarise across all reports how the wells were dug.").route == "community"
    assert decide("Summarise the reports as a whole.").route == "tree"


def test_the_reason_is_a_sentence_that_names_the_document() -> None:
    named = RouteEvidence(counts=counts(), named_document="Windmills")
    reason = decide("Summarise the article on windmills.", named).reason
    assert "Windmills" in reason
    assert reason.endswith(".")


def test_without_communities_a_theme_question_takes_the_tree_and_without_both_stays_local() -> None:
    assert decide("What are the main themes?", RouteEvidence(counts=counts(communities=0))).route == "tree"
    bare = RouteEvidence(counts=counts(communities=0, tree_nodes=0))
    assert decide("What are the main themes?", bare).route == "local"


def test_an_identifier_keeps_a_question_local() -> None:
    decision = decide("Summarise ORA-01555")
    assert decision.route == "local"
    assert "ORA-01555" in decision.reason


def test_evidence_is_gathered_only_for_questions_that_look_global() -> None:
    def fail() -> RouteEvidence:
        raise AssertionError

    assert decide_route(analyse("When was the company founded?"), fail, RouterSettings()).route == "local"


def test_an_uncertain_question_stays_local_and_says_so() -> None:
    sure = RouterSettings(confident=1.01)
    decision = decide_route(analyse("What are the main themes?"), lambda: RouteEvidence(counts=counts()), sure)
    assert (decision.route, decision.undecided) == ("local", True)


@pytest.mark.parametrize("question", ["", "?!", "…"])
def test_a_question_without_words_stays_local(question: str) -> None:
    assert decide(question).route == "local"


def test_probabilities_sum_to_one_in_any_language() -> None:
    for text in ("Wer gründete die Firma?", "北京在哪里", "What are the main themes?", "x " * 4000):
        assert sum(route_probabilities(analyse(text)).values()) == pytest.approx(1.0)


def test_the_training_questions_are_many_distinct_and_of_every_route() -> None:
    examples = read_examples()
    assert len({question for question, _ in examples}) == len(examples) >= 400
    assert {route for _, route in examples} == {"local", "community", "tree"}


@pytest.mark.model
def test_training_writes_the_shipped_weights_again() -> None:
    shipped = files("query").joinpath("router_weights.json").read_text(encoding="utf-8")
    assert trained_weights(read_examples()) == shipped


def test_the_shipped_weights_tell_their_cross_validation() -> None:
    shipped = json.loads(files("query").joinpath("router_weights.json").read_text(encoding="utf-8"))
    assert shipped["cross_validated_accuracy"]["family"] >= 0.9
