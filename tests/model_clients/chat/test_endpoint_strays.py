"""Endpoints that send callers elsewhere, pack what they send, count what cannot be, or are no endpoints."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from model_clients.api_embedder import ApiEmbedder
from model_clients.chat.endpoint import Endpoint
from model_clients.chat.errors import EndpointBusy, EndpointFailed, EndpointUnusable, ReplyUnusable
from model_clients.chat.settings import LlmSettings, ModelPrice
from model_clients.settings import EmbedderSettings
from tests.llm.scripted_openai_server import Replied, ScriptedOpenAiServer, raw, says, scripted_server
from tests.model_clients.chat.chat_requests import a_request
from tests.model_clients.chat.http_calls import Way, both_ways, complete, settings_for

DEAD_PROXY = "http://127.0.0.1:9"


@pytest.fixture
def elsewhere() -> Iterator[ScriptedOpenAiServer]:
    with scripted_server(says("from elsewhere")) as server:
        yield server


@both_ways
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_what_is_for_one_address_is_sent_to_no_other(
    server: ScriptedOpenAiServer, elsewhere: ScriptedOpenAiServer, way: Way, status: int
) -> None:
    there = {"Location": f"{elsewhere.base_url}/chat/completions?token=secret"}
    server.script = lambda _: Replied(status=status, headers=there)
    with pytest.raises(EndpointUnusable, match=rf"another address \(http://127\.0\.0\.1\) \(HTTP {status}\)"):
        way(settings_for(server), a_request("a secret"))
    assert (len(server.asked), elsewhere.asked) == (1, [])


def test_texts_to_embed_are_sent_to_no_other_address(
    server: ScriptedOpenAiServer, elsewhere: ScriptedOpenAiServer
) -> None:
    server.script = lambda _: Replied(status=307, headers={"Location": f"{elsewhere.base_url}/embeddings"})
    embedder = ApiEmbedder("m", EmbedderSettings(model="openai:m", base_url=server.base_url))
    with pytest.raises(EndpointUnusable, match="sends callers on"):
        embedder.embed_question("a secret")
    embedder.close()
    assert elsewhere.asked == []


@both_ways
def test_a_server_on_this_machine_is_asked_without_a_proxy(
    server: ScriptedOpenAiServer, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, DEAD_PROXY)
    assert way(settings_for(server), a_request()).text == "hill"


def test_a_proxy_that_is_in_the_way_is_named(server: ScriptedOpenAiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", DEAD_PROXY)
    monkeypatch.delenv("no_proxy", raising=False)
    settings = replace(settings_for(server), base_url="http://models.test/v1")
    with pytest.raises(EndpointBusy, match=r"no connection to http://models\.test/v1 by the proxy of HTTP_PROXY"):
        complete(settings, a_request())


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.9.0.1/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://localhost.example/v1", False),
        ("http://10.0.0.1/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_which_addresses_are_of_this_machine(address: str, is_local: bool) -> None:
    assert Endpoint(base_url=address, key="none", key_variable="K").is_local == is_local


@both_ways
def test_packed_replies_are_not_read(server: ScriptedOpenAiServer, way: Way) -> None:
    bomb = gzip.compress(b'{"choices": [{"message": {"content": "' + b"x" * 5_000_000)
    server.script = lambda _: Replied(headers={"Content-Encoding": "gzip"}, content=bomb)
    with pytest.raises(EndpointFailed, match=r"packs its replies \(gzip\)"):
        way(settings_for(server), a_request())


@both_ways
def test_a_count_far_beyond_what_was_sent_and_asked_for_is_none(server: ScriptedOpenAiServer, way: Way) -> None:
    settings = settings_for(server, prices={"m": ModelPrice(prompt=1.0, reply=1.0)})
    server.script = says("hill", usage=(99_999_999, 99_999_999))
    used = way(settings, a_request("x" * 300)).usage
    assert (used.estimated, used.prompt_tokens, used.reply_tokens) == (1, 105, 2)
    server.script = says("hill", usage=(9_000, 9_000))
    used = way(settings, a_request("x" * 300)).usage
    assert (used.estimated, used.prompt_tokens, used.reply_tokens) == (0, 9_000, 9_000), (
        "prompts and thoughts of its own"
    )


def test_what_is_said_in_the_place_of_a_reply_is_told_without_the_key(server: ScriptedOpenAiServer) -> None:
    settings: LlmSettings = settings_for(server)
    error = {"error": {"message": "the queue of sk-test-0123456789abcdefghij is full"}}
    server.script = raw(json.dumps(error).encode())
    with pytest.raises(ReplyUnusable, match=r"without any message: the queue of \[key\] is full"):
        complete(settings, a_request())


def test_a_page_in_the_place_of_a_reply_asks_about_the_address(server: ScriptedOpenAiServer) -> None:
    server.script = raw(b"<html>welcome</html>")
    with pytest.raises(EndpointBusy, match=r"does its address end in /v1\?"):
        complete(settings_for(server), a_request())
