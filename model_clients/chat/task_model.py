"""One task's language model as the rest of the product uses it: plain calls, replies as records."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from model_clients.chat.errors import ChatFailed, ReplyUnusable
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, TokenUsage

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredReply(Generic[R]):
    """A reply that was checked against its schema, with what it cost in all (a repair counts too)."""

    value: R
    model: str
    usage: TokenUsage


class TaskModel:
    """A chat model behind calls that wait. Safe to use from several threads."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def model_id(self) -> str:
        """The name of the model, as the endpoint knows it."""
        return self._model.model_id

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one call. Raises ``ChatFailed``, ``EndpointUnusable``."""
        return asyncio.run(self._model.complete(request))

    def ask_for(self, request: ChatRequest, form: type[R]) -> StructuredReply[R]:
        """Return a reply of the given form, whose schema is sent along. Raises ``ReplyUnusable`` and others."""
        return asyncio.run(self._ask_for(request, form))

    def ask_all_for(self, requests: Sequence[ChatRequest], form: type[R]) -> list[StructuredReply[R] | ChatFailed]:
        """Return the replies to many calls, made at once as far as limits allow, in the order of the requests.

        A call that failed has its error in its place: one bad reply loses no other. Raises ``EndpointUnusable``.
        """
        return asyncio.run(self._ask_all_for(requests, form))

    def stream(self, request: ChatRequest) -> Iterator[str]:
        """Yield the text of a reply as it comes. Raises ``ChatFailed``, ``EndpointUnusable``."""
        with asyncio.Runner() as runner:
            pieces = self._model.stream(request)
            while True:
                try:
                    yield runner.run(anext(pieces))  # type: ignore[arg-type]  # anext of an async iterator is awaitable
                except StopAsyncIteration:
                    return

    async def _ask_all_for(
        self, requests: Sequence[ChatRequest], form: type[R]
    ) -> list[StructuredReply[R] | ChatFailed]:
        return await asyncio.gather(*(self._ask_or_fail(request, form) for request in requests))

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
