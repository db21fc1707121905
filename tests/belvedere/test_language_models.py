"""Tasks switched on by settings and for one call, over HTTP to a scripted server."""

from dataclasses import replace
from pathlib import Path

import pytest

from belvedere.config import ConfigError
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from model_clients.chat.settings import LlmSettings, TaskSettings
from tests.belvedere.small_store import Belvedere
from tests.llm.scripted_openai_server import says, scripted_server
from tests.model_clients.chat.chat_requests import a_request

SETTINGS = Settings(llm=LlmSettings(model="m", tasks=TaskSettings(answers=True, judge="other")))


def test_a_knowledge_base_has_a_model_for_each_task_that_is_on(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path, config=SETTINGS) as kb:
        models = kb.language_models
        assert models.answers is not None
        assert models.answers.model_id == "m"
        assert models.of("judge") is models.judge
        assert [model.model_id for model in models] == ["m", "other"]
        assert models.extraction is None


def test_tasks_are_named_for_one_knowledge_base(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path, config=SETTINGS, llm=["rewriting"]) as kb:
        assert kb.language_models.answers is None
        assert kb.language_models.rewriting is not None
    with KnowledgeBase.open(tmp_path, config=SETTINGS, llm=["none"]) as kb:
        assert not list(kb.language_models)
    with pytest.raises(ConfigError, match="no task 'writing'"):
        KnowledgeBase.open(tmp_path, config=SETTINGS, llm=["writing"])


def test_calls_go_over_http_and_connections_close(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k-1")
    with scripted_server(says("hill")) as server:
        settings = replace(SETTINGS, llm=replace(SETTINGS.llm, base_url=server.base_url))
        for _ in range(2):
            with KnowledgeBase.open(tmp_path, config=settings) as kb:
                assert kb.language_models.answers is not None
                assert kb.language_models.answers.ask(a_request()).text == "hill"
                assert "".join(kb.language_models.answers.stream(a_request("another"))) == "hill"


@pytest.mark.parametrize("command", [["ask", "why?"], ["search", "why?"], ["context", "why?"], ["index", "."]])
def test_a_task_that_is_none_is_a_mistake_of_one_sentence(
    belvedere: Belvedere, tmp_path: Path, command: list[str]
) -> None:
    outcome = belvedere(*command, "--store", tmp_path / "s", "--llm", "answer")
    assert outcome.code == 2
    assert "no task 'answer'" in outcome.err
    assert outcome.err.count("\n") == 1
    assert belvedere(*command, "--store", tmp_path / "s", "--llm", " , ").code == 2


def test_a_task_without_a_model_is_a_mistake_of_one_sentence(belvedere: Belvedere, tmp_path: Path) -> None:
    outcome = belvedere("index", tmp_path, "--store", tmp_path / "s", "--llm", "extraction,reports")
    assert outcome.code == 2
    assert "tasks.extraction is on, but model names no language model" in outcome.err


def test_evaluation_takes_the_option_too(belvedere: Belvedere, tmp_path: Path) -> None:
    outcome = belvedere("eval", tmp_path, "--llm", "answers")
    assert outcome.code == 2
    assert "names no language model" in outcome.err
