"""What is counted, by whom."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from model_clients.chat.errors import ReplyUnusable
from model_clients.chat.messages import CallScope, ChatModel, ChatRequest, TokenUsage
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from model_clients.chat.usage import MeteredChatModel, collected_usage
from tests.model_clients.chat.chat_model_contract import ChatModelContract
from tests.model_clients.chat.chat_requests import a_request


class TestContract(ChatModelContract):
    @pytest.fixture
    def make(self) -> Callable[[ChatModel], ChatModel]:
        return MeteredChatModel


def test_usage_is_told_by_task_and_by_unit() -> None:
    model = TaskModel(MeteredChatModel(ScriptedChatModel(lambda _: "x" * 8)))
    with collected_usage() as meter:
        for unit in ("d1", "d1", "d2"):
            model.ask(a_request("y" * 40, task="extraction", scope=CallScope(tenant="t", unit=unit)))
        list(model.stream(a_request("y" * 4, task="answers")))
    assert meter.by_task() == {
        "answers": TokenUsage(calls=1, prompt_tokens=1, reply_tokens=2),
        "extraction": TokenUsage(calls=3, prompt_tokens=30, reply_tokens=6),
    }
    assert {unit: used.calls for unit, used in meter.by_unit("extraction").items()} == {"d1": 2, "d2": 1}
    assert meter.by_task_and_unit()["extraction"] == meter.by_unit("extraction")
    assert meter.total.calls == 4


def test_each_thread_collects_its_own_calls() -> None:
    model = TaskModel(MeteredChatModel(ScriptedChatModel(lambda _: "x")))

    def ask(times: int) -> int:
        with collected_usage() as meter:
            for _ in range(times):
                model.ask(a_request())
        return meter.total.calls

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(ask, range(1, 13))) == list(range(1, 13))


def test_whoever_collects_around_others_collects_theirs_too() -> None:
    model = TaskModel(MeteredChatModel(ScriptedChatModel(lambda _: "x")))
    with collected_usage() as outer:
        model.ask(a_request())
        with collected_usage() as inner:
            model.ask(a_request())
    assert (outer.total.calls, inner.total.calls) == (2, 1)


def test_calls_that_gave_nothing_are_counted() -> None:
    def fail(_: ChatRequest) -> str:
        raise ReplyUnusable("no")

    model = MeteredChatModel(ScriptedChatModel(fail))
    with collected_usage() as meter:
        for _ in range(2):
            with pytest.raises(ReplyUnusable):
                asyncio.run(model.complete(a_request()))
    assert meter.failures() == {"answers": 2}
    assert meter.total == TokenUsage()
