"""Indexing with language models over HTTP: facts, reports and summaries are told, and failures are named."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from model_clients.chat.settings import LlmSettings, TaskSettings
from model_clients.settings import EmbedderSettings
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
