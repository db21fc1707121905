"""The client over HTTP, against a server that replies what it is told."""

import asyncio
import json
import logging
import time
from dataclasses import replace

import pytest
from pydantic import BaseModel

from model_clients.chat import capped_client
from model_clients.chat.errors import (
    ChatFailed,
    EndpointBusy,
    EndpointFailed,
    EndpointUnusable,
    ReplyUnusable,
    RequestTooLong,
)
from model_clients.chat.openai_chat_model import OpenAiChatModel
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.settings import LlmSettings, ModelPrice
from tests.llm.scripted_openai_server import (
    Asked,
    Replied,
    Reply,
    Script,
    ScriptedOpenAiServer,
    cut_off,
    fails,
    never_ends,
    raw,
    refuses,
    says,
    silent_stream,
)
from tests.model_clients.chat.chat_requests import a_request
from tests.model_clients.chat.http_calls import KEY, Way, both_ways, complete, settings_for, stream, whole


class _Answer(BaseModel):
    word: str


@both_ways
def test_a_reply_comes_with_its_counts_and_its_price(server: ScriptedOpenAiServer, way: Way) -> None:
    settings = settings_for(server, prices={"m": ModelPrice(prompt=2.0, reply=10.0)})
    reply = way(settings, a_request("which word?"))
    assert (reply.text, reply.model, reply.finish) == ("hill", "m", "stop")
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.reply_tokens) == (1, 11, 7)
    assert reply.usage.cost == pytest.approx((11 * 2 + 7 * 10) / 1e6)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["messages"] == [{"role": "user", "content": "which word?"}]
    assert (asked.body["model"], asked.body["max_tokens"], asked.body["temperature"]) == ("m", 50, 0.0)


@both_ways
def test_tokens_that_are_not_counted_are_estimated(server: ScriptedOpenAiServer, way: Way) -> None:
    server.script = says("a hill of twenty-one.", usage=None)
    usage = way(settings_for(server), a_request("x" * 300)).usage
    assert (usage.prompt_tokens, usage.reply_tokens) == (105, 7)


def test_a_stream_comes_in_pieces_and_ends_with_the_whole(server: ScriptedOpenAiServer) -> None:
    server.script = says("one hill and another")
    pieces, reply = stream(settings_for(server), a_request())
    assert len(pieces) == 4
    assert "".join(pieces) == reply.text == "one hill and another"


@both_ways
@pytest.mark.parametrize(("finish", "known"), [("stop", "stop"), ("length", "length"), ("content_filter", "refused")])
def test_how_a_reply_ended_is_told(server: ScriptedOpenAiServer, way: Way, finish: str, known: str) -> None:
    server.script = says("hi", finish=finish)
    assert way(settings_for(server), a_request()).finish == known


def test_a_refusal_is_marked(server: ScriptedOpenAiServer) -> None:
    server.script = refuses("I will not.")
    reply = complete(settings_for(server), a_request())
    assert (reply.text, reply.finish) == ("I will not.", "refused")


@both_ways
@pytest.mark.parametrize("status", [429, 500, 502, 503, 529, 408])
def test_what_may_work_in_a_moment_is_told_apart(server: ScriptedOpenAiServer, way: Way, status: int) -> None:
    server.script = fails(status, "slow down", retry_after="7")
    with pytest.raises(EndpointBusy, match=f"HTTP {status}: slow down") as caught:
        way(settings_for(server), a_request())
    assert caught.value.retry_after_s == 7.0
    assert len(server.asked) == 1


@both_ways
@pytest.mark.parametrize(
    ("reply", "kind", "sentence"),
    [
        (fails(401, f"Incorrect key {KEY[:8]}...{KEY[-4:]}"), EndpointUnusable, "refuses the key .HTTP 401."),
        (fails(403), EndpointUnusable, r"refuses the key .HTTP 403.: .* variable OPENAI_API_KEY holds$"),
        (fails(404, "no such model"), EndpointUnusable, "knows no model 'm'.*no such model"),
        (fails(429, "pay", code="insufficient_quota"), EndpointUnusable, "paid first"),
        (
            fails(400, "This model's maximum context length is 4096 tokens"),
            RequestTooLong,
            "more was sent than 'm' reads",
        ),
        (fails(400, "x", code="context_length_exceeded"), RequestTooLong, "reads"),
        (fails(413, "large"), RequestTooLong, "large"),
        (fails(400, "bad request"), EndpointFailed, "HTTP 400.: bad request"),
        (raw(b"<html>not JSON</html>"), EndpointBusy, "no reply of its protocol|failed|broke off"),
        (cut_off(40), EndpointBusy, "no connection|broke off|failed"),
    ],
)
def test_every_fault_is_one_sentence_of_its_kind(
    server: ScriptedOpenAiServer, way: Way, reply: Reply, kind: type[Exception], sentence: str
) -> None:
    server.script = reply
    with pytest.raises(kind, match=sentence) as caught:
        way(settings_for(server), a_request())
    assert type(caught.value) is kind
    message = str(caught.value)
    assert "\n" not in message
    assert KEY[:8] not in message
    assert KEY[-4:] not in message


def test_an_endpoint_that_wants_a_key_where_there_is_none_says_so(
    server: ScriptedOpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", "")
    server.script = fails(401)
    with pytest.raises(EndpointUnusable, match=r"wants a key .HTTP 401., and .* variable OTHER_KEY holds none"):
        complete(replace(settings_for(server), api_key_env="OTHER_KEY"), a_request())


def test_a_reply_without_a_message_is_unusable(server: ScriptedOpenAiServer) -> None:
    for content in (
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b"[]",
        b'"text"',
        b'{"choices": [{"message": null}]}',
    ):
        server.script = raw(content)
        with pytest.raises(ChatFailed):
            complete(settings_for(server), a_request())


@both_ways
def test_a_slow_endpoint_is_not_waited_for_without_end(server: ScriptedOpenAiServer, way: Way) -> None:
    server.script = says("late", delay_s=3.0)
    start = time.monotonic()
    with pytest.raises(EndpointBusy, match=r"within 0\.3 s"):
        way(settings_for(server, timeout_s=0.3), a_request())
    assert time.monotonic() - start < 2.5


@both_ways
def test_a_reply_that_never_ends_is_left(
    server: ScriptedOpenAiServer, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capped_client, "MOST_BYTES", 1_000_000)
    server.script = never_ends()
    with pytest.raises(ReplyUnusable, match=r"does not end|goes on"):
        way(settings_for(server), a_request())


def test_a_fault_whose_telling_never_ends_is_left(
    server: ScriptedOpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capped_client, "MOST_BYTES", 1_000_000)
    server.script = lambda _: Replied(status=500, content=b"x" * 10_000, endless=True)
    with pytest.raises(ChatFailed):
        complete(settings_for(server), a_request())


def test_a_stream_without_text_is_left(server: ScriptedOpenAiServer) -> None:
    server.script = silent_stream()
    with pytest.raises(EndpointBusy, match="within"):
        stream(settings_for(server, timeout_s=0.3), a_request())


def test_a_whole_reply_beyond_the_limit_is_unusable(server: ScriptedOpenAiServer) -> None:
    server.script = says("long " * 1000)
    with pytest.raises(ReplyUnusable, match="10 tokens"):
        complete(settings_for(server), a_request(max_tokens=10))


def test_nobody_there_is_told_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EndpointBusy, match=r"no connection to http://127\.0\.0\.1:9/v1"):
        complete(LlmSettings(base_url="http://127.0.0.1:9/v1"), a_request())


def test_the_key_stands_in_no_log_and_no_error(server: ScriptedOpenAiServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for echo in (400, 404, 500):
        server.script = fails(echo, f"you sent Bearer {KEY}")
        with pytest.raises((ChatFailed, EndpointUnusable)) as caught:
            complete(settings_for(server), a_request())
        assert KEY not in str(caught.value)
        assert "[key]" in str(caught.value)
        assert KEY not in repr(caught.value.__dict__)
    assert KEY not in caplog.text


def test_a_schema_is_sent_in_its_strict_form(server: ScriptedOpenAiServer) -> None:
    complete(settings_for(server), a_request(schema=_Answer.model_json_schema()))
    form = server.asked[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    }


def _takes_only(*forms: str) -> Reply:
    def reply(asked: Asked) -> Replied:
        form = asked.body.get("response_format", {}).get("type", "text")
        answer = says('{"word": "hill"}') if form in forms else fails(400, f"response_format: {form} is not supported")
        return answer(asked)

    return reply


@pytest.mark.parametrize(("known", "tries"), [("json_schema", 1), ("json_object", 2), ("text", 3)])
def test_a_refused_form_is_given_up_once_and_remembered(server: ScriptedOpenAiServer, known: str, tries: int) -> None:
    server.script = _takes_only(known, "text")
    settings, request = settings_for(server), a_request(schema=_Answer.model_json_schema())
    assert complete(settings, request).text == '{"word": "hill"}'
    assert len(server.asked) == tries
    complete(settings, request)
    assert len(server.asked) == tries + 1
    last = server.asked[-1]
    assert last.body.get("response_format", {}).get("type", "text") == known
    # Where the endpoint holds nothing to the schema, the messages tell it.
    assert ('"word"' in last.text) == (known != "json_schema")


def test_a_form_that_the_settings_chose_is_kept(server: ScriptedOpenAiServer) -> None:
    server.script = _takes_only("text")
    with pytest.raises(EndpointFailed, match="json_object is not supported"):
        complete(settings_for(server, structured="json_object"), a_request(schema=_Answer.model_json_schema()))
    assert len(server.asked) == 1


def _knows_new_names_only(asked: Asked) -> Replied:
    if "max_tokens" in asked.body:
        return fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")(asked)
    if "temperature" in asked.body:
        return fails(400, "Unsupported value: 'temperature' does not support 0.0 with this model.")(asked)
    return says("hill")(asked)


def test_parameters_that_a_model_does_not_take_are_put_otherwise(server: ScriptedOpenAiServer) -> None:
    server.script = _knows_new_names_only
    assert complete(settings_for(server), a_request()).text == "hill"
    assert server.asked[-1].body["max_completion_tokens"] == 50
    assert len(server.asked) == 3


def test_a_stream_whose_counts_are_refused_goes_without(server: ScriptedOpenAiServer) -> None:
    def script(asked: Asked) -> Replied:
        refused = "stream_options" in asked.body
        return (fails(400, "Unknown parameter: stream_options") if refused else says("hill"))(asked)

    server.script = script
    assert whole(settings_for(server), a_request()).text == "hill"


@pytest.mark.parametrize("script", [says("a"), [fails(429), says("b")]])
def test_one_client_serves_loop_after_loop(server: ScriptedOpenAiServer, script: Script) -> None:
    server.script = script
    settings = settings_for(server)
    model = OpenAiChatModel(OpenAiClient(settings), "m", settings)

    async def run() -> str:
        try:
            return (await model.complete(a_request())).text
        except EndpointBusy:
            return "busy"
        finally:
            await model.close()

    assert [asyncio.run(run()) for _ in range(2)] == (["a", "a"] if callable(script) else ["busy", "b"])


def _choice(**given: object) -> dict[str, object]:
    return {"choices": [{"message": {"content": "hill"}, "finish_reason": "stop", **given}]}


DEEP = b"[" * 50_000 + b"]" * 50_000


@pytest.mark.parametrize(
    "content",
    [
        *({"choices": choices} for choices in ("abc", {"0": 1}, 5, ["a"], [[1]], [None])),
        _choice(message="hill"),
        _choice(message=[1]),
        b'{"choices":' + DEEP + b"}",
        b"5",
    ],
    ids=str,
)
def test_a_reply_of_wrong_types_is_one_failed_call(server: ScriptedOpenAiServer, content: object) -> None:
    server.script = raw(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ChatFailed):
        complete(settings_for(server), a_request())


@pytest.mark.parametrize(
    "usage",
    [
        "lots",
        [1],
        {"prompt_tokens": "5", "completion_tokens": {}},
        {"prompt_tokens": -(10**9), "completion_tokens": -5},
        {"prompt_tokens": 10**400, "completion_tokens": 10**400},
        {"prompt_tokens": float("nan"), "completion_tokens": float("inf")},
        {"prompt_tokens": 0, "completion_tokens": 0},
    ],
    ids=str,
)
@both_ways
def test_counts_that_can_be_none_are_estimated(server: ScriptedOpenAiServer, way: Way, usage: object) -> None:
    def script(asked: Asked) -> Replied:
        if asked.body.get("stream"):
            event = {"choices": [{"delta": {"content": "hill"}, "finish_reason": "stop"}], "usage": usage}
            return Replied(pieces=[b"data: " + json.dumps(event).encode() + b"\n\n"])
        return Replied(content={**_choice(), "usage": usage})

    server.script = script
    reply = way(settings_for(server), a_request("x" * 300))
    assert (reply.text, reply.usage.prompt_tokens, reply.usage.reply_tokens) == ("hill", 105, 2)


@pytest.mark.parametrize("event", [b'{"choices":"abc"}', b'{"choices":[{"delta":"abc"}]}', b'{"choices":{"0":1}}'])
def test_an_event_of_wrong_types_says_nothing(server: ScriptedOpenAiServer, event: bytes) -> None:
    good = b'{"choices":[{"delta":{"content":"hill"},"finish_reason":"stop"}]}'
    server.script = lambda _: Replied(pieces=[b"data: " + part + b"\n\n" for part in (event, good)])
    assert whole(settings_for(server), a_request()).text == "hill"


def test_an_event_nested_without_end_is_one_failed_call(server: ScriptedOpenAiServer) -> None:
    server.script = lambda _: Replied(pieces=[b"data: " + DEEP + b"\n\n"])
    with pytest.raises(ChatFailed):
        stream(settings_for(server), a_request())


def test_half_a_character_is_replaced(server: ScriptedOpenAiServer) -> None:
    server.script = says("a \ud800 hill")
    assert complete(settings_for(server), a_request()).text == "a \ufffd hill"


def test_the_text_of_a_list_of_parts_is_read(server: ScriptedOpenAiServer) -> None:
    server.script = raw(json.dumps(_choice(message={"content": [{"type": "text", "text": "hill"}, 5]})).encode())
    assert complete(settings_for(server), a_request()).text == "hill"
