"""Tries again what may work in a moment."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.errors import ChatFailed, EndpointBusy, EndpointFailed
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage

T = TypeVar("T")

_log = logging.getLogger(__name__)

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
# An endpoint that asks for a longer pause is not waited for: the run goes on without it.
_LONGEST_PAUSE_S = 120.0
# For so long after a call has failed for good, others are tried once only: a run of thousands of calls must not wait
# out all its retries for each of them.
_OUTAGE_S = 60.0
# A call that took too long is hardly quicker the next time, and perhaps paid for each time.
_RETRIES_OF_SLOW = 1


@dataclass(slots=True)
class Outage:
    """Until when an endpoint counts as down, on the clock of ``time.monotonic``; all models of an endpoint share it."""

    until: float = 0.0

    def begin(self) -> None:
        """Note that a call has failed for good."""
        self.until = time.monotonic() + _OUTAGE_S

    def end(self) -> None:
        """Note that a call has come through."""
        self.until = 0.0

    @property
    def lasts(self) -> bool:
        """Whether the endpoint counts as down now."""
        return time.monotonic() < self.until


class Retries:
    """How often, and after which waits, a call that fails with ``EndpointBusy`` is made again.

    It waits as long as the endpoint says (Retry-After), else about twice as long each time, with jitter so that many
    callers do not come back at once. What took too long is tried once more at most.
    """

    def __init__(
        self,
        most: int,
        *,
        outage: Outage | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._most = most
        self._outage = outage if outage is not None else Outage()
        self._sleep = sleep
        self._random = random.Random()

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what ``call`` gives; raises ``EndpointFailed`` after the last attempt."""
        failures = 0
        while True:
            try:
                found = await call()
            except EndpointBusy as error:
                failures += 1
                await self.wait(error, failures)
            else:
                self.succeeded()
                return found

    def succeeded(self) -> None:
        """Note that a call has come through."""
        self._outage.end()

    async def wait(self, error: EndpointBusy, failures: int) -> None:
        """Wait until the next attempt; raises ``EndpointFailed`` where there is none."""
        asked = error.retry_after_s or 0.0
        most = min(self._most, _RETRIES_OF_SLOW) if error.timed_out else self._most
        if failures > most or self._outage.lasts or asked > _LONGEST_PAUSE_S:
            self._outage.begin()
            attempts = "" if failures == 1 else f" (after {failures} attempts)"
            raise EndpointFailed(f"{error}{attempts}{_too_long_a_pause(asked)}", usage=error.usage) from error
        _log.warning("%s; trying again (attempt %d of %d)", error, failures + 1, most + 1)
        usual = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (failures - 1))
        await self._sleep(max(asked, usual / 2) + self._random.uniform(0.0, usual / 2))


def _too_long_a_pause(asked: float) -> str:
    if asked <= _LONGEST_PAUSE_S:
        return ""
    return f"; it asks for a pause of {asked:,.0f} s, and no more than {_LONGEST_PAUSE_S:.0f} s are waited"


class _Lost:
    """What the attempts at one call have used that came to nothing."""

    def __init__(self) -> None:
        self._usage = TokenUsage()

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what an attempt used that fails within the block; its error tells of all attempts so far."""
        try:
            yield
        except ChatFailed as error:
            self._usage += error.usage
            error.usage = self._usage
            raise

    def added_to(self, reply: ChatReply) -> ChatReply:
        """Return the reply of the attempt that came through, with what those before it used."""
        return replace(reply, usage=self._usage + reply.usage)


class RetryingChatModel:
    """Repeats calls of ``model`` that fail with ``EndpointBusy``, at most ``retries`` times.

    A stream is only begun again where nothing of it has been handed on.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        retries: int,
        outage: Outage | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._model = model
        self._retries = Retries(retries, outage=outage, sleep=sleep)

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return self._model.model_id

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply; raises ``EndpointFailed`` after the last attempt."""
        lost = _Lost()

        async def attempt() -> ChatReply:
            with lost.noting():
                return await self._model.complete(request)

        return lost.added_to(await self._retries.run(attempt))

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text piece by piece, then the whole reply."""
        failures, begun, lost = 0, False, _Lost()
        while True:
            try:
                with lost.noting():
                    async with closing_stream(self._model.stream(request)) as stream:
                        async for part in stream:
                            begun = True
                            yield lost.added_to(part) if isinstance(part, ChatReply) else part
            except EndpointBusy as error:
                failures += 1
                if begun:
                    raise EndpointFailed(str(error), usage=error.usage) from error
                await self._retries.wait(error, failures)
            else:
                self._retries.succeeded()
                return
