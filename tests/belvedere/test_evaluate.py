"""The evaluation from end to end, on a small corpus without an embedding model."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from belvedere import __version__
from belvedere.evaluation.dataset import Dataset, LabelledQuestion, read_dataset
from belvedere.evaluation.index_cache import CacheUnusable, cache_folder, index_dataset
from belvedere.evaluation.measures import GRADED, MEASURES
from belvedere.evaluation.system_scores import score_run
from belvedere.evaluation.systems import Reply, SystemRun
from belvedere.settings import Settings
from indexing.chunking.settings import ChunkingSettings
from indexing.report import Progress
from indexing.settings import IndexingSettings
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere

SETTINGS = Settings(embedder=EmbedderSettings(model="hashing:64"))
RIVERS = ("Danube", "Volga", "Loire", "Rhine", "Elbe", "Tagus", "Oder", "Po", "Ebro", "Seine", "Thames", "Vistula")
ROWS = [
    {
        "id": f"r{number}",
        "title": name,
        "text": f"The {name} is a river. Boats sail on the {name} in summer.",
        "part": number % 2,
    }
    for number, name in enumerate(RIVERS)
]
QUESTIONS: list[dict[str, object]] = [
    {"id": "q1", "question": "Which boats sail on the Danube?", "gold_ids": ["r0"], "type": "one", "answer": "boats"},
    {"id": "q2", "question": "Do boats sail on the Volga and the Loire?", "gold_ids": ["r1", "r2"], "type": "two"},
    {"id": "q3", "question": "Rhine boats?", "gold_groups": [["r3", "r4"]], "gold_ids": ["r3"], "type": "one"},
    {"id": "q4", "question": "Xylophone quagmire zeppelin?", "gold_ids": [], "type": "none"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "rivers"
    folder.mkdir()
    for name, rows in (("corpus", ROWS), ("questions", QUESTIONS)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "settings.yaml").write_text('embedder: {model: "hashing:64"}\n', encoding="utf-8")
    return folder


def options(data: Path, *more: str) -> Sequence[str]:
    return (str(data), "--cache", str(data.parent / "cache"), "--config", str(data.parent / "settings.yaml"), *more)


def assert_estimate(estimate: Mapping[str, Any], n: int) -> None:
    assert set(estimate) == {"value", "low", "high", "n"}
    assert estimate["n"] == n
    assert 0.0 <= estimate["low"] <= estimate["value"] <= estimate["high"] <= 1.0


@pytest.mark.model
def test_eval_in_json(belvedere: Belvedere, data: Path) -> None:
    result = belvedere("eval", *options(data, "--json")).json()
    assert set(result) == {"systems", "comparisons", "baseline", "failures", "gates", "index", "run", "questions"} | {
        "gold_evidence"
    }
    assert result["gold_evidence"] is None
    assert list(result["systems"]) == ["bm25", "dense", "hybrid", "local"]
    for name, scores in result["systems"].items():
        assert set(scores) == {
            "measures",
            "by_type",
            "latency_ms",
            "abstention",
            "answers",
            "citations",
            "safety",
            "computed",
            "judged",
        }
        assert tuple(scores["measures"]) == MEASURES
        for estimate in scores["measures"].values():
            assert_estimate(estimate, n=3)
        assert {kind: measures["R@5"]["n"] for kind, measures in scores["by_type"].items()} == {"one": 2, "two": 1}
        assert set(scores["latency_ms"]) == {"p50", "p95"}
        assert (scores["abstention"] is not None) == (scores["answers"] is not None) == (name == "local")
    # Names are what keywords find best.
    assert result["systems"]["bm25"]["measures"]["R@5"]["value"] == 1.0
    abstention = result["systems"]["local"]["abstention"]
    assert set(abstention) == {
        *("answerable_abstained", "unanswerable_abstained", "auroc", "auroc_low", "auroc_high"),
        *("calibration_error", "brier", "reliability"),
    }
    assert abstention["unanswerable_abstained"] == 1.0
    assert sum(row["n"] for row in abstention["reliability"]) == len(QUESTIONS)
    assert result["systems"]["local"]["answers"]["measures"]["right"]["n"] == 1
    assert set(result["index"]) == {
        *("documents", "chunks", "entities", "relations", "communities", "tree_nodes", "seconds"),
        *("usage", "usage_by_unit", "failed_calls", "done_without_model", "not_borne_out"),
        *("cpu_seconds", "embed_cpu_seconds", "peak_rss_bytes", "store_bytes", "text_bytes"),
    }
    assert result["index"]["documents"]["added"] == len(ROWS)
    assert result["index"]["text_bytes"] == sum(len(str(row["text"])) for row in ROWS)
    assert result["run"]["settings"] == {"embedder.model": "hashing:64"}
    assert result["run"]["versions"]["belvedere"] == __version__


@pytest.mark.model
def test_eval_compares_with_local_and_counts_failures(belvedere: Belvedere, data: Path) -> None:
    result = belvedere("eval", *options(data, "--json", "--compare", "bm25,local")).json()
    (comparison,) = result["comparisons"]
    assert (comparison["system"], comparison["against"]) == ("bm25", "local")
    assert tuple(comparison["measures"]) == MEASURES
    assert set(comparison["measures"]["R@5"]) == {"difference", "low", "high", "n", "p", "p_holm"}
    ours, theirs = (result["systems"][name]["measures"]["R@5"]["value"] for name in ("local", "bm25"))
    assert comparison["measures"]["R@5"]["difference"] == pytest.approx(theirs - ours)
    assert result["failures"]["questions"] == len(QUESTIONS)
    assert sum(result["failures"]["classes"].values()) == result["failures"]["failed"]


@pytest.mark.model
def test_a_missing_document_is_a_failure_that_is_written_down(belvedere: Belvedere, data: Path) -> None:
    file = data.parent / "failures.jsonl"
    questions = [*QUESTIONS, {"id": "q5", "question": "Where is the Nile?", "gold_ids": ["nile"], "type": "lost"}]
    (data / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions), encoding="utf-8")
    page = data.parent / "report.html"
    outcome = belvedere("eval", *options(data, "--compare", "local", "--failures", str(file), "--html", str(page)))
    assert outcome.code == 0
    assert "Where is the Nile?" in page.read_text(encoding="utf-8")
    assert "not indexed" in outcome.out
    assert "such as q5: Where is the Nile?" in outcome.out
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    (lost,) = (line for line in lines if line["id"] == "q5")
    assert lost["class"] == "not_indexed"
    assert lost["gold"] == [
        {"documents": ["nile"], "rank": None, "indexed": False, "in_pool": False, "packed": False, "weighed": False},
    ]
    assert lost["top"][0]["title"] in RIVERS


@pytest.mark.model
def test_grades_give_a_measure_of_their_own(belvedere: Belvedere, data: Path) -> None:
    graded = {"id": "q5", "question": "Elbe boats?", "gold_grades": {"r4": 3, "r5": 1}, "type": "graded"}
    (data / "questions.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in [*QUESTIONS, graded]), encoding="utf-8"
    )
    gate = "type=graded:nDCG@10.graded>0.5"
    outcome = belvedere("eval", *options(data, "--compare", "bm25,dense", "--gate", f"bm25:{gate}", "--json"))
    scores = outcome.json()["systems"]["bm25"]
    assert tuple(scores["measures"]) == tuple(scores["by_type"]["graded"]) == (*MEASURES, GRADED)
    assert_estimate(scores["measures"][GRADED], n=1)
    assert tuple(scores["by_type"]["one"]) == MEASURES
    assert outcome.json()["comparisons"][0]["measures"][GRADED]["n"] == 1
    told = belvedere("eval", *options(data, "--compare", "bm25"))
    assert "nDCG@10.graded: over the 1 questions with gold_grades" in told.out


@pytest.mark.model
def test_a_run_is_held_against_an_earlier_one(belvedere: Belvedere, data: Path) -> None:
    earlier = data.parent / "before.json"
    earlier.write_text(belvedere("eval", *options(data, "--compare", "bm25,local", "--json")).out, encoding="utf-8")
    config = data.parent / "settings.yaml"
    config.write_text('embedder: {model: "hashing:64"}\nquery: {answer: {passages: 2}}\n', encoding="utf-8")
    page = data.parent / "report.html"
    more = ("--compare", "bm25,dense,local", "--baseline", str(earlier))
    found = belvedere("eval", *options(data, *more, "--html", str(page), "--json")).json()["baseline"]
    assert (found["questions"], found["questions_left_out"]) == (len(QUESTIONS), 0)
    assert found["settings"] == {"query.answer.passages": {"then": None, "now": 2}}
    ranked, again, replied, computed = found["comparisons"]
    assert [part["system"] for part in (ranked, again, replied, computed)] == ["bm25", "local", "local", "local"]
    assert computed["measures"]["computed.rouge_l"]["n"] == 1
    assert found["judged_otherwise"] == {}
    assert ranked["measures"]["R@5"] == {"difference": 0.0, "low": 0.0, "high": 0.0, "n": 3, "p": 1.0, "p_holm": 1.0}
    assert replied["measures"]["verdict"]["n"] == len(QUESTIONS)
    assert "Against an earlier run" in page.read_text(encoding="utf-8")
    told = belvedere("eval", *options(data, *more)).out
    assert "query.answer.passages: the default then, 2 now" in told
    assert "local - baseline" in told
    refused = belvedere("eval", *options(data, *more, "--limit", "2"))
    assert refused.code == 2
    assert "was measured with limit none, this run has limit 2" in refused.err


@pytest.mark.model
def test_questions_are_asked_of_gold_documents_alone(belvedere: Belvedere, data: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": "q1", "question": "Which boats sail on the Danube?", "gold_ids": ["r0"], "answer": "in summer"},
        {
            "id": "q2",
            "question": "Which boats sail on the Volga?",
            "gold_ids": ["r1", "nowhere"],
            "answer": "in winter",
        },
        {"id": "q3", "question": "Which boats sail on the Volga?", "gold_ids": ["nowhere"], "answer": "in summer"},
        # Of the wrong river's document alone nothing tells of the Loire.
        {"id": "q4", "question": "Which boats sail on the Loire?", "gold_ids": ["r3"], "answer": "Loire"},
    ]
    (data / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page = data.parent / "report.html"
    more = ("--compare", "local", "--gold-evidence", "--html", str(page))
    outcome = belvedere("eval", *options(data, *more))
    assert outcome.code == 0
    assert "local, asked of gold documents alone: claim or text has the reference for 0.333" in outcome.out
    assert "Search and answer apart" in page.read_text(encoding="utf-8")
    found = belvedere("eval", *options(data, *more, "--json")).json()["gold_evidence"]
    assert found["right"]["n"] == 3
    assert (found["found_right"], found["found_wrong"]) == (1, 1)
    assert (found["missing_right"], found["missing_wrong"]) == (0, 1)
    refused = belvedere("eval", *options(data, "--compare", "bm25", "--gold-evidence"))
    assert refused.code == 2
    assert "add local to --compare" in refused.err


@pytest.mark.model
def test_gates_decide_the_exit_code(belvedere: Belvedere, data: Path) -> None:
    outcome = belvedere("eval", *options(data, "--compare", "bm25", "--gate", "R@5>0.9,MRR@10<=0.1", "--json"))
    assert outcome.code == 4
    assert outcome.err.count("gate not passed") == 1
    assert "bm25: MRR@10 is 1.000 [1.000, 1.000], wanted <= 0.1" in outcome.err
    assert [gate["passed"] for gate in outcome.json()["gates"]] == [True, False]
    passed = belvedere("eval", *options(data, "--compare", "bm25", "--gate", "R@5>0.9", "--gate", "R@2>0.9"))
    assert passed.code == 0
    assert passed.out.count("gate passed") == 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--gate", "MAP>1"], "no measure is named 'MAP'"),
        (["--compare", "bm25", "--gate", "local:R@5>1"], "which is not compared"),
        (["--compare", "bm25", "--failures", "f.jsonl"], "add local to --compare"),
        (["--failures", "nowhere/f.jsonl"], "there is no folder"),
        (["--html", "/proc/report.html"], "cannot write '/proc/report.html'"),
        (["--html", "n" * 300], "name is too long"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_measured(
    belvedere: Belvedere, data: Path, more: list[str], told: str
) -> None:
    outcome = belvedere("eval", *options(data, *more))
    assert outcome.code == 2
    assert told in outcome.err
    assert not (data.parent / "cache").exists()


@pytest.mark.model
def test_eval_for_people_names_what_was_measured_on_what(belvedere: Belvedere, data: Path) -> None:
    outcome = belvedere("eval", *options(data, "--compare", "dense,bm25", "--seed", "7", "--limit", "3"))
    assert outcome.code == 0
    assert "rivers: 12 documents, shuffled with seed 7; 3 questions" in outcome.out
    assert "cores" in outcome.out
    assert "95 % interval" in outcome.out
    assert "embedding one question" in outcome.out
    assert outcome.out.index("dense") < outcome.out.index("95 % interval") < outcome.out.index("[")
    again = belvedere("eval", *options(data, "--compare", "dense", "--seed", "7"))
    assert "index from the cache" in again.out


@pytest.mark.model
def test_eval_filters_documents_and_questions(belvedere: Belvedere, data: Path) -> None:
    outcome = belvedere("eval", *options(data, "--filter", "part=1", "--filter", "type!=two", "--json"))
    assert outcome.json()["run"]["documents"] == len(ROWS) // 2
    assert outcome.json()["run"]["questions"] == 3
    assert "gold documents are not in the corpus" in outcome.err


@pytest.mark.model
def test_indexes_are_kept_by_content_settings_and_seed(data: Path, tmp_path: Path) -> None:
    dataset = read_dataset(data, seed=0)
    cache = tmp_path / "kept"
    first = index_dataset(dataset, SETTINGS, cache)
    assert not first.from_cache
    again = index_dataset(dataset, SETTINGS, cache)
    assert again.from_cache
    assert again.store == first.store
    assert again.report == first.report
    smaller = Settings(embedder=SETTINGS.embedder, indexing=IndexingSettings(chunking=ChunkingSettings(max_tokens=50)))
    others = [
        index_dataset(dataset, smaller, cache),
        index_dataset(read_dataset(data, seed=1), SETTINGS, cache),
    ]
    assert not any(other.from_cache for other in others)
    assert len({first.store, *(other.store for other in others)}) == 3
    assert len(list(cache.iterdir())) == 3


def test_a_folder_for_indexes_that_cannot_be_made_is_told(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CacheUnusable, match=r"file/kept' \(Not a directory\): name another folder with --cache"):
        index_dataset(read_dataset(data, seed=0), SETTINGS, tmp_path / "file" / "kept")


@pytest.mark.model
def test_an_index_that_was_not_finished_is_not_found(data: Path, tmp_path: Path) -> None:
    dataset = read_dataset(data, seed=0)

    def stop(progress: Progress) -> None:
        if progress.step == "communities":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_dataset(dataset, SETTINGS, tmp_path / "kept", stop)
    assert list((tmp_path / "kept").iterdir()) == []
    assert not index_dataset(dataset, SETTINGS, tmp_path / "kept").from_cache


def test_the_cache_is_below_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "belvedere" / "eval"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "belvedere" / "eval"


def test_a_run_is_scored_over_its_questions() -> None:
    questions = tuple(
        LabelledQuestion(id=name, text=name, type=kind, gold=gold, references=("X", "found"))
        for name, kind, gold in (
            ("q1", "b", (frozenset({"x"}),)),
            ("q2", "a", (frozenset({"x"}), frozenset({"y"}))),
            ("q3", "a", ()),
        )
    )
    run = SystemRun(
        rankings=(("x",), ("x", "z"), ("x",)),
        milliseconds=(1.0, 2.0, 30.0),
        embedding_milliseconds=(1.0, 1.0, 1.0),
        replies=(
            Reply(text="It is X. [1]", abstained=False, support=0.9, weighed=frozenset({"x"}), cited=frozenset("xz")),
            Reply(text="Not found.", abstained=True, support=0.8, weighed=frozenset()),
            Reply(text="Not found.", abstained=True, support=0.1, weighed=frozenset()),
        ),
    )
    scores = score_run(run, Dataset(name="n", corpus=(), questions=questions, seed=0))
    assert scores.measures["R@5"].value == pytest.approx(0.75)
    assert scores.measures["R@5"].n == 2
    assert list(scores.by_type) == ["a", "b"]
    assert scores.by_type["a"]["R@5"].value == pytest.approx(0.5)
    assert scores.latency_ms.p50 == 2.0
    assert scores.values[1]["R@5"] == 0.5
    assert scores.abstention is not None
    assert scores.abstention.auroc == 1.0
    assert scores.abstention.answerable_abstained == 0.5
    # An answer that was not given is wrong, whatever its words; the unanswerable question has no right one.
    assert scores.answers is not None
    assert scores.answers.measures["contains"].value == 0.5
    assert scores.answers.measures["contains"].n == 2
    assert list(scores.answers.by_type) == ["a", "b"]
    table = scores.answers.by_evidence
    assert (table.found_right, table.found_wrong, table.missing_right, table.missing_wrong) == (1, 0, 0, 1)
    assert scores.citations is not None
    assert (scores.citations["precision"].value, scores.citations["recall"].value) == (0.5, 1.0)
    assert scores.citations["recall"].n == 1


@pytest.mark.model
def test_two_embedding_models_are_compared_in_one_index(belvedere: Belvedere, data: Path) -> None:
    result = belvedere("eval", *options(data, "--compare-model", "hashing:8", "--json")).json()
    assert list(result["systems"]) == [*("bm25", "dense", "hybrid", "local"), *("dense@new", "hybrid@new", "local@new")]
    assert result["run"]["second_model"] == "hashing-8"
    pairs = {item["system"]: item["against"] for item in result["comparisons"]}
    assert pairs == {
        **dict.fromkeys(("bm25", "dense", "hybrid"), "local"),
        **{f"{name}@new": name for name in ("dense", "hybrid", "local")},
    }
    assert result["systems"]["local@new"]["abstention"] is not None
    # The first model alone finds what it found before, and another second model takes the place of the first one.
    again = belvedere(
        "eval",
        *options(data, "--compare", "dense", "--compare-model", "hashing:32", "--gate", "dense@new:R@5>=0", "--json"),
    ).json()
    assert list(again["systems"]) == ["dense", "dense@new"]
    assert again["systems"]["dense"]["measures"] == result["systems"]["dense"]["measures"]
    assert again["gates"][0]["passed"] is True
    page = data.parent / "report.html"
    text = belvedere("eval", *options(data, "--compare", "dense", "--compare-tokens", "none", "--html", str(page)))
    assert "Systems named @new were asked with the vectors of hashing-64." in page.read_text(encoding="utf-8")
    assert text.code == 0
    assert "dense@new - dense" in text.out
    assert "systems named @new were asked with the vectors of hashing-64" in text.out


@pytest.mark.model
def test_a_second_model_must_be_another(belvedere: Belvedere, data: Path) -> None:
    outcome = belvedere("eval", *options(data, "--compare", "dense", "--compare-model", "hashing:64"))
    assert outcome.code == 2
    assert "already" in outcome.err
