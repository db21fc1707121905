"""One store on a server, asked by addresses that are written differently: its replies and conversations are one."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from belvedere.conversation_files import conversation_folder
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.store_copy import copy_store
from belvedere.store_location import read_location
from belvedere.wiring import open_to_read
from model_clients.chat.messages import CallScope
from model_clients.chat.settings import LlmSettings, TaskSettings
from model_clients.errors import ModelClientError
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere
from tests.belvedere.test_model_indexing import FACTS
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, fails, says, scripted_server
from tests.model_clients.chat.chat_requests import a_request
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.model]

Opened = Callable[[str], AbstractContextManager[KnowledgeBase]]


@pytest.fixture
def spellings(neo4j_server: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Addresses of one empty database; what is kept outside it lies in a folder of the test."""
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "in").mkdir()
    for name in ("vault", "harbour"):
        (tmp_path / "in" / f"{name}.txt").write_text(f"The {name} of Bergen opens on Thursdays.", encoding="utf-8")
    empty_database(neo4j_server, indexes=True)
    host = f"127.0.0.1:{neo4j_server.port}"
    yield [f"bolt://{host}", f"neo4j://{host}/NEO4J", f"bolt://localhost:{neo4j_server.port}/neo4j"]
    empty_database(neo4j_server, indexes=True)


def opener(server: ScriptedOpenAiServer, tasks: TaskSettings) -> Opened:
    # One call at a time: which of two is the second one is then certain.
    llm = LlmSettings(base_url=server.base_url, tasks=tasks, concurrency=1)
    settings = Settings(llm=llm, embedder=EmbedderSettings(model="hashing:64"))
    return lambda place: KnowledgeBase.open(place, config=settings)


def reword(kb: KnowledgeBase, document: str) -> None:
    assert kb.language_models.rewriting is not None
    scope = CallScope(tenant="default", documents=(document,), unit=document)
    kb.language_models.rewriting.ask(a_request(f"secret of {document}", task="rewriting", scope=scope))


def test_what_is_deleted_by_one_address_is_kept_under_no_other(spellings: list[str], tmp_path: Path) -> None:
    with scripted_server(lambda asked: says(f"told of {asked.text}")(asked)) as server:
        opened = opener(server, TaskSettings(rewriting="m"))
        with opened(spellings[0]) as kb:
            kb.index(tmp_path / "in")
            for name in ("vault.txt", "harbour.txt"):
                reword(kb, name)
            kb.chat("work").ask("When does the vault of Bergen open?")
        for place in spellings:
            with opened(place) as kb:
                reword(kb, "vault.txt")
                assert kb.status().kept_replies == 2
                assert [turn.question for turn in kb.conversations.read("work")] == [
                    "When does the vault of Bergen open?"
                ]
        assert len(server.asked) == 2, "replies are paid once, whatever the store is called"
        with opened(spellings[-1]) as kb:
            assert kb.delete(["vault.txt"]).deleted == ("vault.txt",)
        (file,) = (tmp_path / "cache").rglob("llm-replies.sqlite")
        assert b"secret of vault" not in file.read_bytes()
        assert b"secret of harbour" in file.read_bytes()
        (kept,) = conversation_folder().rglob("*.json")
        assert "Thursdays" not in kept.read_text(encoding="utf-8")


def test_replies_of_a_first_run_that_was_interrupted_are_found_again(spellings: list[str], tmp_path: Path) -> None:
    def script(asked: Asked) -> Replied:
        return (says(json.dumps(FACTS)) if len(server.asked) != 2 else fails(401))(asked)

    with scripted_server(script) as server:
        opened = opener(server, TaskSettings(extraction="m"))
        with opened(spellings[0]) as kb, pytest.raises(ModelClientError):
            kb.index(tmp_path / "in")
        with opened(spellings[1]) as kb:
            kb.index(tmp_path / "in")
            assert kb.status().kept_replies == 2
        texts = [asked.text for asked in server.asked]
        assert len(texts) - len(set(texts)) == 1, "only what was refused is asked again"


def test_a_copy_shares_nothing_with_its_origin(spellings: list[str], tmp_path: Path) -> None:
    settings = Settings(embedder=EmbedderSettings(model="hashing:64"))
    with KnowledgeBase.open(tmp_path / "store", config=settings) as kb:
        kb.index(tmp_path / "in")
        kb.chat("work").ask("When does the vault of Bergen open?")
    copy_store(tmp_path / "store", read_location(spellings[0]), settings)
    copy_store(read_location(spellings[1]), tmp_path / "back", settings)
    places = [tmp_path / "store", *map(read_location, spellings), tmp_path / "back"]
    stores = [open_to_read(place, settings) for place in places]
    names = [store.identity for store in stores]
    for store in stores:
        store.close()
    assert len(set(names)) == 3
    for place in (spellings[0], tmp_path / "back"):
        with KnowledgeBase.open(place, config=settings) as kb:
            assert kb.conversations.read("work") == ()


def test_of_a_server_without_a_store_nothing_is_forgotten(spellings: list[str], belvedere: Belvedere) -> None:
    done = belvedere("ask", "--conversation", "work", "--forget", "--store", spellings[0])
    assert done.code == 2
    assert "there is no store" in done.err
