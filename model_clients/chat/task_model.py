"""One task's language model as the rest of the product uses it: plain calls, replies as records."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from model_clients.chat.background_loop import iterate, wait_for
from model_clients.chat.errors import ChatFailed, ReplyUnusable
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredReply(Generic[R]):
    """A reply that was checked against its schema, with what it cost in all (a repair counts too)."""

    value: R
    model: str
    usage: TokenUsage


class TextStream(Iterator[str]):
    """The text of a reply as it comes; ``reply`` is the whole of it once the text has ended.

    Leave it early with ``close``, which ends the call.
    """

    def __init__(self, parts: AsyncIterator[str | ChatReply]) -> None:
        self._parts = iterate(parts)
        self.reply: ChatReply | None = None

    def __next__(self) -> str:
        """Return the next piece of text."""
        for part in self._parts:
            if isinstance(part, str):
                return part
            self.reply = part
        raise StopIteration

    def close(self) -> None:
        """End the call, whatever is still to come."""
        self._parts.close()  # type: ignore[attr-defined]  # it is a generator


class TaskModel:
    """A chat model behind calls that wait. Safe to use from several threads, and where an event loop runs."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def model_id(self) -> str:
        """The name of the model, as the endpoint knows it."""
        return self._model.model_id

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one call. Raises ``ChatFailed``, ``EndpointUnusable``."""
        return wait_for(self._model.complete(request))

    def ask_for(self, request: ChatRequest, form: type[R]) -> StructuredReply[R]:
        """Return a reply of the given form, whose schema is sent along. Raises ``ReplyUnusable`` and others."""
        return wait_for(self._ask_for(request, form))

    def ask_all_for(self, requests: Sequence[ChatRequest], form: type[R]) -> list[StructuredReply[R] | ChatFailed]:
        """Return the replies to many calls, made at once as far as limits allow, in the order of the requests.

        A call that failed has its error in its place: one bad reply loses no other. Raises ``EndpointUnusable``.
        """
        return wait_for(self._ask_all_for(requests, form))

    def stream(self, request: ChatRequest) -> TextStream:
        """Yield the text of a reply as it comes. Raises ``ChatFailed``, ``EndpointUnusable``."""
        return TextStream(self._model.stream(request))

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
        asked = replace(request, schema=form.model_json_schema(), schema_name=form.__name__)
        reply = await self._model.complete(asked)
        try:
            value = form.model_validate(json.loads(reply.text))
        except (ValueError, ValidationError) as error:
            raise ReplyUnusable(f"the reply of {reply.model!r} is not the JSON that was asked for: {error}") from error
        return StructuredReply(value=value, model=reply.model, usage=reply.usage)
