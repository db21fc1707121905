"""Keeps calls within what an endpoint allows at once and within a minute."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest
from model_clients.chat.token_estimate import estimated_prompt_tokens

_WINDOW_S = 60.0


@dataclass(slots=True)
class Turn:
    """One call within the window: when it began, and how many tokens it takes as far as is known."""

    begun: float
    tokens: int


class EndpointLimits:
    """What is under way at an endpoint, and what was begun within the last minute. 0 is no limit.

    All models of an endpoint share one. It belongs to the event loop in which it is first used.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        requests_per_minute: int = 0,
        tokens_per_minute: int = 0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._places = asyncio.Semaphore(concurrency)
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._turns: deque[Turn] = deque()
        # Whoever waits for room in the window waits with this held: first come, first served.
        self._queue = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Wait for a place, and for room in the window, and hold the place for the time of the block."""
        async with self._places:
            async with self._queue:
                while (wait := self._wait(tokens)) > 0:
                    await self._sleep(wait)
                turn = Turn(begun=self._clock(), tokens=tokens)
                self._turns.append(turn)
            yield turn

    def _wait(self, tokens: int) -> float:
        """Return how long to wait before looking again; a call of more tokens than the limit goes when it is alone."""
        now = self._clock()
        while self._turns and self._turns[0].begun <= now - _WINDOW_S:
            self._turns.popleft()
        full = bool(self._requests) and len(self._turns) >= self._requests
        spent = sum(turn.tokens for turn in self._turns)
        full = full or bool(self._tokens and self._turns and spent + tokens > self._tokens)
        return self._turns[0].begun + _WINDOW_S - now if full else 0.0


class LimitedChatModel:
    """Calls ``model`` when the limits of its endpoint allow it."""

    def __init__(self, model: ChatModel, limits: EndpointLimits) -> None:
        self._model = model
        self._limits = limits

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return self._model.model_id

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply, when it is its turn."""
        async with self._limits.turn(_most_tokens(request)) as turn:
            reply = await self._model.complete(request)
            turn.tokens = reply.usage.prompt_tokens + reply.usage.reply_tokens
            return reply

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text piece by piece, then the whole reply, when it is its turn."""
        tokens = _most_tokens(request)
        async with self._limits.turn(tokens) as turn, closing_stream(self._model.stream(request)) as stream:
            async for part in stream:
                if isinstance(part, ChatReply):
                    turn.tokens = part.usage.prompt_tokens + part.usage.reply_tokens
                yield part


def _most_tokens(request: ChatRequest) -> int:
    return estimated_prompt_tokens(request) + request.max_tokens
