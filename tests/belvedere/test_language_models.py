"""Tasks switched on by settings and for one call, over HTTP to a scripted server."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pydantic import BaseModel

from belvedere.config import ConfigError
from belvedere.knowledge_base import KnowledgeBase
from belvedere.language_models import replies_beside
from belvedere.settings import Settings
from belvedere.store_location import read_location
from model_clients.chat.errors import BudgetSpent
from model_clients.chat.messages import CallScope
from model_clients.chat.settings import BudgetSettings, LlmSettings, ModelPrice, TaskSettings
from model_clients.chat.task_model import StructuredReply
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere
from tests.llm.scripted_openai_server import fails, says, scripted_server
from tests.model_clients.chat.chat_requests import a_request


class _Word(BaseModel):
    word: str


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


def _reword(kb: KnowledgeBase, document: str, text: str) -> str:
    assert kb.language_models.rewriting is not None
    scope = CallScope(tenant="default", documents=(document,), unit=document)
    return kb.language_models.rewriting.ask(a_request(text, task="rewriting", scope=scope)).text


@pytest.mark.model
def test_what_a_deleted_or_changed_document_told_is_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    corpus, store = tmp_path / "corpus", tmp_path / "store"
    corpus.mkdir()
    for name in ("kept", "changed", "pruned", "deleted"):
        (corpus / f"{name}.txt").write_text(f"The {name} vault opens on Thursdays.", encoding="utf-8")
    with scripted_server(lambda asked: says(f"told of {asked.text}")(asked)) as server:
        llm = LlmSettings(base_url=server.base_url, tasks=TaskSettings(rewriting="m"))
        with KnowledgeBase.open(store, config=Settings(llm=llm, embedder=EmbedderSettings(model="hashing:64"))) as kb:
            kb.index(corpus)
            found = [document.id for document in kb.store.list_documents(kb.access)]
            names = ("kept", "changed", "pruned", "deleted")
            ids = {name: next(identifier for identifier in found if name in identifier) for name in names}
            for name, identifier in ids.items():
                _reword(kb, identifier, f"{name} secret")
            assert kb.status().kept_replies == 4
            (corpus / "changed.txt").write_text("Nothing opens any more.", encoding="utf-8")
            (corpus / "pruned.txt").unlink()
            kb.index(corpus, prune=True)
            kb.delete([ids["deleted"]])
            left = b"".join(path.read_bytes() for path in store.rglob("llm-replies*"))
            assert b"kept secret" in left
            for name in ("changed", "pruned", "deleted"):
                assert f"{name} secret".encode() not in left
            assert kb.status().kept_replies == 1


@pytest.mark.model
def test_a_deletion_keeps_what_documents_still_to_come_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an interrupted first run leaves them: replies made of documents that the store does not have yet."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    corpus, store = tmp_path / "corpus", tmp_path / "store"
    corpus.mkdir()
    for name in ("kept", "deleted"):
        (corpus / f"{name}.txt").write_text(f"The {name} vault opens on Thursdays.", encoding="utf-8")
    with scripted_server(lambda asked: says(f"told of {asked.text}")(asked)) as server:
        llm = LlmSettings(base_url=server.base_url, tasks=TaskSettings(rewriting="m"))
        with KnowledgeBase.open(store, config=Settings(llm=llm, embedder=EmbedderSettings(model="hashing:64"))) as kb:
            kb.index(corpus)
            for name in ("kept.txt", "deleted.txt", "to-come.txt"):
                _reword(kb, name, f"{name} secret")
            assert kb.delete(["deleted.txt"]).deleted == ("deleted.txt",)
            left = (store / "llm-replies.sqlite").read_bytes()
            assert [f"{name}.txt secret".encode() in left for name in ("kept", "deleted", "to-come")] == [
                True,
                False,
                True,
            ]
            (corpus / "deleted.txt").unlink()
            kb.index(corpus)
            assert b"to-come.txt secret" not in (store / "llm-replies.sqlite").read_bytes()


def test_money_stops_a_run_and_kept_replies_still_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server(says("x", usage=(1000, 1000))) as server:
        llm = LlmSettings(
            base_url=server.base_url,
            tasks=TaskSettings(rewriting="m"),
            prices={"m": ModelPrice(prompt=1.0, reply=1.0)},
            budget=BudgetSettings(money=0.003),
        )
        with KnowledgeBase.open(tmp_path, config=Settings(llm=llm)) as kb:
            _reword(kb, "d", "one")
            with pytest.raises(BudgetSpent, match=r"cost of 0\.002 in 1 calls"):
                _reword(kb, "d", "y" * 6000)
            assert _reword(kb, "d", "one") == "x"
        with KnowledgeBase.open(tmp_path, config=Settings(llm=llm)) as kb:
            assert _reword(kb, "d", "y" * 6000) == "x"
        assert len(server.asked) == 2


def test_an_endpoint_that_is_busy_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server([fails(429, retry_after="0"), fails(500), says("hill")]) as server:
        llm = LlmSettings(base_url=server.base_url, tasks=TaskSettings(rewriting="m"))
        with KnowledgeBase.open(tmp_path, config=Settings(llm=llm)) as kb:
            assert _reword(kb, "d", "one") == "hill"
        assert len(server.asked) == 3


def test_no_more_calls_are_under_way_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server(says('{"word": "x"}', delay_s=0.05)) as server:
        llm = LlmSettings(base_url=server.base_url, tasks=TaskSettings(rewriting="m"), concurrency=3)
        with KnowledgeBase.open(tmp_path, config=Settings(llm=llm)) as kb:
            assert kb.language_models.rewriting is not None
            replies = kb.language_models.rewriting.ask_all_for([a_request(f"n{n}") for n in range(10)], _Word)
        assert all(isinstance(reply, StructuredReply) for reply in replies)
        assert server.most_at_once == 3


@pytest.mark.parametrize(
    ("variables", "start"), [({"XDG_CACHE_HOME": "/caches"}, "/caches/belvedere/llm"), ({}, "~/.cache/belvedere/llm")]
)
def test_replies_for_a_server_are_kept_in_the_cache_folder_of_the_user(variables: dict[str, str], start: str) -> None:
    server = read_location("neo4j://a:1/d")
    places = {replies_beside(server, partial(str, name), variables).path for name in ("one", "two")}
    assert len(places) == 2
    assert all(str(place).startswith(str(Path(start).expanduser())) for place in places)
