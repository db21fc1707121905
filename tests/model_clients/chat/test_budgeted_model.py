"""Budgets: the call that would exceed one is not made."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_clients.chat.budgeted_model import Budget, BudgetedChatModel
from model_clients.chat.errors import BudgetSpent, ChatFailed, EndpointFailed, ReplyUnusable
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.settings import BudgetSettings, ModelPrice
from tests.model_clients.chat.chat_model_contract import ChatModelContract
from tests.model_clients.chat.chat_requests import a_request, streamed

FREE = ModelPrice()


class TestContract(ChatModelContract):
    @pytest.fixture
    def make(self) -> Callable[[ChatModel], ChatModel]:
        return lambda model: BudgetedChatModel(model, Budget(BudgetSettings(tokens=100_000, money=5.0)), FREE)


def results(model: ChatModel, requests: list[ChatRequest]) -> list[ChatReply | BaseException]:
    async def run() -> list[ChatReply | BaseException]:
        return await asyncio.gather(*(model.complete(request) for request in requests), return_exceptions=True)

    return asyncio.run(run())


def test_calls_are_made_while_the_budget_lasts_and_what_is_done_is_kept() -> None:
    budget = Budget(BudgetSettings(tokens=100))
    inner = ScriptedChatModel(lambda _: "x" * 80)
    # A call may take 10 + 50 tokens and takes 3 + 20.
    found = results(BudgetedChatModel(inner, budget, FREE), [a_request() for _ in range(6)])
    assert [isinstance(reply, ChatReply) for reply in found] == [True, True, False, False, False, False]
    assert len(inner.requests) == 2
    assert isinstance(found[2], BudgetSpent)
    assert "44 tokens" in str(found[2])
    assert "may take 59 tokens, which is beyond llm.budget.tokens (100)" in str(found[2])
    assert budget.spent.prompt_tokens + budget.spent.reply_tokens == 44


def test_money_is_counted_at_the_price_of_each_model() -> None:
    budget = Budget(BudgetSettings(money=0.001))
    price = ModelPrice(prompt=0.0, reply=10.0)
    cheap = BudgetedChatModel(ScriptedChatModel(lambda _: "x"), budget, FREE)
    dear = BudgetedChatModel(ScriptedChatModel(lambda _: "x"), budget, price)
    (refused,) = results(dear, [a_request(max_tokens=101)])
    assert isinstance(refused, BudgetSpent)
    assert "at a cost of 0.00101, which is beyond llm.budget.money (0.001)" in str(refused)
    assert "llm.budget.tokens" not in str(refused)
    assert isinstance(results(dear, [a_request(max_tokens=99)])[0], ChatReply)
    assert isinstance(results(cheap, [a_request(max_tokens=9999)])[0], ChatReply)


def test_a_call_that_fails_costs_nothing_and_frees_what_it_held() -> None:
    def script(request: ChatRequest) -> str:
        if request.messages[0].content == "bad":
            raise ReplyUnusable("no")
        return "x"

    budget = Budget(BudgetSettings(tokens=70))
    found = results(
        BudgetedChatModel(ScriptedChatModel(script), budget, FREE), [a_request("bad"), a_request("bad"), a_request()]
    )
    assert isinstance(found[2], ChatReply)
    assert budget.spent.calls == 1


def test_a_call_that_fails_among_others_of_its_size_frees_its_own_hold_alone() -> None:
    budget = Budget(BudgetSettings())
    model = BudgetedChatModel(_FailsWhileOthersWait(), budget, FREE)
    found = results(model, [a_request("one"), a_request("bad"), a_request("two")])
    assert [type(reply) for reply in found] == [ChatReply, EndpointFailed, ChatReply]
    assert not budget._held


class _FailsWhileOthersWait:
    model_id = "m"

    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.messages[0].content == "bad":
            raise EndpointFailed("HTTP 500")
        await asyncio.sleep(0.01)
        return ChatReply(text="x", model="m", usage=TokenUsage(calls=1, prompt_tokens=3, reply_tokens=1))

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        raise NotImplementedError


def test_a_stream_that_is_left_counts_with_what_has_come() -> None:
    budget = Budget(BudgetSettings(tokens=1000))
    model = BudgetedChatModel(ScriptedChatModel(lambda _: "hill\n" * 9), budget, FREE)

    async def run() -> None:
        parts = model.stream(a_request())
        assert await anext(parts) == "hill\n"
        await parts.aclose()  # type: ignore[attr-defined]  # it is an async generator

    asyncio.run(run())
    assert budget.spent.reply_tokens == 2
    assert budget.spent.prompt_tokens > 0


def test_a_stream_beyond_the_budget_is_not_begun() -> None:
    model = BudgetedChatModel(ScriptedChatModel(lambda _: "x"), Budget(BudgetSettings(tokens=5)), FREE)
    with pytest.raises(BudgetSpent):
        asyncio.run(streamed(model.stream(a_request())))


@settings(max_examples=40, deadline=None)
@given(
    limit=st.integers(min_value=1, max_value=400),
    calls=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 80)), max_size=12),
)
def test_a_budget_is_never_exceeded_and_nothing_is_left_held(limit: int, calls: list[tuple[int, int]]) -> None:
    budget = Budget(BudgetSettings(tokens=limit))
    inner = ScriptedChatModel(lambda request: "x" * 4 * min(request.max_tokens, 20))
    found = results(
        BudgetedChatModel(inner, budget, FREE), [a_request("y" * size, max_tokens=most) for size, most in calls]
    )
    assert budget.spent.prompt_tokens + budget.spent.reply_tokens <= limit
    assert budget.spent.calls == sum(isinstance(reply, ChatReply) for reply in found)
    assert all(isinstance(reply, ChatReply | ChatFailed) for reply in found)
    assert not budget._held
