"""Stops before a budget is exceeded."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.errors import BudgetSpent, ChatFailed
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage
from model_clients.chat.settings import BudgetSettings, ModelPrice
from model_clients.chat.token_estimate import estimated_prompt_tokens
from model_clients.chat.token_prices import estimated_usage, priced


@dataclass(slots=True, eq=False)
class _Held:
    """What a call under way may come to, and what it came to. Calls of equal size are told apart: none is another."""

    most: TokenUsage
    used: TokenUsage


class Budget:
    """What a run has used up of what it may. All models of a run share one, in one event loop.

    A call goes ahead where even its longest reply stays within the budget; one that may not fit waits while others,
    which mostly come to less than they might, are under way.
    """

    def __init__(self, settings: BudgetSettings) -> None:
        self._settings = settings
        self._spent = TokenUsage()
        self._held: list[_Held] = []
        self._settled = asyncio.Event()

    @property
    def spent(self) -> TokenUsage:
        """What is used up."""
        return self._spent

    @asynccontextmanager
    async def hold(self, most: TokenUsage) -> AsyncIterator[_Held]:
        """Hold back what a call may come to for the time of the block. Raises ``BudgetSpent``."""
        while not self._fits(most) and self._held:
            await self._settled.wait()
        if not self._fits(most):
            raise BudgetSpent(self._sentence(most))
        held = _Held(most=most, used=TokenUsage())
        self._held.append(held)
        try:
            yield held
        finally:
            self._held.remove(held)
            self._spent = self._spent + held.used
            # Whoever waits is woken by the old event and waits, if need be, for a new one.
            self._settled.set()
            self._settled = asyncio.Event()

    def _fits(self, most: TokenUsage) -> bool:
        return not self._exceeded(most)

    def _exceeded(self, most: TokenUsage) -> list[str]:
        """Return the limits that a call of at most ``most`` would exceed, in words."""
        whole = sum((held.most for held in self._held), start=self._spent) + most
        limits, exceeded = self._settings, list[str]()
        if limits.tokens and _tokens(whole) > limits.tokens:
            exceeded.append(f"llm.budget.tokens ({limits.tokens:,})")
        if limits.money and whole.cost > limits.money:
            exceeded.append(f"llm.budget.money ({limits.money:g})")
        return exceeded

    def _sentence(self, most: TokenUsage) -> str:
        return (
            f"the budget is used up: {_told(self._spent)} in {self._spent.calls:,} calls, and the next call may take "
            f"{_told(most)}, which is beyond {' and '.join(self._exceeded(most))}; what is done is kept, and the next "
            "run goes on from here"
        )


def _tokens(usage: TokenUsage) -> int:
    return usage.prompt_tokens + usage.reply_tokens


def _told(usage: TokenUsage) -> str:
    return f"{_tokens(usage):,} tokens" + (f" at a cost of {usage.cost:.4g}" if usage.cost else "")


class BudgetedChatModel:
    """Calls ``model`` while the budget lasts."""

    def __init__(self, model: ChatModel, budget: Budget, price: ModelPrice) -> None:
        self._model = model
        self._budget = budget
        self._price = price

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return self._model.model_id

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply. Raises ``BudgetSpent`` before a call that may exceed the budget."""
        async with self._budget.hold(self._most(request)) as held:
            try:
                reply = await self._model.complete(request)
            except ChatFailed as error:
                held.used = error.usage
                raise
            held.used = reply.usage
            return reply

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text piece by piece, then the whole reply. One that is left counts with what has come of it."""
        async with self._budget.hold(self._most(request)) as held:
            come = list[str]()
            try:
                async with closing_stream(self._model.stream(request)) as stream:
                    async for part in stream:
                        if isinstance(part, ChatReply):
                            held.used = part.usage
                        else:
                            come.append(part)
                        yield part
            except ChatFailed as error:
                held.used = error.usage
                raise
            finally:
                if come and not held.used.calls:
                    held.used = estimated_usage(self._price, request, "".join(come))

    def _most(self, request: ChatRequest) -> TokenUsage:
        return priced(self._price, estimated_prompt_tokens(request), request.max_tokens)
