"""Indexing with language models over HTTP: facts, reports and summaries are told, and failures are named."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from model_clients.chat.settings import LlmSettings, TaskSettings
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, says, scripted_server

pytestmark = pytest.mark.model  # the parser is loaded

TEXT = "# Glass\n\nThe florbic acid of Elsa Brandt dissolves quartz glass in the dark.\n"
FACTS = {
    "entities": [
        {"name": "florbic acid", "type": "substance", "description": "It dissolves quartz glass."},
        {"name": "quartz glass", "type": "material", "description": ""},
    ],
    "relations": [
        {
            "source": "florbic acid",
            "target": "quartz glass",
            "predicate": "dissolves",
            "strength": 9,
            "quote": "dissolves quartz glass",
        }
    ],
}


def replying(asked: Asked) -> Replied:
    """Reply about chunks alone; of all else give nothing that can be used."""
    return says(json.dumps(FACTS) if "You read one passage" in asked.text else "I would rather not.")(asked)


@contextmanager
def opened(folder: Path, server: ScriptedOpenAiServer, *, lazy: bool = False) -> Iterator[KnowledgeBase]:
    tasks = TaskSettings(extraction="m", reports="m", summaries="m")
    settings = Settings(
        llm=LlmSettings(base_url=server.base_url, tasks=tasks, lazy=lazy), embedder=EmbedderSettings(model="hashing:64")
    )
    with KnowledgeBase.open(folder, config=settings) as kb:
        yield kb


def test_facts_are_told_failures_are_named_and_replies_are_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "glass.md").write_text(TEXT, encoding="utf-8")
    with scripted_server(replying) as server:
        with opened(tmp_path / "store", server) as kb:
            report = kb.index(tmp_path / "in")
            assert report.model_work is not None
            assert {failed.task for failed in report.model_work.failed} == {"reports"}
            assert report.usage["extraction"].calls == 1
            (view,) = kb.graph("florbic acid")
            assert view.entity.description == "It dissolves quartz glass."
            assert kb.reconcile(tmp_path / "in").drifts != ()
            assert {community.made_by for community in kb.communities()} == {"extractive"}
        with opened(tmp_path / "store", server) as kb:
            again = kb.index(tmp_path / "in")
            assert "extraction" not in again.usage
            assert again.model_work is not None
            assert {failed.task for failed in again.model_work.failed} == {"reports"}, "what failed is tried again"


def test_a_lazy_store_is_indexed_without_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "glass.md").write_text(TEXT, encoding="utf-8")
    with scripted_server(replying) as server, opened(tmp_path / "store", server, lazy=True) as kb:
        assert kb.index(tmp_path / "in").model_work is None
        assert kb.reconcile(tmp_path / "in").drifts == ()
        assert server.asked == []


HARBOUR = "# Harbour\n\nAnna Lind met Karl Berg in Oslo. Anna Lind built the harbour of Oslo. Karl Berg left Oslo.\n"


def telling(asked: Asked) -> Replied:
    """Tell of every report and summary the first piece of its evidence, and of chunks nothing."""
    pieces = re.split(r"^evidence \d+ [0-9a-f]{16}.*\n", asked.text.split("fact 1 ")[0], flags=re.MULTILINE)[1:]
    if not pieces:
        return says('{"entities": [], "relations": []}')(asked)
    first = " ".join(line.removeprefix("| ") for line in pieces[0].split("\n") if line.startswith("| "))
    return says(json.dumps({"title": "What is told", "claims": [{"text": first, "evidence": [1]}]}))(asked)


def makers(kb: KnowledgeBase) -> set[str]:
    return {community.made_by for community in kb.communities()}


@pytest.fixture
def three_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "in").mkdir()
    for name, text in {"glass": TEXT, "dark": TEXT.replace("glass in", "sand in"), "harbour": HARBOUR}.items():
        (tmp_path / "in" / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path / "in"


def test_usage_is_told_of_each_document_and_each_step(
    three_documents: Path, tmp_path: Path, belvedere: Belvedere
) -> None:
    with scripted_server(telling) as server:
        llm = {"base_url": server.base_url, "model": "m", "tasks": dict.fromkeys(("extraction", "reports"), "on")}
        (tmp_path / "c.yaml").write_text(json.dumps({"embedder": {"model": "hashing:64"}, "llm": llm}), "utf-8")
        options = ("--store", tmp_path / "store", "--config", tmp_path / "c.yaml", "--json")
        report = belvedere("index", three_documents, *options).json()
        assert set(report["usage_by_unit"]) == {"extraction", "reports"}
        by_document = report["usage_by_unit"]["extraction"]
        assert set(by_document) == {"glass.md", "dark.md", "harbour.md"}
        assert set(report["usage_by_unit"]["reports"]) == {"reports"}
        for key, total in report["usage"]["extraction"].items():
            assert sum(used[key] for used in by_document.values()) == total, key


def test_a_deletion_asks_no_model_and_the_next_run_tells_anew(three_documents: Path, tmp_path: Path) -> None:
    with scripted_server(telling) as server, opened(tmp_path / "store", server) as kb:
        kb.index(three_documents)
        assert makers(kb) == {"llm:m"}
        asked = len(server.asked)
        (three_documents / "dark.md").unlink()
        deletion = kb.delete(["dark.md"])
        assert deletion.deleted == ("dark.md",)
        assert deletion.untold > 0
        assert len(server.asked) == asked
        assert "llm:m" in makers(kb), "what did not change stays told"
        kb.index(three_documents)
        assert len(server.asked) > asked
        assert makers(kb) == {"llm:m"}


def test_documents_are_deleted_without_a_key_too(
    three_documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with scripted_server(telling) as server, opened(tmp_path / "store", server) as kb:
        kb.index(three_documents)
    llm = LlmSettings(tasks=TaskSettings(reports="m", summaries="m"))
    settings = Settings(llm=llm, embedder=EmbedderSettings(model="hashing:64"))
    with KnowledgeBase.open(tmp_path / "store", config=settings) as kb:
        assert kb.delete(["dark.md"]).untold > 0
        assert kb.status().counts.documents == 2


def test_the_command_says_what_is_to_be_told_anew(three_documents: Path, tmp_path: Path, belvedere: Belvedere) -> None:
    with scripted_server(telling) as server:
        llm = {"base_url": server.base_url, "tasks": {"reports": "m"}}
        (tmp_path / "c.yaml").write_text(json.dumps({"embedder": {"model": "hashing:64"}, "llm": llm}), "utf-8")
        place = ("--store", tmp_path / "store", "--config", tmp_path / "c.yaml")
        assert belvedere("index", three_documents, *place).code == 0
        done = belvedere("delete", "dark.md", *place)
        assert done.code == 0
        assert "the next `belvedere index` has them told anew" in done.err
        assert belvedere("delete", "harbour.md", *place, "--json").json()["untold"] >= 0
