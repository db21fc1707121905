"""A chat model behind any endpoint that speaks OpenAI's protocol."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from model_clients.chat.dialect import Dialect, dialect_of
from model_clients.chat.errors import EndpointBusy, EndpointFailed, ReplyUnusable
from model_clients.chat.messages import ChatReply, ChatRequest, Finish
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.settings import LlmSettings, ModelPrice
from model_clients.chat.token_estimate import estimated_prompt_tokens, estimated_tokens
from model_clients.chat.token_prices import priced
from model_clients.chat.wire import WireReply, read_reply_part

if TYPE_CHECKING:
    from openai import AsyncStream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

T = TypeVar("T")

# A token of natural language has few characters, one of code or blanks may have more; a server that goes on beyond
# this does not keep to the limit that it was given.
_CHARACTERS_PER_TOKEN = 40
_SPARE_CHARACTERS = 1_000

_REFUSALS = frozenset({400, 415, 422, 500, 501})
"""Statuses by which servers say that they do not take a parameter; some of them fail with 500."""

# How often a request may be put in another way: each time for one thing that the endpoint does not take.
_MOST_WAYS = 6


class OpenAiChatModel:
    """Asks one model of an endpoint, once for each call: what fails is for the wrappers around it."""

    def __init__(self, client: OpenAiClient, model: str, settings: LlmSettings) -> None:
        self._client = client
        self._model = model
        self._settings = settings
        self._price = settings.prices.get(model, ModelPrice())

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return self._model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply. One of nothing, or of more than was asked for, raises ``ReplyUnusable``."""
        response: ChatCompletion = await self._in_time(self._create(request, streamed=False))
        return self._reply_of(request, response)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text as it comes, then the whole reply; each piece is waited for as long as for a whole reply."""
        chunks: AsyncStream[ChatCompletionChunk] = await self._in_time(self._create(request, streamed=True))
        gathered = _Gathered(limit=_most_characters(request))
        try:
            while (chunk := await self._in_time(self._next(chunks))) is not None:
                if piece := gathered.add(chunk):
                    yield piece
        finally:
            await chunks.close()
        if gathered.finish is None:
            raise EndpointBusy(f"{self._client.endpoint.base_url} broke off its reply")
        yield self._reply(request, gathered.text, gathered.finish, gathered.usage)

    async def close(self) -> None:
        """Close the connections of the running loop; the next call opens others."""
        await self._client.close()

    async def _in_time(self, waited: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await waited
        except TimeoutError:
            raise EndpointBusy(
                f"no whole reply from {self._client.endpoint.base_url} within {self._settings.timeout_s:g} s; "
                "llm.timeout_s says how long is waited"
            ) from None

    async def _create(self, request: ChatRequest, *, streamed: bool) -> Any:  # noqa: ANN401  # the package's own type, by ``streamed``
        """Ask in the way that the endpoint is known to take, and in another where it refuses that way."""
        from openai import APIError, APIStatusError  # noqa: PLC0415  # heavy import, only when used

        from model_clients.chat.endpoint_errors import said_by  # noqa: PLC0415  # as above

        client, dialect = self._client.here(), self._dialect()
        for _ in range(_MOST_WAYS):
            body = dialect.body(request, streamed=streamed)
            try:
                return await client.chat.completions.create(model=self._model, **body)
            except APIStatusError as error:
                refused = error.status_code in _REFUSALS and dialect.learn(said_by(error), body)
                if not refused:
                    raise self._translated(error) from None
            except (APIError, ValueError, RecursionError) as error:
                raise self._translated(error) from None
        raise EndpointFailed(f"{self._client.endpoint.base_url} refuses every way in which {self._model!r} was asked")

    async def _next(self, chunks: "AsyncStream[ChatCompletionChunk]") -> "ChatCompletionChunk | None":
        from httpx2 import HTTPError  # noqa: PLC0415  # heavy import, only when used
        from openai import APIError  # noqa: PLC0415  # as above

        try:
            return await anext(chunks, None)
        except (APIError, HTTPError, ValueError, RecursionError) as error:
            raise self._translated(error) from None

    def _translated(self, error: Exception) -> Exception:
        from model_clients.chat.endpoint_errors import translated  # noqa: PLC0415  # heavy import, only when used

        return translated(error, self._client.endpoint, self._model)

    def _dialect(self) -> Dialect:
        return dialect_of(self._client.endpoint.base_url, self._model, self._settings.structured)

    def _reply_of(self, request: ChatRequest, response: "ChatCompletion") -> ChatReply:
        sent = read_reply_part(response, "message")
        if not sent.has_message:
            raise ReplyUnusable(f"{self._client.endpoint.base_url} sent a reply without any message")
        if len(sent.text) > _most_characters(request):
            raise _beyond_limit(request)
        return self._reply(request, sent.text, "refused" if sent.refused else _finish(sent.finish), sent)

    def _reply(self, request: ChatRequest, text: str, finish: Finish, counted: WireReply) -> ChatReply:
        """Return a reply; tokens that the endpoint does not count are estimated."""
        prompt, reply = counted.prompt_tokens, counted.reply_tokens
        if text and not reply:
            reply = None
        usage = priced(
            self._price,
            estimated_prompt_tokens(request) if prompt is None else prompt,
            estimated_tokens(text) if reply is None else reply,
        )
        return ChatReply(text=text, model=self._model, finish=finish, usage=usage)


class _Gathered:
    """What has come of a stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[str] = []
        self._size = 0
        self._refused = False
        self.finish: Finish | None = None
        self.usage = WireReply()

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, chunk: "ChatCompletionChunk") -> str:
        """Take in a chunk and return its text. Chunks without text count as well: a server may send them for ever."""
        sent = read_reply_part(chunk, "delta")
        if sent.prompt_tokens is not None or sent.reply_tokens is not None:
            self.usage = sent
        self._refused = self._refused or sent.refused
        if sent.finish is not None:
            self.finish = "refused" if self._refused else _finish(sent.finish)
        self._pieces.append(sent.text)
        self._size += len(sent.text) + 1
        if self._size > self._limit:
            raise ReplyUnusable("the reply goes on far beyond the number of tokens that was asked for")
        return sent.text


def _finish(reason: str | None) -> Finish:
    match reason:
        case "length":
            return "length"
        case "content_filter":
            return "refused"
        case _:
            return "stop"


def _most_characters(request: ChatRequest) -> int:
    return request.max_tokens * _CHARACTERS_PER_TOKEN + _SPARE_CHARACTERS


def _beyond_limit(request: ChatRequest) -> ReplyUnusable:
    return ReplyUnusable(f"the reply is far longer than the {request.max_tokens:,} tokens that were asked for")
