"""What an endpoint was paid for counts, whether or not anything came of it."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel

from model_clients.chat import capped_client
from model_clients.chat.budgeted_model import Budget, BudgetedChatModel
from model_clients.chat.errors import BudgetSpent, ChatFailed, EndpointBusy, EndpointFailed, ReplyUnusable
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage
from model_clients.chat.retrying_model import RetryingChatModel
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.settings import BudgetSettings, LlmSettings, ModelPrice
from model_clients.chat.task_model import TaskModel
from model_clients.chat.usage import MeteredChatModel, collected_usage
from tests.llm.scripted_openai_server import (
    Replied,
    Reply,
    ScriptedOpenAiServer,
    cut_off,
    event,
    fails,
    never_ends,
    raw,
    says,
)
from tests.model_clients.chat.chat_requests import a_request, streamed
from tests.model_clients.chat.http_calls import Way, both_ways, complete, settings_for, stream, whole

PRICE = ModelPrice(prompt=2.0, reply=10.0)
COUNTED = {"prompt_tokens": 30, "completion_tokens": 4}


class _Word(BaseModel):
    word: str


def failed_usage(way: Way, settings: LlmSettings, text: str = "x" * 300) -> TokenUsage:
    with pytest.raises(ChatFailed) as caught:
        way(settings, a_request(text))
    return caught.value.usage


def test_a_reply_without_choices_is_counted(server: ScriptedOpenAiServer) -> None:
    server.script = raw(json.dumps({"choices": [], "usage": COUNTED}).encode())
    used = failed_usage(complete, settings_for(server, prices={"m": PRICE}))
    assert (used.calls, used.estimated, used.prompt_tokens, used.reply_tokens) == (1, 0, 30, 4)
    assert used.cost == pytest.approx((30 * 2 + 4 * 10) / 1e6)


def test_a_reply_without_choices_and_counts_is_estimated_and_said_to_be(server: ScriptedOpenAiServer) -> None:
    server.script = raw(b'{"choices": []}')
    used = failed_usage(complete, settings_for(server))
    assert (used.calls, used.estimated, used.prompt_tokens, used.reply_tokens) == (1, 1, 105, 0)


def test_a_reply_beyond_its_limit_is_counted(server: ScriptedOpenAiServer) -> None:
    server.script = says("long " * 5000)
    used = failed_usage(complete, settings_for(server))
    assert (used.calls, used.prompt_tokens, used.reply_tokens) == (1, 11, 7)


@both_ways
def test_a_reply_that_never_ends_is_estimated(
    server: ScriptedOpenAiServer, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capped_client, "MOST_BYTES", 1_000_000)
    server.script = never_ends()
    used = failed_usage(way, settings_for(server))
    assert (used.calls, used.estimated, used.prompt_tokens) == (1, 1, 105)


@both_ways
def test_a_call_that_took_too_long_is_estimated(server: ScriptedOpenAiServer, way: Way) -> None:
    server.script = says("late", delay_s=2.0)
    used = failed_usage(way, settings_for(server, timeout_s=0.3))
    assert (used.calls, used.estimated, used.prompt_tokens) == (1, 1, 105)


def test_a_whole_reply_that_breaks_off_is_estimated(server: ScriptedOpenAiServer) -> None:
    server.script = cut_off(40)
    assert failed_usage(complete, settings_for(server)) == TokenUsage(calls=1, estimated=1, prompt_tokens=105)


@both_ways
@pytest.mark.parametrize("reply", [fails(429), fails(500), fails(400), cut_off(3, status=500)])
def test_what_the_endpoint_does_not_take_up_costs_nothing(server: ScriptedOpenAiServer, way: Way, reply: Reply) -> None:
    server.script = reply
    assert failed_usage(way, settings_for(server)) == TokenUsage()


def test_nobody_there_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert failed_usage(complete, LlmSettings(base_url="http://127.0.0.1:9/v1")) == TokenUsage()


@pytest.mark.parametrize("counts", [None, COUNTED])
def test_a_stream_that_breaks_off_counts_with_what_came(
    server: ScriptedOpenAiServer, counts: dict[str, int] | None
) -> None:
    pieces = [event({"content": "hill " * 6}, None)]
    server.script = lambda _: Replied(pieces=[*pieces, *([event({}, None, counts)] if counts else [])])
    used = failed_usage(whole, settings_for(server))
    told = (used.calls, used.estimated, used.prompt_tokens, used.reply_tokens)
    assert told == ((1, 0, 30, 4) if counts else (1, 1, 105, 10))


class _FailsOnce:
    """Breaks off the first time, after ``begun`` pieces of a stream, having used something."""

    model_id = "m"

    def __init__(self, error: ChatFailed) -> None:
        self._errors = [error]

    async def complete(self, request: ChatRequest) -> ChatReply:
        assert request.messages
        if self._errors:
            raise self._errors.pop()
        return ChatReply(text="x", model="m", usage=TokenUsage(calls=1, prompt_tokens=3, reply_tokens=1))

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        reply = await self.complete(request)
        yield reply.text
        yield reply


LOST = TokenUsage(calls=1, estimated=1, prompt_tokens=50)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_attempts_before_the_one_that_came_through_count_too(is_streamed: bool) -> None:
    async def at_once(_: float) -> None: ...

    model = RetryingChatModel(_FailsOnce(EndpointBusy("broke off", usage=LOST)), retries=1, sleep=at_once)

    async def run() -> ChatReply:
        return (await streamed(model.stream(a_request())))[1] if is_streamed else await model.complete(a_request())

    assert asyncio.run(run()).usage == TokenUsage(calls=2, estimated=1, prompt_tokens=53, reply_tokens=1)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_all_attempts_count_where_none_came_through(is_streamed: bool) -> None:
    async def at_once(_: float) -> None: ...

    def script(_: ChatRequest) -> str:
        raise EndpointBusy("broke off", usage=LOST)

    model = RetryingChatModel(ScriptedChatModel(script), retries=2, sleep=at_once)
    with pytest.raises(EndpointFailed) as caught:
        asyncio.run(streamed(model.stream(a_request())) if is_streamed else model.complete(a_request()))
    assert caught.value.usage == LOST + LOST + LOST


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_failed_call_counts_in_budgets_and_meters(is_streamed: bool) -> None:
    def script(_: ChatRequest) -> str:
        raise ReplyUnusable("no", usage=LOST)

    budget = Budget(BudgetSettings(tokens=100))
    model = MeteredChatModel(BudgetedChatModel(ScriptedChatModel(script), budget, PRICE))
    with collected_usage() as meter, pytest.raises(ReplyUnusable):
        asyncio.run(_either(model, is_streamed))
    assert budget.spent == LOST
    assert meter.by_task() == {"answers": LOST}
    assert meter.failures() == {"answers": 1}
    with pytest.raises(BudgetSpent):
        asyncio.run(_either(model, is_streamed))


async def _either(model: ChatModel, is_streamed: bool) -> object:
    return await (streamed(model.stream(a_request())) if is_streamed else model.complete(a_request()))


def test_a_failed_repair_tells_what_both_calls_used() -> None:
    model = TaskModel(ScriptedChatModel(lambda _: "no JSON at all"))
    with pytest.raises(ReplyUnusable) as caught:
        model.ask_for(a_request(), _Word)
    assert (caught.value.usage.calls, caught.value.usage.reply_tokens) == (2, 6)
    (failure,) = model.ask_all_for([a_request()], _Word)
    assert isinstance(failure, ReplyUnusable)
    assert failure.usage == caught.value.usage


def test_a_repair_that_cannot_be_made_tells_what_the_first_call_used() -> None:
    def script(request: ChatRequest) -> str:
        if len(request.messages) > 1:
            raise EndpointFailed("HTTP 500")
        return "no JSON at all"

    with pytest.raises(EndpointFailed) as caught:
        TaskModel(ScriptedChatModel(script)).ask_for(a_request(), _Word)
    assert (caught.value.usage.calls, caught.value.usage.reply_tokens) == (1, 3)


def test_an_empty_reply_tells_what_it_used() -> None:
    model = TaskModel(ScriptedChatModel(lambda _: "  "))
    for call in (lambda: model.ask(a_request("x" * 40)), lambda: list(model.stream(a_request("x" * 40)))):
        with pytest.raises(ReplyUnusable) as caught:
            call()
        assert (caught.value.usage.calls, caught.value.usage.prompt_tokens) == (1, 10)


def test_a_stream_that_is_left_tells_about_what_it_used() -> None:
    model = TaskModel(ScriptedChatModel(lambda _: "hill\n" * 9), PRICE)
    text = model.stream(a_request("x" * 300))
    assert next(text) == "hill\n"
    text.close()
    assert (text.usage.calls, text.usage.estimated, text.usage.prompt_tokens, text.usage.reply_tokens) == (1, 1, 105, 2)
    assert text.usage.cost == pytest.approx((105 * 2 + 2 * 10) / 1e6)
    whole_text = model.stream(a_request())
    assert len(list(whole_text)) == 9
    assert whole_text.usage.estimated == 0


def test_estimates_of_whole_replies_are_said_to_be(server: ScriptedOpenAiServer) -> None:
    server.script = says("hill", usage=None)
    assert stream(settings_for(server), a_request())[1].usage.estimated == 1
    server.script = says("hill")
    assert stream(settings_for(server), a_request())[1].usage.estimated == 0
