"""One task's language model as the rest of the product uses it: plain calls, replies as records."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from model_clients.chat.background_loop import iterate, wait_for
from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.errors import ChatFailed, ReplyUnusable, counted_in_failure
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage
from model_clients.chat.reply_reading import without_thinking
from model_clients.chat.settings import ModelPrice
from model_clients.chat.structured_reply import StructuredReply, WrongForm, asked_for, read_reply, repair_request
from model_clients.chat.thinking_filter import without_thoughts
from model_clients.chat.token_prices import estimated_usage

__all__ = ["StructuredReply", "TaskModel", "TextStream"]

R = TypeVar("R", bound=BaseModel)


class TextStream(Iterator[str]):
    """The text of a reply as it comes; ``reply`` is the whole of it once the text has ended.

    Leave it early with ``close``, which ends the call.
    """

    def __init__(
        self, parts: AsyncIterator[str | ChatReply], left: Callable[[str], TokenUsage] = lambda _: TokenUsage()
    ) -> None:
        """Take the parts of a stream; ``left`` estimates what a call has used that was left with so much text."""
        self._parts = iterate(parts)
        self._left = left
        self._come: list[str] = []
        self.reply: ChatReply | None = None

    @property
    def usage(self) -> TokenUsage:
        """What the call has used, by estimate as long as the reply is not whole."""
        return self.reply.usage if self.reply is not None else self._left("".join(self._come))

    def __next__(self) -> str:
        """Return the next piece of text."""
        for part in self._parts:
            if isinstance(part, str):
                self._come.append(part)
                return part
            self.reply = part
        raise StopIteration

    def close(self) -> None:
        """End the call, whatever is still to come."""
        self._parts.close()  # type: ignore[attr-defined]  # it is a generator


class TaskModel:
    """A chat model behind calls that wait. Safe to use from several threads, and where an event loop runs."""

    def __init__(self, model: ChatModel, price: ModelPrice | None = None) -> None:
        """Wrap a model; ``price`` is that of streams which are left before their end."""
        self._model = model
        self._price = price if price is not None else ModelPrice()

    @property
    def model_id(self) -> str:
        """The name of the model, as the endpoint knows it."""
        return self._model.model_id

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one call, without what the model wrote to itself before it.

        Raises ``ReplyUnusable`` where it is empty or refused, other kinds of ``ChatFailed``, ``EndpointUnusable``.
        """
        reply = wait_for(self._model.complete(request))
        told = replace(reply, text=without_thinking(reply.text))
        _require_text(told)
        return told

    def ask_for(self, request: ChatRequest, form: type[R]) -> StructuredReply[R]:
        """Return a reply of the given form, whose schema is sent along.

        A reply of another form is shown to the model once, with what is wrong with it. Raises ``ReplyUnusable`` where
        that does not help either, and others.
        """
        return wait_for(self._ask_for(request, form))

    def ask_all_for(self, requests: Sequence[ChatRequest], form: type[R]) -> list[StructuredReply[R] | ChatFailed]:
        """Return the replies to many calls, made at once as far as limits allow, in the order of the requests.

        A call that failed has its error in its place: one bad reply loses no other. Raises ``EndpointUnusable``.
        """
        return wait_for(self._ask_all_for(requests, form))

    def stream(self, request: ChatRequest) -> TextStream:
        """Yield the text of a reply as it comes. Raises ``ChatFailed``, ``EndpointUnusable``."""
        parts = _checked(without_thoughts(self._model.stream(request)))
        return TextStream(parts, lambda text: estimated_usage(self._price, request, text))

    async def _ask_all_for(
        self, requests: Sequence[ChatRequest], form: type[R]
    ) -> list[StructuredReply[R] | ChatFailed]:
        calls = [asyncio.ensure_future(self._ask_or_fail(request, form)) for request in requests]
        try:
            return await asyncio.gather(*calls)
        except BaseException:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            raise

    async def _ask_or_fail(self, request: ChatRequest, form: type[R]) -> StructuredReply[R] | ChatFailed:
        try:
            return await self._ask_for(request, form)
        except ChatFailed as error:
            return error

    async def _ask_for(self, request: ChatRequest, form: type[R]) -> StructuredReply[R]:
        asked = asked_for(request, form)
        reply = await self._model.complete(asked)
        try:
            return read_reply(reply, form)
        except WrongForm as error:
            repair = repair_request(asked, reply, error.told)
        with counted_in_failure(reply.usage):
            again = await self._model.complete(repair)
            found = _read_last(again, form)
        return replace(found, usage=reply.usage + again.usage)


def _read_last(reply: ChatReply, form: type[R]) -> StructuredReply[R]:
    try:
        return read_reply(reply, form)
    except WrongForm as error:
        raise ReplyUnusable(str(error), usage=error.usage, fault=error.fault) from None


async def _checked(parts: AsyncIterator[str | ChatReply]) -> AsyncIterator[str | ChatReply]:
    async with closing_stream(parts) as stream:
        async for part in stream:
            if isinstance(part, ChatReply):
                _require_text(part)
            yield part


def _require_text(reply: ChatReply) -> None:
    if reply.finish == "refused":
        raise ReplyUnusable(f"{reply.model!r} refuses to reply", usage=reply.usage, fault="refused")
    if not reply.text.strip():
        cut = " before it came to its reply; llm.model may think too long" if reply.finish == "length" else ""
        raise ReplyUnusable(f"the reply of {reply.model!r} is empty{cut}", usage=reply.usage, fault="empty")
