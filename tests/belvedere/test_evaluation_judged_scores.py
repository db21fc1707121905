"""What becomes of verdicts: scores, gates, and reports that say by what each figure was judged."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from belvedere.cli.evaluation_text import show_evaluation
from belvedere.evaluation.baseline import BaselineError, compare_with_baseline, read_baseline
from belvedere.evaluation.dataset import Dataset, LabelledQuestion, read_dataset
from belvedere.evaluation.evaluate import Evaluation, MoreToMeasure, evaluate_dataset
from belvedere.evaluation.gates import GateError, check_judge, check_questions, gates_for, judge_gates, parse_gates
from belvedere.evaluation.judging.appraisal import Appraisal, Appraiser
from belvedere.evaluation.judging.computed import COMPUTED
from belvedere.evaluation.judging.judge import JUDGED, JudgedReplies, judge_replies
from belvedere.evaluation.judging.scores import Asked, JudgedScores, score_judged
from belvedere.evaluation.report_html import report_html
from belvedere.evaluation.result_json import evaluation_json
from belvedere.evaluation.system_scores import SystemScores, score_run
from belvedere.evaluation.systems import SystemRun
from graph_store.access import Access
from model_clients.hashing_embedder import HashingEmbedder
from tests.belvedere.judged_replies import (
    ANSWER,
    GOOD,
    PASSAGES,
    QUESTION,
    SETTINGS,
    claim,
    judge,
    judged,
)


def scores(found: JudgedReplies, question: LabelledQuestion = QUESTION) -> SystemScores:
    run = SystemRun(rankings=(("d1",),), milliseconds=(1.0,), embedding_milliseconds=(1.0,), replies=(ANSWER,))
    dataset = Dataset(name="n", corpus=(), questions=(question,), seed=0)
    appraiser = Appraiser(embedder=HashingEmbedder(64), judge=None, access=Access())
    return score_run(run, dataset, replace(appraiser.appraise(run, dataset), judged=found))


def outcomes(text: str, found: JudgedReplies) -> list[bool]:
    gates = gates_for(parse_gates(text), ("local",))
    return [outcome.passed for outcome in judge_gates(gates, {"local": scores(found)})]


def test_gates_hold_what_was_judged_and_what_was_computed() -> None:
    assert outcomes("faithfulness>=0.6,faithfulness>0.7,type=who:correctness==0.5,judge.failed==0", judged(ANSWER)) == [
        *(True, False, True, True),
    ]
    assert outcomes("computed.rouge_l>0.1,type=who:computed.gold_weighed==1", judged(ANSWER)) == [True, True]


def test_a_gate_does_not_trust_the_few_verdicts_that_are_left() -> None:
    broken = {"claims": [claim(1, "a", [2]), claim(1, "b", [9]), claim(2, "c", [])], "without_claim": []}
    found = judged(ANSWER, claims=broken)
    gates = gates_for(parse_gates("faithfulness==1,judge.failed<0.5"), ("local",))
    faithful, failed = judge_gates(gates, {"local": scores(found)})
    assert faithful.estimate.value == 1.0
    assert not faithful.passed
    assert faithful.why == "2 of 3 verdicts failed: names a number that was not shown (1), names no evidence (1)"
    assert failed.passed


FEW = (QUESTION, *(replace(QUESTION, id=f"q{number}", type="rare") for number in range(3)))


def few_judged() -> SystemScores:
    """Return the scores of a judge that says much of one question and nothing that counts of three."""
    many: Mapping[str, Any] = {
        "claims": [claim(1, f"claim {number}", [2]) for number in range(6)],
        "without_claim": [2],
    }
    none: Mapping[str, Any] = {"claims": [], "without_claim": []}
    replies = iter([many, none, none, none])
    model, _ = judge(lambda prompt: next(replies) if prompt == "judge-claims" else GOOD[prompt])
    found = judge_replies(model, FEW, [ANSWER] * 4, Access())
    run = SystemRun(rankings=(("d1",),) * 4, milliseconds=(1.0,) * 4, embedding_milliseconds=(1.0,) * 4)
    dataset = Dataset(name="n", corpus=(), questions=FEW, seed=0)
    return score_run(replace(run, replies=(ANSWER,) * 4), dataset, Appraisal(judged=found))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("faithfulness>=0.9", "3 of 4 questions that the judge was asked have no value: left out (6)"),
        ("type=rare:faithfulness>=0", "3 of 3 questions that the judge was asked have no value: left out (6)"),
        ("type=who:faithfulness>=0.9", ""),
        ("correctness>=0.5", ""),
    ],
)
def test_a_gate_does_not_trust_the_few_questions_that_have_a_value(text: str, why: str) -> None:
    (outcome,) = judge_gates(gates_for(parse_gates(text), ("local",)), {"local": few_judged()})
    assert outcome.why == why
    assert outcome.passed == (not why)


def test_a_call_that_fails_weighs_as_much_as_one_of_many_verdicts() -> None:
    found = few_judged().judged
    assert found is not None
    assert found.failed_share == pytest.approx(3 / (4 * len(JUDGED)))
    assert found.asked["rare"]["faithfulness"] == Asked(questions=3, without_value=3)


def test_a_gate_on_what_is_not_measured_is_an_error_that_says_why() -> None:
    gates = parse_gates("faithfulness>=0.9")
    check_judge(gates, configured=True)
    check_judge(parse_gates("computed.rouge_l>0"), configured=False)
    with pytest.raises(GateError, match=r"none is configured as judge: set llm\.tasks\.judge, or hold gates to"):
        check_judge(gates, configured=False)
    without = replace(QUESTION, references=())
    for text in ("correctness>0", "context_recall>0", "computed.rouge_l>0", "type=who:computed.reference_words>0"):
        check_questions(parse_gates(text), [QUESTION])
        with pytest.raises(GateError, match="no answerable question measured for it has a reference answer"):
            check_questions(parse_gates(text), [without])
    with pytest.raises(GateError, match="only ranks passages and has no faithfulness"):
        gates_for(parse_gates("bm25:faithfulness>0"), ("bm25", "local"))


def test_a_judge_of_its_own_answers_is_told() -> None:
    def own(name: str) -> JudgedScores:
        found = judge_replies(judge(name=name)[0], [QUESTION], [ANSWER], Access())
        return score_judged(found, [ANSWER], Dataset(name="n", corpus=(), questions=(QUESTION,), seed=0))

    assert own("writer").judges_itself
    assert not own("judge").judges_itself


def test_without_replies_nothing_is_appraised() -> None:
    run = SystemRun(rankings=((),), milliseconds=(1.0,), embedding_milliseconds=(1.0,))
    dataset = Dataset(name="n", corpus=(), questions=(QUESTION,), seed=0)
    appraiser = Appraiser(embedder=HashingEmbedder(64), judge=judge()[0], access=Access())
    assert appraiser.appraise(run, dataset) == Appraisal()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    corpus = [{"id": f"d{number}", "title": "", "text": text} for number, text in enumerate(PASSAGES)]
    asked = [{"question": "Who built the lighthouse?", "gold_ids": ["d1"], "answer": "Anna Lind", "type": "<b>who"}]
    for name, rows in (("corpus", corpus), ("questions", asked)):
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


@pytest.mark.model
def test_every_figure_says_by_what_it_was_judged(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = read_dataset(folder, seed=0)

    def run(name: str) -> Evaluation:
        more = MoreToMeasure(judge=judge(name=name)[0])
        return evaluate_dataset(dataset, ("bm25", "local"), settings=SETTINGS, cache=tmp_path / "kept", more=more)

    first = run("<i>one</i>")
    result = json.loads(json.dumps(evaluation_json(first, dataset, SETTINGS)))
    found = result["systems"]["local"]["judged"]
    assert found["judge"] == "<i>one</i>"
    assert found["measures"]["context_recall"]["judged_by"] == "llm:<i>one</i>, prompt judge-reference/1"
    assert found["measures"]["context_recall"]["verdicts"] >= 1
    assert found["usage"]["calls"] >= 4
    computed = result["systems"]["local"]["computed"]["measures"]
    assert computed["computed.question_cosine"]["judged_by"] == "cosine of question and answer, by hashing-64"
    assert set(result["run"]["judged_by"]) == {"answers", "citations", "safety", "abstention", *COMPUTED, *JUDGED}
    assert result["systems"]["bm25"]["judged"] is result["systems"]["bm25"]["computed"] is None
    assert result["questions"][0]["systems"]["local"]["correctness"] == 0.5
    html = report_html(first, dataset, SETTINGS)
    assert "judged by the language model &lt;i&gt;one&lt;/i&gt;" in html
    assert "prompt judge-correctness/1" in html
    assert "<i>" not in html
    assert "computed without a judge" in html

    show_evaluation(first, dataset)
    told = capsys.readouterr().out
    assert "local, judged by the language model <i>one</i>" in told
    judged_line = r"correctness +0\.500 +\[0\.50, 0\.50\] n 1 +llm:<i>one</i>, prompt judge-correctness/1; 1 verdicts\n"
    assert re.search(judged_line, told)
    assert re.search(r"computed\.rouge_l +0\.\d{3} .* n 1 +ROUGE-L of answer and nearest reference\n", told)

    earlier = tmp_path / "before.json"
    earlier.write_text(json.dumps(result), encoding="utf-8")
    baseline = read_baseline(earlier, dataset, ("bm25", "local"))
    same = compare_with_baseline(baseline, first.systems, dataset, {})
    assert "correctness" in same.comparisons[-1].measures
    assert same.judged_otherwise == {}
    other = compare_with_baseline(baseline, run("two").systems, dataset, {})
    assert set(other.judged_otherwise) == set(JUDGED)
    assert "llm:two, prompt judge-claims/1" in other.judged_otherwise["faithfulness"]
    assert all("correctness" not in part.measures for part in other.comparisons)
    assert any("computed.rouge_l" in part.measures for part in other.comparisons)

    result["run"]["judged_by"] = ["?"]
    earlier.write_text(json.dumps(result), encoding="utf-8")
    with pytest.raises(BaselineError, match="holds no values"):
        read_baseline(earlier, dataset, ("bm25", "local"))
