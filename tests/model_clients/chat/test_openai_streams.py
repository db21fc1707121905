"""Streams of servers that do not stream, and of such as never stop."""

import json
import time

import pytest

from model_clients.chat.errors import ChatFailed, EndpointBusy, EndpointFailed, ReplyUnusable
from model_clients.chat.openai_chat_model import OpenAiChatModel
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.retrying_model import RetryingChatModel
from model_clients.chat.task_model import TaskModel
from tests.llm.scripted_openai_server import (
    Asked,
    Replied,
    Reply,
    ScriptedOpenAiServer,
    event,
    raw,
    refuses,
    says,
)
from tests.model_clients.chat.chat_requests import a_request
from tests.model_clients.chat.http_calls import settings_for, stream, whole


def whatever_is_asked(reply: Reply) -> Reply:
    """Reply as if no stream had been asked for."""
    return lambda asked: reply(
        Asked(number=asked.number, path=asked.path, headers=asked.headers, body={**asked.body, "stream": False})
    )


def test_a_whole_reply_to_a_stream_is_one_piece(server: ScriptedOpenAiServer) -> None:
    server.script = whatever_is_asked(says("one hill and another"))
    pieces, reply = stream(settings_for(server), a_request())
    assert pieces == [reply.text] == ["one hill and another"]
    assert (reply.finish, reply.usage.prompt_tokens, reply.usage.reply_tokens) == ("stop", 11, 7)


def test_a_whole_refusal_to_a_stream_is_one(server: ScriptedOpenAiServer) -> None:
    server.script = whatever_is_asked(refuses("I will not."))
    assert whole(settings_for(server), a_request()).finish == "refused"


@pytest.mark.parametrize("body", [b'{"choices": []}', b"[]", b'{"error": {"message": "no"}}', b'"text"', b"5"])
def test_json_that_is_no_reply_is_one_failed_call(server: ScriptedOpenAiServer, body: bytes) -> None:
    server.script = raw(body)
    with pytest.raises(ReplyUnusable, match="without any message") as caught:
        stream(settings_for(server), a_request())
    assert caught.value.usage.calls == 1


@pytest.mark.parametrize("body", [b"", b"{", b"<html>"])
def test_what_is_no_json_under_its_name_is_one_failed_call(server: ScriptedOpenAiServer, body: bytes) -> None:
    server.script = raw(body)
    with pytest.raises(ChatFailed):
        stream(settings_for(server), a_request())


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "text/plain", "text/event-stream"])
def test_events_are_read_under_whatever_name(server: ScriptedOpenAiServer, kind: str) -> None:
    server.script = lambda asked: Replied(pieces=says("one hill")(asked).pieces, headers={"Content-Type": kind})
    assert whole(settings_for(server), a_request()).text == "one hill"


def test_a_drip_without_end_ends_and_what_came_is_told(server: ScriptedOpenAiServer) -> None:
    server.script = lambda _: Replied(pieces=[event({"content": "drip "}, None)], endless=True, delay_s=0.05)
    settings = settings_for(server, stream_timeout_s=0.5, retries=3)
    model = TaskModel(RetryingChatModel(OpenAiChatModel(OpenAiClient(settings), "m", settings), retries=3))
    start, pieces = time.monotonic(), list[str]()
    with pytest.raises(EndpointFailed, match=r"still sending its reply after 0\.5 s; llm\.stream_timeout_s") as caught:
        pieces.extend(model.stream(a_request()))
    assert time.monotonic() - start < 3
    assert len(server.asked) == 1, "what has begun is not begun again"
    assert caught.value.usage.reply_tokens > 0
    assert caught.value.usage.estimated == 1


def test_a_drip_without_text_is_tried_once_more_and_ends(server: ScriptedOpenAiServer) -> None:
    server.script = lambda _: Replied(pieces=[event({"role": "assistant"}, None)], endless=True, delay_s=0.05)
    with pytest.raises(EndpointBusy, match="still sending") as caught:
        stream(settings_for(server, stream_timeout_s=0.3), a_request())
    assert caught.value.timed_out


def test_a_silence_counts_against_the_whole_time_too(server: ScriptedOpenAiServer) -> None:
    quiet = Replied(pieces=[event({"content": "a"}, None), b": wait\n\n"], endless=True, delay_s=0.02)
    server.script = lambda _: quiet
    with pytest.raises(EndpointBusy, match=r"llm\.stream_timeout_s"):
        stream(settings_for(server, timeout_s=30.0, stream_timeout_s=0.3), a_request())


def test_time_in_which_nobody_reads_does_not_count(server: ScriptedOpenAiServer) -> None:
    server.script = says("one hill and another")
    settings = settings_for(server, stream_timeout_s=0.4)
    text = TaskModel(OpenAiChatModel(OpenAiClient(settings), "m", settings)).stream(a_request())
    first = next(text)
    time.sleep(0.6)
    assert first + "".join(text) == "one hill and another"


def test_pieces_of_json_in_lines_are_no_reply(server: ScriptedOpenAiServer) -> None:
    line = json.dumps({"choices": [{"delta": {"content": "hill"}}]}).encode() + b"\n"
    server.script = lambda _: Replied(content=line * 3, headers={"Content-Type": "application/x-ndjson"})
    with pytest.raises(EndpointBusy, match="broke off"):
        stream(settings_for(server), a_request())
