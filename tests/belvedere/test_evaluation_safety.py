"""Safety questions: what an answer must say, and must not."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.evaluation.dataset import Dataset, LabelledQuestion, read_dataset
from belvedere.evaluation.dataset_files import DatasetError
from belvedere.evaluation.failures import classify
from belvedere.evaluation.gates import GateError, check_questions, gates_for, judge_gates, parse_gates
from belvedere.evaluation.question_values import question_key
from belvedere.evaluation.safety import score_safety
from belvedere.evaluation.safety_rules import SafetyRules, compared
from belvedere.evaluation.system_scores import SystemScores, score_run
from belvedere.evaluation.systems import Reply, SystemRun
from tests.belvedere.small_store import Belvedere

RULES = SafetyRules(must_contain=("Not Found",), must_not_contain=("hunter 2", "straße"))


def reply(text: str, *, abstained: bool = False) -> Reply:
    return Reply(text=text, abstained=abstained, support=0.5, weighed=frozenset())


def asked(rules: SafetyRules, *, name: str = "s1") -> LabelledQuestion:
    return LabelledQuestion(id=name, text="What is it?", type="safety", gold=(), rules=rules, gold_known=False)


def dataset(*questions: LabelledQuestion) -> Dataset:
    return Dataset(name="n", corpus=(), questions=questions, seed=0)


@pytest.mark.parametrize(
    ("answer", "missing", "forbidden"),
    [
        ("not   found\nanywhere", (), ()),
        ("Nothing", ("Not Found",), ()),
        ("Not found, but it is HUNTER\u00a02.", (), ("hunter 2",)),
        ("Not found: hunter [3] 2", (), ("hunter 2",)),
        ("Not found: hun\u200bter 2", (), ("hunter 2",)),
        ("Not found: hun\u00adter 2 in the STRASSE", (), ("hunter 2", "straße")),
        *((f"Not found: hun{unseen}ter 2", (), ("hunter 2",)) for unseen in "\u034f\ufe0f\u180b\u3164\u1160\uffa0"),
        ("Not found: hun-\nter 2", (), ("hunter 2",)),
        ("\uff2eot found", (), ()),
        ("", ("Not Found",), ()),
    ],
)
def test_rules_ignore_case_space_marks_and_what_is_not_shown(
    answer: str, missing: tuple[str, ...], forbidden: tuple[str, ...]
) -> None:
    assert RULES.missing(answer) == missing
    assert RULES.forbidden(answer) == forbidden


@given(st.text(max_size=30), st.text(max_size=10), st.text(max_size=10))
def test_a_text_always_contains_its_own_words(words: str, before: str, after: str) -> None:
    if compared(words):
        answer = f"{before} {words} {after}"
        assert SafetyRules(must_contain=(words,)).missing(answer) == ()
        assert SafetyRules(must_not_contain=(words,)).forbidden(answer) == (words,)


def test_failures_are_counted_with_what_failed() -> None:
    replies = (reply("Not found"), reply("It is hunter 2."), reply("What?"))
    plain = LabelledQuestion(id="q", text="q", type="fact", gold=())
    found = score_safety(replies, dataset(asked(RULES), asked(RULES, name="s2"), plain))
    assert found is not None
    assert (found.passed.value, found.passed.n) == (0.5, 2)
    (failed,) = found.failures
    assert (failed.question.id, failed.answer) == ("s2", "It is hunter 2.")
    assert (failed.missing, failed.forbidden) == (("Not Found",), ("hunter 2",))
    assert score_safety(replies, dataset(plain)) is None
    assert score_safety((), dataset(asked(RULES))) is None


def measured() -> SystemScores:
    run = SystemRun(
        rankings=(("x",), ("x",)),
        milliseconds=(1.0, 1.0),
        embedding_milliseconds=(1.0, 1.0),
        replies=(reply("It is hunter 2."), reply("It is X.")),
    )
    known = LabelledQuestion(id="q", text="q", type="fact", gold=(frozenset("x"),), rules=SafetyRules())
    return score_run(run, dataset(asked(RULES), known))


def test_a_question_of_rules_alone_counts_for_safety_alone() -> None:
    scores = measured()
    assert scores.reply_values[0] == {"safety": 0.0}
    assert scores.abstention is not None
    assert scores.abstention.answerable_abstained == 0.0
    assert scores.abstention.unanswerable_abstained is None
    assert sum(row.n for row in scores.abstention.reliability) == 1
    assert scores.measures["R@5"].n == 1
    assert classify(asked(RULES), reply("It is hunter 2."), ()) is None


def test_gates_hold_safety() -> None:
    gates = gates_for(parse_gates("safety==1,safety<1"), ("local",))
    check_questions(gates, [asked(RULES)])
    assert [outcome.passed for outcome in judge_gates(gates, {"local": measured()})] == [False, True]
    with pytest.raises(GateError, match="no question measured here has must_contain or must_not_contain"):
        check_questions(gates, [LabelledQuestion(id="q", text="q", type="fact", gold=(frozenset("x"),))])
    with pytest.raises(GateError, match="only ranks passages and has no safety"):
        gates_for(parse_gates("bm25:safety==1"), ("bm25", "local"))


def write(folder: Path, *questions: Mapping[str, object]) -> Path:
    (folder / "corpus.jsonl").write_text('{"id": "d1", "title": "", "text": "text"}\n', encoding="utf-8")
    rows = "".join(json.dumps(row) + "\n" for row in questions)
    (folder / "questions.jsonl").write_text(rows, encoding="utf-8")
    return folder


def test_rules_are_read_with_gold_and_without(tmp_path: Path) -> None:
    rows = (
        {"question": "a?", "must_not_contain": ["x", "x"]},
        {"question": "a?", "gold_ids": [], "must_contain": ["y"]},
        {"question": "a?", "gold_ids": ["d1"], "must_contain": []},
    )
    alone, unanswerable, plain = read_dataset(write(tmp_path, *rows), seed=0).questions
    assert (alone.rules, alone.gold_known) == (SafetyRules(must_not_contain=("x",)), False)
    assert (unanswerable.rules, unanswerable.gold_known) == (SafetyRules(must_contain=("y",)), True)
    assert (bool(plain.rules), plain.gold_known) == (False, True)
    assert len({question_key(question) for question in (alone, unanswerable, plain)}) == 3
    assert read_dataset(write(tmp_path, rows[0]), seed=0).questions == (alone,)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"must_contain": "x"}, "must_contain must be a list of texts, not 'x'"),
        ({"must_not_contain": [" \u200b"]}, "must_not_contain must list texts with something in them"),
        ({"must_not_contain": [7]}, "not 7: quote numbers and dates"),
        ({"must_not_contain": []}, "the question has no gold_ids"),
    ],
)
def test_rules_that_mean_nothing_are_refused(tmp_path: Path, row: Mapping[str, object], told: str) -> None:
    with pytest.raises(DatasetError, match=r"questions.jsonl, line 1: ") as caught:
        read_dataset(write(tmp_path, {"question": "a?", **row}), seed=0)
    assert told in str(caught.value)


@pytest.mark.model
def test_eval_shows_safety_everywhere_and_gates_it(belvedere: Belvedere, tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {"id": "safe", "question": "What text?", "must_not_contain": ["password"]},
        {"id": "bad", "question": "Text?", "must_contain": ["<b>nowhere</b>"], "must_not_contain": ["T"]},
    )
    config, page = tmp_path / "settings.yaml", tmp_path / "report.html"
    config.write_text('embedder: {model: "hashing:64"}\n', encoding="utf-8")
    given_options = (str(folder), "--cache", str(tmp_path / "kept"), "--config", str(config), "--compare", "bm25,local")
    outcome = belvedere("eval", *given_options, "--gate", "safety==1", "--html", str(page))
    assert outcome.code == 4
    assert "local, safety: 1 of 2 questions passed" in outcome.out
    assert "failed bad: Text?" in outcome.out
    assert "lacks: '<b>nowhere</b>'" in outcome.out
    assert "gate not passed: local: safety is 0.500" in outcome.err
    html = page.read_text(encoding="utf-8")
    assert "Safety of local" in html
    assert "&lt;b&gt;nowhere&lt;/b&gt;" in html
    result = belvedere("eval", *given_options, "--json").json()
    safety = result["systems"]["local"]["safety"]
    assert (safety["value"], safety["n"]) == (0.5, 2)
    assert [failure["id"] for failure in safety["failures"]] == ["bad"]
    assert safety["failures"][0]["forbidden"] == ["T"]
    assert result["systems"]["bm25"]["safety"] is None
    assert result["questions"][0]["systems"]["local"] == {"safety": 1.0}
