"""Which earlier runs a run may be held against, and what is told of the difference."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from belvedere.evaluation.baseline import BaselineError, compare_with_baseline, read_baseline
from belvedere.evaluation.dataset import Dataset, LabelledQuestion
from belvedere.evaluation.measures import GRADED, MEASURES
from belvedere.evaluation.question_values import corpus_digest, question_key, values_by_system
from belvedere.evaluation.system_scores import Latency, SystemScores

QUESTIONS = tuple(
    LabelledQuestion(id=f"q{number}", text=f"Which {number}?", type="fact", gold=(frozenset({"a"}),), references=("A",))
    for number in range(20)
)
NULL = LabelledQuestion(id="none", text="Nothing?", type="null", gold=())
DATASET = Dataset(name="rivers", corpus=({"id": "a", "text": "A"},), questions=(*QUESTIONS, NULL), seed=3)


def scores(value: float, *, graded: bool = False) -> SystemScores:
    row = dict.fromkeys((*MEASURES, GRADED) if graded else MEASURES, value)
    return SystemScores(
        measures={},
        by_type={},
        latency_ms=Latency(p50=1.0, p95=1.0),
        abstention=None,
        answers=None,
        citations=None,
        values=(row,) * len(QUESTIONS),
        reply_values=(*({"answers.F1": value, "verdict": value},) * len(QUESTIONS), {"verdict": 1.0}),
    )


def content(value: float = 0.0, dataset: Dataset = DATASET) -> dict[str, Any]:
    """Return as much of the JSON of a run as is read again."""
    rows = values_by_system({"local": scores(value)}, dataset)["local"]
    return {
        "run": {
            **{"data": dataset.name, "corpus": corpus_digest(dataset), "seed": dataset.seed},
            **{"limit": None, "filters": [], "settings": {"query.k": 4, "same": True}},
        },
        "questions": [
            {"question": key[0], "labels": key[1], "systems": {"local": dict(row)}}
            for key, row in zip(map(question_key, dataset.questions), rows, strict=True)
        ],
    }


def written(folder: Path, value: object) -> Path:
    file = folder / "before.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def test_every_question_is_compared_with_itself(tmp_path: Path) -> None:
    baseline = read_baseline(written(tmp_path, content()), DATASET, ["bm25", "local"])
    assert baseline.systems == ("local",)
    settings = {"query.k": 8, "same": True, "other": "x"}
    found = compare_with_baseline(baseline, {"local": scores(1.0, graded=True)}, DATASET, settings)
    assert found.settings == {"other": (None, "x"), "query.k": (4, 8)}
    assert (found.questions, found.changed) == (21, 0)
    ranked, replied = found.comparisons
    assert tuple(ranked.measures) == MEASURES
    assert tuple(replied.measures) == ("answers.F1", "verdict")
    assert ranked.measures["R@5"].estimate.value == 1.0
    # Every measure says the same: the p of one, times the number of measures in its table.
    assert ranked.measures["R@5"].p_holm == pytest.approx(len(MEASURES) * 1e-4)
    assert replied.measures["verdict"].estimate.n == 21
    assert replied.measures["verdict"].estimate.value == pytest.approx(20 / 21)


def test_a_relabelled_question_is_left_out(tmp_path: Path) -> None:
    changed = replace(QUESTIONS[0], gold=(frozenset({"b"}),))
    now = replace(DATASET, questions=(changed, *DATASET.questions[1:]))
    baseline = read_baseline(written(tmp_path, content()), now, ["local"])
    found = compare_with_baseline(baseline, {"local": scores(1.0)}, now, {})
    assert (found.questions, found.changed) == (20, 1)
    assert found.comparisons[0].measures["R@5"].estimate.n == 19


@pytest.mark.parametrize("change", [{"text": "Another?"}, {"references": ("B",)}, {"grades": {"a": 2}}])
def test_text_and_labels_make_a_question(change: dict[str, Any]) -> None:
    assert question_key(replace(QUESTIONS[0], **change)) != question_key(QUESTIONS[0])
    # Rows without an id are numbered: one line more above must not make all of them new.
    assert question_key(replace(QUESTIONS[0], id="other")) == question_key(QUESTIONS[0])


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (replace(DATASET, seed=4), "was measured with seed 3, this run has seed 4"),
        (replace(DATASET, limit=10), "was measured with limit none, this run has limit 10"),
        (replace(DATASET, filters=("year>1",)), "was measured with filters none, this run has filters year>1"),
        (replace(DATASET, name="lakes", corpus=({"id": "b", "text": "B"},)), r"other documents \('rivers'\) than"),
        (replace(DATASET, questions=(replace(NULL, text="New?"),)), "none of these questions"),
    ],
)
def test_a_baseline_of_something_else_is_refused(tmp_path: Path, now: Dataset, told: str) -> None:
    with pytest.raises(BaselineError, match=told) as caught:
        read_baseline(written(tmp_path, content()), now, ["local"])
    assert "\n" not in str(caught.value)


def test_a_baseline_without_these_systems_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="measured none of bm25, dense"):
        read_baseline(written(tmp_path, content()), DATASET, ["bm25", "dense"])


@pytest.mark.parametrize(
    "damage",
    [
        [],
        {},
        {"run": {}},
        {"run": [], "questions": []},
        {"questions": [1]},
        {"questions": [{"id": "q"}]},
        {"questions": [{"systems": {"local": {"R@5": "much"}}}]},
        {"questions": [{"systems": {"local": {"R@5": float("nan")}}}]},
        {"questions": [{"systems": {"local": {"R@5": 10**400}}}]},
    ],
)
def test_what_eval_has_not_printed_is_refused(tmp_path: Path, damage: object) -> None:
    whole = {**content(), **damage} if isinstance(damage, dict) and "questions" in damage else damage
    with pytest.raises(BaselineError, match="holds no values of single questions"):
        read_baseline(written(tmp_path, whole), DATASET, ["local"])


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"\xff not json")
    with pytest.raises(BaselineError, match="holds no values"):
        read_baseline(file, DATASET, ["local"])
