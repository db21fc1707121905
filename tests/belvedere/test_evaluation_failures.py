"""Each way to fail, told apart; the end-to-end run is in test_evaluate.py."""

import json
from dataclasses import replace

import pytest

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.evidence_trail import GoldTrail
from belvedere.evaluation.failures import (
    FAILURE_CLASSES,
    FAILURE_MEANINGS,
    Failure,
    FailureClass,
    FailureReport,
    FoundDocument,
    classify,
    failure_json,
)
from belvedere.evaluation.systems import Reply

QUESTION = LabelledQuestion(id="q", text="Who?", type="fact", gold=(frozenset({"a"}),), references=("Anna Lind",))
WEIGHED = GoldTrail(documents=("a",), indexed=True, in_pool=True, rank=1, packed=None, weighed=True)
RIGHT = Reply(text="Anna Lind built it. [1]", abstained=False, support=0.9, weighed=frozenset({"a"}))
WRONG = replace(RIGHT, text="Erik Holm sold it. [1]")
NOTHING = replace(RIGHT, text="Not found in the documents.", abstained=True, support=0.1)
NOT_WEIGHED = replace(WEIGHED, packed=False, weighed=False)


@pytest.mark.parametrize(
    ("trail", "reply", "expected"),
    [
        (WEIGHED, RIGHT, None),
        (replace(NOT_WEIGHED, indexed=False, in_pool=False, rank=None), NOTHING, "not_indexed"),
        (replace(NOT_WEIGHED, in_pool=False, rank=None), WRONG, "not_in_pool"),
        (replace(NOT_WEIGHED, rank=None), WRONG, "lost_in_ranking"),
        (replace(NOT_WEIGHED, rank=11), RIGHT, "lost_in_ranking"),
        (replace(NOT_WEIGHED, rank=11, packed=True), RIGHT, "lost_in_ranking"),
        (replace(NOT_WEIGHED, rank=10), WRONG, "lost_in_packing"),
        (replace(NOT_WEIGHED, rank=10, packed=True), WRONG, "lost_in_selection"),
        (replace(WEIGHED, rank=30), RIGHT, None),
        (WEIGHED, WRONG, "wrong_answer"),
        (WEIGHED, NOTHING, "wrongly_abstained"),
    ],
)
def test_each_way_to_fail(trail: GoldTrail, reply: Reply, expected: FailureClass | None) -> None:
    assert classify(QUESTION, reply, [trail]) == expected


def test_the_evidence_that_was_lost_earliest_decides() -> None:
    trails = [WEIGHED, replace(NOT_WEIGHED, rank=4), replace(NOT_WEIGHED, in_pool=False, rank=None)]
    assert classify(QUESTION, RIGHT, trails) == "not_in_pool"


def test_without_a_reference_no_answer_is_wrong() -> None:
    assert classify(replace(QUESTION, references=()), WRONG, [WEIGHED]) is None


def test_an_unanswerable_question_wants_no_answer() -> None:
    unanswerable = replace(QUESTION, gold=(), references=())
    assert classify(unanswerable, RIGHT, []) == "should_have_abstained"
    assert classify(unanswerable, NOTHING, []) is None


def test_every_class_has_a_meaning() -> None:
    assert tuple(FAILURE_MEANINGS) == FAILURE_CLASSES


def failure(failed_as: FailureClass, kind: str) -> Failure:
    return Failure(
        question=replace(QUESTION, type=kind),
        failed_as=failed_as,
        reply=WRONG,
        right=False,
        gold=(replace(NOT_WEIGHED, rank=12),),
        top=(FoundDocument(id="b", title="B"), FoundDocument(id="c", title="C")),
    )


def test_failures_are_counted_by_class_and_type() -> None:
    failures = (failure("wrong_answer", "y"), failure("lost_in_ranking", "x"), failure("wrong_answer", "y"))
    report = FailureReport(system="local", questions=5, failures=failures)
    assert list(report.counts()) == list(FAILURE_CLASSES)
    assert report.counts()["wrong_answer"] == 2
    assert report.counts_by_type() == {"x": {"lost_in_ranking": 1}, "y": {"wrong_answer": 2}}


def test_a_failure_as_json_tells_ranks_and_results() -> None:
    line = json.loads(json.dumps(failure_json(failure("lost_in_ranking", "fact"))))
    assert (line["id"], line["type"], line["class"]) == ("q", "fact", "lost_in_ranking")
    assert line["gold"][0]["rank"] == 12
    assert line["top"][1] == {"rank": 2, "id": "c", "title": "C"}
    assert line["answer_right"] is False
