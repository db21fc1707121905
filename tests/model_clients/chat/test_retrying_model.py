"""Trying again: how often, how long to wait, and when to give up."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_clients.chat.endpoint_errors import retry_after
from model_clients.chat.errors import EndpointBusy, EndpointFailed
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest
from model_clients.chat.retrying_model import Outage, RetryingChatModel
from model_clients.chat.scripted_model import ScriptedChatModel
from tests.model_clients.chat.chat_model_contract import ChatModelContract
from tests.model_clients.chat.chat_requests import a_request, streamed


class TestContract(ChatModelContract):
    @pytest.fixture
    def make(self) -> Callable[[ChatModel], ChatModel]:
        return lambda model: RetryingChatModel(model, retries=3)


@dataclass
class Waits:
    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def busy_for(times: int, retry_after_s: float | None = None, *, timed_out: bool = False) -> ScriptedChatModel:
    def script(_: ChatRequest) -> str:
        if len(model.requests) <= times:
            raise EndpointBusy("slow down", retry_after_s=retry_after_s, timed_out=timed_out)
        return "hill"

    model = ScriptedChatModel(script)
    return model


def test_it_tries_again_until_a_reply_comes() -> None:
    waits, inner = Waits(), busy_for(3)
    reply = asyncio.run(RetryingChatModel(inner, retries=3, sleep=waits).complete(a_request()))
    assert reply.text == "hill"
    assert len(inner.requests) == 4
    assert len(waits.seconds) == 3


def test_what_took_too_long_is_tried_once_more_and_told(caplog: pytest.LogCaptureFixture) -> None:
    inner = busy_for(9, timed_out=True)
    with pytest.raises(EndpointFailed, match="after 2 attempts"):
        asyncio.run(RetryingChatModel(inner, retries=5, sleep=Waits()).complete(a_request()))
    assert len(inner.requests) == 2
    assert caplog.messages == ["slow down; trying again (attempt 2 of 2)"]


def test_waits_grow_and_are_not_the_same_for_everybody() -> None:
    def waits_of() -> list[float]:
        waits = Waits()
        asyncio.run(RetryingChatModel(busy_for(8), retries=8, sleep=waits).complete(a_request()))
        return waits.seconds

    first, second = waits_of(), waits_of()
    assert first != second
    for number, wait in enumerate(first):
        most = min(30.0, 0.5 * 2**number)
        assert most / 2 <= wait <= most


def test_the_endpoint_says_how_long_to_wait() -> None:
    waits = Waits()
    asyncio.run(RetryingChatModel(busy_for(1, 20.0), retries=1, sleep=waits).complete(a_request()))
    assert 20.0 <= waits.seconds[0] <= 21.0


def test_a_pause_that_is_too_long_is_not_waited_for() -> None:
    waits, inner = Waits(), busy_for(1, 3600.0)
    with pytest.raises(EndpointFailed, match=r"asks for a pause of [0-9,]+ s, and no more than 120 s are waited"):
        asyncio.run(RetryingChatModel(inner, retries=5, sleep=waits).complete(a_request()))
    assert (waits.seconds, len(inner.requests)) == ([], 1)


def test_it_gives_up_in_the_end_and_says_how_often_it_tried() -> None:
    inner = busy_for(100)
    with pytest.raises(EndpointFailed, match=r"slow down \(after 3 attempts\)") as caught:
        asyncio.run(RetryingChatModel(inner, retries=2, sleep=Waits()).complete(a_request()))
    assert not isinstance(caught.value, EndpointBusy)
    assert len(inner.requests) == 3


def test_an_endpoint_that_is_down_is_tried_once_by_the_calls_after_that() -> None:
    outage, inner = Outage(), busy_for(4)
    model = RetryingChatModel(inner, retries=2, outage=outage, sleep=Waits())
    for _ in range(2):
        with pytest.raises(EndpointFailed):
            asyncio.run(model.complete(a_request()))
    assert len(inner.requests) == 4
    assert outage.lasts
    # The next attempt comes through, and ends it.
    assert asyncio.run(model.complete(a_request())).text == "hill"
    assert not outage.lasts


def test_a_stream_is_begun_again_only_where_nothing_was_handed_on() -> None:
    pieces, reply = asyncio.run(streamed(RetryingChatModel(busy_for(2), retries=2, sleep=Waits()).stream(a_request())))
    assert (pieces, reply.text) == (["hill"], "hill")


class _BreaksOff:
    model_id = "m"
    calls = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise NotImplementedError

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:  # noqa: ARG002  # the protocol's
        self.calls += 1
        yield "half a "
        raise EndpointBusy("broke off")


def test_a_stream_that_breaks_off_after_its_first_piece_fails() -> None:
    inner = _BreaksOff()
    with pytest.raises(EndpointFailed, match="broke off"):
        asyncio.run(streamed(RetryingChatModel(inner, retries=5, sleep=Waits()).stream(a_request())))
    assert inner.calls == 1


@pytest.mark.parametrize(("header", "seconds"), [("0", 0.0), ("7", 7.0), ("1.5", 1.5), ("-3", None), ("soon", None)])
def test_seconds_of_retry_after(header: str, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_dates_of_retry_after() -> None:
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    found = retry_after(date)
    assert found is not None
    assert 25 < found <= 31
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


@given(st.text())
def test_no_header_is_a_fault_of_ours(header: str) -> None:
    found = retry_after(header)
    assert found is None or 0 <= found < float("inf")
