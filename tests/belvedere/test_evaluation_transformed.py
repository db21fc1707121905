"""`belvedere eval` measures what transformations of questions bring."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from belvedere.evaluation.systems import parted
from tests.belvedere.small_store import Belvedere
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, says, scripted_server

TEXTS = (
    "The lamp burnt oil until 1923.",
    "Anna Lind built the lighthouse in 1871.",
    "The ferry leaves the harbour at noon.",
    "Herring was salted in barrels.",
)


def rewriting(asked: Asked) -> Replied:
    """Search for the passage that is given as the answer, whatever is asked."""
    return says(json.dumps({"queries": ["Herring was salted in barrels"]}))(asked)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    with scripted_server(rewriting) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, server: ScriptedOpenAiServer) -> tuple[str, ...]:
    folder = tmp_path / "data"
    folder.mkdir()
    corpus = [{"id": f"d{number}", "title": "", "text": text} for number, text in enumerate(TEXTS)]
    asked = [
        {
            "question": "When does the ferry leave the harbour, and when did the lamp burn oil?",
            "gold_ids": ["d3"],
            "answer": "salted",
        }
    ]
    for name, rows in (("corpus", corpus), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    config = tmp_path / "settings.yaml"
    llm = {"base_url": server.base_url, "model": tmp_path.name, "retries": 0}
    config.write_text(json.dumps({"embedder": {"model": "hashing:64"}, "llm": llm}), encoding="utf-8")
    return str(folder), "--cache", str(tmp_path / "kept"), "--config", str(config)


def test_a_name_has_its_transformations_behind_it() -> None:
    assert parted("local") == ("local", ())
    assert parted("local+rewrite+hyde") == ("local", ("rewrite", "hyde"))


@pytest.mark.model
def test_a_transformation_is_compared_with_the_plain_question(
    belvedere: Belvedere, place: tuple[str, ...], server: ScriptedOpenAiServer
) -> None:
    found = belvedere("eval", *place, "--compare", "local,local+rewrite", "--llm", "rewriting", "--json").json()
    plain, rewritten = (found["systems"][name]["measures"]["MRR@10"]["value"] for name in ("local", "local+rewrite"))
    assert plain < rewritten
    assert [item["system"] for item in found["comparisons"]] == ["local+rewrite"]
    assert server.asked


@pytest.mark.model
def test_without_a_model_nothing_is_measured(
    belvedere: Belvedere, place: tuple[str, ...], server: ScriptedOpenAiServer
) -> None:
    refused = belvedere("eval", *place, "--compare", "local+rewrite")
    assert refused.code == 2
    assert "--llm rewriting" in refused.err
    assert server.asked == []


@pytest.mark.parametrize("name", ["bm25+rewrite", "local+dream", "local+", "+rewrite"])
def test_other_names_are_refused(belvedere: Belvedere, tmp_path: Path, name: str) -> None:
    refused = belvedere("eval", str(tmp_path), "--compare", name)
    assert refused.code == 2
    assert "Traceback" not in refused.err
