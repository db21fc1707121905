"""Telling beforehand what indexing takes, and asking before it is paid."""

import json
from dataclasses import replace
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belvedere.estimate import estimate as estimating
from belvedere.estimate.estimate import Estimate, Estimator
from belvedere.estimate.question_estimate import SamplePassage, estimate_questions
from belvedere.estimate.recording import CountedCall
from belvedere.estimate.storage import Held, estimate_storage
from belvedere.estimate.task_estimate import Sampled, estimate_task
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.status import folder_bytes
from graph_store.settings import StoreSettings
from indexing.options import IndexOptions
from model_clients.chat.settings import LlmSettings, ModelPrice, TaskSettings
from model_clients.chat.token_estimate import likely_tokens
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.settings import EmbedderSettings
from query.llm_answers.settings import LlmAnswerSettings
from query.transformations.settings import TransformationSettings
from tests.belvedere.small_store import Belvedere
from tests.llm.scripted_openai_server import says, scripted_server

PRICE = ModelPrice(prompt=1000.0, reply=2000.0)
SETTINGS = Settings(
    embedder=EmbedderSettings(model="hashing:64"),
    llm=LlmSettings(
        base_url="http://127.0.0.1:9/v1", model="m", tasks=TaskSettings(extraction=True), prices={"m": PRICE}
    ),
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    people = ["Anna Lind", "Erik Holm", "Ida Berg", "Olav Dahl"]
    for number in range(12):
        one, other = people[number % 4], people[(number + 1) % 4]
        sections = [
            f"## Part {part}\n\n{one} built the lighthouse of Norby {part} with {other} in 18{number:02}. "
            f"The lighthouse of Norby {part} is red, and {other} keeps its books in Bergen. " * 6
            for part in range(3)
        ]
        (folder / f"d{number:02}.md").write_text("\n\n".join(sections), encoding="utf-8")
    return folder


def estimate(corpus: Path, settings: Settings = SETTINGS, *, seed: int = 0) -> Estimate:
    return Estimator(settings, seed=seed).estimate([corpus], IndexOptions())


@pytest.fixture(scope="module")
def whole(corpus: Path) -> Estimate:
    return estimate(corpus)


@pytest.mark.model
def test_a_sample_of_everything_counts_exactly(corpus: Path, whole: Estimate, tmp_path: Path) -> None:
    assert (whole.documents, whole.sampled) == (12, whole.chunks)
    with KnowledgeBase.open(tmp_path / "store", config=replace(SETTINGS, llm=LlmSettings())) as kb:
        assert kb.index(corpus).chunks == whole.chunks
    calls = whole.tasks["extraction"].calls
    assert calls.low == calls.likely == calls.high
    assert calls.likely >= whole.chunks
    for task in whole.tasks.values():
        assert 0 < task.tokens.low < task.tokens.likely < task.tokens.high
    assert whole.storage.total == pytest.approx(folder_bytes(tmp_path / "store"), rel=0.5)


@pytest.mark.model
def test_a_sample_comes_near_the_whole_and_its_interval_holds_it(
    corpus: Path, whole: Estimate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimating, "SAMPLE_CHUNKS", 10)
    sampled = estimate(corpus, seed=3)
    assert sampled.chunks == whole.chunks
    assert 10 <= sampled.sampled < whole.chunks
    for name, task in whole.tasks.items():
        found = sampled.tasks[name]
        assert found.tokens.low <= task.tokens.likely <= found.tokens.high, name
    assert sampled.storage.chunk_vectors == pytest.approx(whole.storage.chunk_vectors)
    assert estimate(corpus, seed=3) == sampled


@pytest.mark.model
def test_costs_are_at_the_configured_prices_and_of_tasks_that_are_on(whole: Estimate) -> None:
    extraction, reports = whole.tasks["extraction"], whole.tasks["reports"]
    assert (extraction.on, extraction.model, reports.on) == (True, "m", False)
    assert extraction.cost is not None
    likely = (extraction.prompt_tokens.likely * 1000 + extraction.reply_tokens.likely * 2000) / 1e6
    assert extraction.cost.likely == pytest.approx(likely)
    assert whole.cost == extraction.cost


@pytest.mark.model
def test_a_question_costs_what_is_put_into_its_prompts(corpus: Path, whole: Estimate) -> None:
    found = whole.per_question
    assert set(found) == {"rewriting", "answers", "judge"}
    assert {name: task.calls.likely for name, task in found.items()} == {"rewriting": 1, "answers": 1, "judge": 5}
    assert (found["rewriting"].calls.low, found["answers"].calls.high) == (0, 1 + 12), "follow-ups; 12 reports are read"
    for task in found.values():
        assert task.tokens.low < task.tokens.likely < task.tokens.high
        assert not task.on
        assert task.cost == task.cost_at(PRICE) if task is found["judge"] else task.cost is not None
    small = replace(SETTINGS.query, llm_answer=LlmAnswerSettings(budget=300, reports=2))
    transforming = replace(small, transformation=TransformationSettings(rewrite=True, hyde=True, iterative=True))
    fewer = estimate(corpus, replace(SETTINGS, query=transforming)).per_question
    assert fewer["rewriting"].calls.likely == 1 + 2 + 2, "a follow-up, two wordings, two rounds"
    assert fewer["rewriting"].calls.low == 4
    assert fewer["answers"].calls.high == 1 + 2
    saved = found["answers"].prompt_tokens.likely - fewer["answers"].prompt_tokens.likely
    assert saved == pytest.approx(3000 - 300, rel=0.5)


def test_headings_take_room_of_a_question_too() -> None:
    embedder = HashingEmbedder(64)

    def prompt(title: str) -> float:
        passages = [SamplePassage(title=title, text=f"word{number} " * 40) for number in range(200)]
        return estimate_questions(SETTINGS, passages, embedder)["answers"].prompt_tokens.likely

    assert prompt("one two three four five " * 8) == pytest.approx(prompt("one"), rel=0.25)


@pytest.mark.model
def test_the_interval_of_a_question_holds_a_real_one(
    corpus: Path, whole: Estimate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server(says('{"sentences": []}')) as server:
        llm = replace(SETTINGS.llm, base_url=server.base_url, tasks=TaskSettings(answers="m"))
        with KnowledgeBase.open(tmp_path / "store", config=replace(SETTINGS, llm=llm)) as kb:
            kb.index(corpus)
            kb.ask("Who built the lighthouse of Norby 1 with Erik Holm?", route="local")
        (asked,) = server.asked
    answers = whole.per_question["answers"]
    schema = json.dumps(asked.body.get("response_format", {}))
    sent = likely_tokens(asked.text) + likely_tokens(schema)
    assert answers.prompt_tokens.low < sent < answers.prompt_tokens.high
    assert asked.body.get("max_tokens", asked.body.get("max_completion_tokens")) == 900


@pytest.mark.model
def test_lazily_indexing_costs_nothing_and_a_question_the_reports_that_it_reads(corpus: Path, whole: Estimate) -> None:
    tasks = TaskSettings(extraction=True, reports=True, summaries=True)
    lazy = replace(SETTINGS.llm, tasks=tasks, lazy=True)
    few = replace(SETTINGS.query, llm_answer=LlmAnswerSettings(reports=2))
    found = estimate(corpus, replace(SETTINGS, llm=lazy, query=few))
    assert found.cost.high == 0
    assert {task.on for task in found.tasks.values()} == {False}
    reports = found.tasks["reports"]
    assert (found.lazy_reports.on, whole.lazy_reports.on) == (True, False)
    assert (found.lazy_reports.calls.low, found.lazy_reports.calls.likely) == (0, 2)
    assert found.lazy_reports.tokens.likely == pytest.approx(reports.tokens.likely * 2 / reports.calls.likely)
    full = sum(task.tokens.likely for task in found.tasks.values())
    assert found.lazy_share == pytest.approx(found.lazy_reports.tokens.likely / full)
    assert whole.lazy_reports.calls.likely == min(12, reports.calls.likely), "as many as answers read, or all"


@pytest.mark.model
def test_lazily_indexing_does_not_ask_before_costs(
    belvedere: Belvedere, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = _config(tmp_path, "http://127.0.0.1:9/v1")
    content = json.loads(config.read_text(encoding="utf-8"))
    content["llm"]["lazy"] = True
    config.write_text(json.dumps(content), encoding="utf-8")
    done = belvedere("index", corpus, "--store", tmp_path / "s", "--config", config)
    assert done.code == 0
    assert "estimating" not in done.err


@pytest.mark.model
def test_what_is_stored_already_counts_for_nothing(corpus: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, llm=LlmSettings())
    with KnowledgeBase.open(tmp_path / "store", config=settings) as kb:
        kb.index(corpus)
        stored = kb.store.document_states("default")
    found = Estimator(settings).estimate([corpus], IndexOptions(), stored)
    assert (found.documents, found.chunks, found.tasks["extraction"].calls.likely) == (0, 0, 0)


@pytest.mark.model
def test_an_empty_folder_takes_nothing(tmp_path: Path) -> None:
    found = estimate(tmp_path)
    assert (found.documents, found.chunks, found.cost.likely) == (0, 0, 0)
    assert [task.calls.high for task in found.per_question.values()] == [0, 0, 0]


@pytest.mark.model
def test_an_embedder_behind_an_endpoint_is_not_asked(corpus: Path) -> None:
    settings = replace(SETTINGS, embedder=EmbedderSettings(model="openai:small", base_url="http://127.0.0.1:9/v1"))
    found = estimate(corpus, settings)
    assert found.embedding is not None
    assert found.embedding.likely > 1000
    assert found.storage.chunk_vectors == found.chunks * 1536 * 4


def _config(folder: Path, address: str) -> Path:
    path = folder / "c.yaml"
    llm = {
        "base_url": address,
        "model": "m",
        "tasks": {"extraction": True},
        "prices": {"m": {"prompt": 1000, "reply": 2000}, "n": {"prompt": 1}},
        "budget": {"ask_above": 0.01},
        "retries": 0,
    }
    path.write_text(json.dumps({"embedder": {"model": "hashing:64"}, "llm": llm}), encoding="utf-8")
    return path


@pytest.mark.model
def test_the_command_tells_it_as_json_and_as_text(belvedere: Belvedere, corpus: Path, tmp_path: Path) -> None:
    config = _config(tmp_path, "http://127.0.0.1:9/v1")
    told = belvedere("estimate", corpus, "--config", config, "--cheapest", "--json").json()
    assert set(told) >= {"documents", "chunks", "storage", "tasks", "cost", "cheapest"}
    per = {name: task["per"] for name, task in told["tasks"].items()}
    of_collection, of_question = ("extraction", "reports", "summaries"), ("rewriting", "answers", "judge")
    assert per == {**dict.fromkeys(of_collection, "collection"), **dict.fromkeys(of_question, "question")}
    assert set(told["tasks"]["extraction"]) >= {"calls", "tokens", "cost", "cost_interval"}
    assert told["tasks"]["answers"]["cost"] > 0
    assert told["storage"]["total"] == pytest.approx(sum(told["storage"].values()) / 2, abs=10)
    assert len(told["cheapest"]) == 2 * 6
    for kind in ("collection", "question"):
        costs = [offer["cost"] for offer in told["cheapest"] if offer["per"] == kind]
        assert costs == sorted(costs)
    assert told["lazy"]["on"] is False
    assert 0 < told["lazy"]["share_of_indexing"] < 1
    text = belvedere("estimate", corpus, "--config", config).out
    assert "12 documents" in text
    assert "extraction (on, by m)" in text
    assert "reports (off)" in text
    assert "answers of one question (off): 1 (1 to 13) calls" in text


@pytest.mark.model
def test_a_cost_that_nobody_agreed_to_stops_indexing_before_anything_is_done(
    belvedere: Belvedere, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server(says('{"entities": [], "relations": []}')) as server:
        config = _config(tmp_path, server.base_url)
        refused = belvedere("index", corpus, "--store", tmp_path / "s", "--config", config)
        assert refused.code == 2
        assert "more than llm.budget.ask_above (0.01): give --yes" in refused.err
        assert not (tmp_path / "s").exists()
        assert server.asked == []
        agreed = belvedere("index", corpus, "--store", tmp_path / "s", "--config", config, "--yes", "--json")
        assert agreed.code == 0
        assert agreed.json()["usage"]["extraction"]["calls"] == len(server.asked) > 0
        # Nothing has changed, so nothing is asked.
        assert belvedere("index", corpus, "--store", tmp_path / "s", "--config", config).code == 0


@pytest.mark.model
def test_mending_asks_as_indexing_does_and_tells_what_it_used(
    belvedere: Belvedere, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server(says('{"entities": [], "relations": []}')) as server:
        place = ("--store", tmp_path / "s", "--config", _config(tmp_path, server.base_url))
        assert belvedere("index", corpus, *place, "--llm", "none").code == 0
        assert belvedere("reconcile", corpus, *place).code == 3
        refused = belvedere("reconcile", corpus, *place, "--fix")
        assert refused.code == 2
        assert "more than llm.budget.ask_above (0.01): give --yes" in refused.err
        assert server.asked == []
        agreed = belvedere("reconcile", corpus, *place, "--fix", "--yes")
        assert agreed.code == 0
        assert f"extraction: {len(server.asked)} calls" in agreed.out


@pytest.mark.model
@pytest.mark.parametrize("agrees", [True, False])
def test_at_a_terminal_the_cost_is_asked_about(
    belvedere: Belvedere, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agrees: bool
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("belvedere.cli.paying.is_terminal", lambda: True)

    def confirm(text: str, *, abort: bool, err: bool) -> bool:
        assert (text, abort, err) == ("Go on?", True, True)
        if not agrees:
            raise click.Abort
        return True

    monkeypatch.setattr(click, "confirm", confirm)
    with scripted_server(says('{"entities": [], "relations": []}')) as server:
        outcome = belvedere("index", corpus, "--store", tmp_path / "s", "--config", _config(tmp_path, server.base_url))
    assert outcome.code == (0 if agrees else 130)
    assert (tmp_path / "s").exists() == agrees


def test_room_is_counted_by_vectors_links_and_texts() -> None:
    held = Held(
        chunks=100_000, sentences=300_000, tokens=10e6, derived=1000, dimension=384, token_dimension=64, text_bytes=7e7
    )
    settings = StoreSettings(ann_threshold=50_000, ann_neighbours=16)
    found = estimate_storage(held, settings, neighbour_graphs=True)
    assert found.chunk_vectors == 100_000 * 384 * 4 * 2
    assert found.derived_vectors == 1000 * 384 * 4
    assert found.sentence_vectors == 300_000 * 384
    assert found.token_vectors == 10e6 * 68
    assert found.hnsw == 100_000 * (384 * 4 + 33 * 4 + 8)
    assert estimate_storage(held, settings, neighbour_graphs=False).hnsw == 0
    assert estimate_storage(replace(held, chunks=50_000), settings, neighbour_graphs=True).hnsw == 0


_CALLS = st.builds(
    lambda prompt, more, reply: CountedCall(
        prompt=prompt, most_prompt=prompt + more, reply=reply, most_reply=reply + 50
    ),
    st.integers(1, 5000),
    st.integers(0, 500),
    st.integers(0, 2000),
)


@given(st.lists(_CALLS, max_size=20), st.floats(min_value=1.0, max_value=1e6))
def test_what_is_likely_lies_between_the_ends(calls: list[CountedCall], scale: float) -> None:
    found = estimate_task("reports", Sampled(calls=calls, scale=scale), on=True, model="m", price=PRICE)
    assert found.cost is not None
    for between in (found.calls, found.prompt_tokens, found.reply_tokens, found.tokens, found.cost):
        assert 0 <= between.low <= between.likely <= between.high
