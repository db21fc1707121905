"""`belvedere eval` with a judge behind an endpoint of OpenAI's protocol."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere, Outcome
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, fails, says, scripted_server

PASSAGES = ("The lamp burnt oil until 1923.", "Anna Lind built the lighthouse in 1871.")


def verdict(asked: Asked) -> Replied:
    """Find every claim supported by passage 1, every passage useful, and the answer right as its first sentence."""
    if "without_claim" in asked.text:
        claim = {"sentence": 1, "claim": "It is so.", "supported": True, "passages": [1]}
        reply: object = {"claims": [claim], "without_claim": list(range(2, 20))}
    elif "useful" in asked.text:
        reply = {"passages": [{"passage": number, "useful": True} for number in (1, 2)]}
    else:
        reply = {"degree": "fully", "sentences": [1]}
    return says(json.dumps(reply), usage=(100, 10))(asked)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    with scripted_server(verdict) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    corpus = [{"id": f"d{number}", "title": "", "text": text} for number, text in enumerate(PASSAGES)]
    asked = [{"question": "Who built the lighthouse?", "gold_ids": ["d1"], "answer": "Anna Lind"}]
    for name, rows in (("corpus", corpus), ("questions", asked)):
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def evaluate(belvedere: Belvedere, folder: Path, server: ScriptedOpenAiServer, *more: str) -> Outcome:
    config = folder.parent / "settings.yaml"
    model = folder.parent.name  # another name each time: what an endpoint refuses is remembered by model
    settings = {
        "embedder": {"model": "hashing:64"},
        "llm": {
            "base_url": server.base_url,
            "tasks": {"judge": model},
            "retries": 0,
            "prices": {model: {"prompt": 1.0, "reply": 2.0}},
        },
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    where = ("--cache", str(folder.parent / "kept"), "--config", str(config))
    return belvedere("eval", str(folder), *where, "--compare", "local", *more)


@pytest.mark.model
def test_a_configured_judge_is_asked_and_its_use_told(
    belvedere: Belvedere, folder: Path, server: ScriptedOpenAiServer
) -> None:
    outcome = evaluate(belvedere, folder, server, "--gate", "faithfulness>=0.9,correctness==1", "--json")
    assert outcome.code == 0
    result = outcome.json()
    found = result["systems"]["local"]["judged"]
    assert found["measures"]["faithfulness"]["value"] == 1.0
    assert found["measures"]["context_precision"]["verdicts"] == 2
    assert found["failed_share"] == 0.0
    assert (found["usage"]["prompt_tokens"], found["usage"]["reply_tokens"]) == (500, 50)
    assert found["usage"]["cost"] == pytest.approx(5 * (100 * 1.0 + 10 * 2.0) / 1e6)
    assert [gate["passed"] for gate in result["gates"]] == [True, True]
    refused = evaluate(belvedere, folder, server, "--gate", "faithfulness>=0.9", "--llm", "none")
    assert refused.code == 2
    assert "set llm.tasks.judge" in refused.err


@pytest.mark.model
def test_a_judge_that_fails_gives_no_figure_and_passes_no_gate(
    belvedere: Belvedere, folder: Path, server: ScriptedOpenAiServer
) -> None:
    server.script = fails(500)
    outcome = evaluate(belvedere, folder, server, "--gate", "faithfulness>=0,judge.failed==1")
    assert outcome.code == 4
    assert (
        "these questions give no value of faithfulness, wanted >= 0; 1 of 1 verdicts failed: the endpoint failed (1)"
        in (outcome.err)
    )
    assert "gate passed: local: judge.failed is 1.000" in outcome.out
    server.script = says('{"degree": "fully", "sentences": [1', finish="length")
    broken = evaluate(belvedere, folder, server, "--json").json()["systems"]["local"]["judged"]["measures"]
    assert broken["correctness"]["reasons"] == {"broke off": 1}
    assert broken["correctness"]["value"] is None
    server.script = fails(401)
    refused = evaluate(belvedere, folder, server)
    assert refused.code == 2
    assert "Traceback" not in refused.err
