"""Limits: calls at once, calls and tokens within a minute."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from model_clients.chat.limited_model import EndpointLimits, LimitedChatModel
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from tests.model_clients.chat.chat_model_contract import ChatModelContract
from tests.model_clients.chat.chat_requests import a_request


class TestContract(ChatModelContract):
    @pytest.fixture
    def make(self) -> Callable[[ChatModel], ChatModel]:
        return lambda model: LimitedChatModel(model, EndpointLimits(concurrency=2))


@dataclass
class Clock:
    """A clock that only sleeping moves."""

    now: float = 1000.0
    begun: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def begin_times(clock: Clock, limits: EndpointLimits, calls: int, *, max_tokens: int = 50) -> list[float]:
    def script(_: ChatRequest) -> str:
        clock.begun.append(clock.now)
        return "hill"

    async def run() -> None:
        model = LimitedChatModel(ScriptedChatModel(script), limits)
        await asyncio.gather(*(model.complete(a_request(max_tokens=max_tokens)) for _ in range(calls)))

    asyncio.run(run())
    return [begun - 1000.0 for begun in clock.begun]


def test_no_more_calls_begin_within_a_minute_than_allowed() -> None:
    clock = Clock()
    limits = EndpointLimits(concurrency=50, requests_per_minute=3, clock=clock, sleep=clock.sleep)
    assert begin_times(clock, limits, 7) == [0.0, 0.0, 0.0, 60.0, 60.0, 60.0, 120.0]


def test_no_more_tokens_are_asked_for_within_a_minute_than_allowed() -> None:
    clock = Clock()
    # A call holds back about 60 tokens until it is known that it took 3.
    limits = EndpointLimits(concurrency=1, tokens_per_minute=65, clock=clock, sleep=clock.sleep)
    assert begin_times(clock, limits, 4) == [0.0, 0.0, 0.0, 60.0]


def test_a_call_of_more_tokens_than_allowed_goes_alone_and_not_never() -> None:
    clock = Clock()
    limits = EndpointLimits(concurrency=5, tokens_per_minute=10, clock=clock, sleep=clock.sleep)
    assert begin_times(clock, limits, 2, max_tokens=1000) == [0.0, 60.0]


class _Counts:
    model_id = "m"

    def __init__(self) -> None:
        self.now = self.most = 0

    async def complete(self, request: ChatRequest) -> ChatReply:  # noqa: ARG002  # the protocol's
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        return ChatReply(text="x", model="m")

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        yield await self.complete(request)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_no_more_calls_are_under_way_than_allowed(concurrency: int) -> None:
    inner = _Counts()

    async def run() -> None:
        model = LimitedChatModel(inner, EndpointLimits(concurrency=concurrency))
        await asyncio.gather(*(model.complete(a_request()) for _ in range(20)))

    asyncio.run(run())
    assert inner.most == concurrency


def test_a_call_that_is_given_up_leaves_its_place() -> None:
    async def run() -> str:
        limits = EndpointLimits(concurrency=1)
        async with limits.turn(1):
            waiting = asyncio.ensure_future(LimitedChatModel(_Counts(), limits).complete(a_request()))
            await asyncio.sleep(0)
            waiting.cancel()
        return (await asyncio.wait_for(LimitedChatModel(_Counts(), limits).complete(a_request()), 1)).text

    assert asyncio.run(run()) == "x"
