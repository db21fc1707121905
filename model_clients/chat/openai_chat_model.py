"""A chat model behind any endpoint that speaks OpenAI's protocol."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from model_clients.chat.dialect import Dialect, dialect_of
from model_clients.chat.errors import ChatFailed, EndpointBusy, EndpointFailed, ReplyUnusable
from model_clients.chat.messages import ChatReply, ChatRequest, Finish, TokenUsage
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.settings import LlmSettings, ModelPrice
from model_clients.chat.stream_reading import GatheredReply, Patience, finish_of, whole_body
from model_clients.chat.token_prices import estimated_usage, priced
from model_clients.chat.wire import NOT_COUNTED, WireReply, read_reply_part

if TYPE_CHECKING:
    from openai import AsyncStream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

T = TypeVar("T")

# A token of natural language has few characters, one of code or blanks may have more; a server that goes on beyond
# this does not keep to the limit that it was given.
_CHARACTERS_PER_TOKEN = 40
_SPARE_CHARACTERS = 1_000

# Tokenizers differ, servers add prompts of their own, and thinking that is not shown may count: but a count as many
# times as high as the estimate, and by more than so many, is none.
_MOST_TIMES = 20
_SPARE_TOKENS = 10_000

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
        response: ChatCompletion = await self._ask(request, streamed=False)
        return self._reply_of(request, response)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text as it comes, then the whole reply; each piece is waited for as long as for a whole reply.

        One that breaks off, or takes longer than all of it may, raises ``EndpointBusy`` with what it used. A server
        that sends its reply whole is taken at that.
        """
        chunks: AsyncStream[ChatCompletionChunk] = await self._ask(request, streamed=True)
        gathered = GatheredReply(limit=_most_characters(request))
        try:
            body = await self._in_time(lambda: self._read_whole(chunks))
            if body is not None:
                reply = self._reply_of(request, body)
                if reply.text:
                    yield reply.text
                yield reply
                return
            patience = Patience(self._settings.stream_timeout_s)
            while (chunk := await self._in_time(lambda: self._next(chunks), patience)) is not None:
                if piece := gathered.add(chunk):
                    yield piece
            if gathered.finish is None:
                raise EndpointBusy(f"{self._client.endpoint.base_url} broke off its reply")
        except ChatFailed as error:
            if not error.usage.calls:
                error.usage = self._used(request, gathered.text, gathered.counted)
            raise
        finally:
            await chunks.close()
        yield self._reply(request, gathered.text, gathered.finish, gathered.counted)

    async def close(self) -> None:
        """Close the connections of the running loop; the next call opens others."""
        await self._client.close()

    async def _ask(self, request: ChatRequest, *, streamed: bool) -> Any:  # noqa: ANN401  # as of ``_create``
        try:
            return await self._in_time(lambda: self._create(request, streamed=streamed))
        except EndpointBusy as error:
            if error.timed_out:
                error.usage = self._used(request)
            raise

    async def _in_time(self, call: Callable[[], Awaitable[T]], patience: Patience | None = None) -> T:
        """Wait as long as for a reply, and at most as long as ``patience`` lasts."""
        allowed = patience if patience is not None else Patience(self._settings.timeout_s)
        try:
            with allowed.waiting():
                async with asyncio.timeout(min(self._settings.timeout_s, allowed.left)):
                    return await call()
        except TimeoutError:
            raise self._too_slow(whole=patience is not None and not patience.left) from None

    def _too_slow(self, *, whole: bool) -> EndpointBusy:
        where, settings = self._client.endpoint.base_url, self._settings
        if whole:
            return EndpointBusy(
                f"{where} was still sending its reply after {settings.stream_timeout_s:g} s; "
                "llm.stream_timeout_s says how long a reply in pieces may take",
                timed_out=True,
            )
        return EndpointBusy(
            f"no whole reply from {where} within {settings.timeout_s:g} s; llm.timeout_s says how long is waited",
            timed_out=True,
        )

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
                    raise self._translated(error, request) from None
            except (APIError, ValueError, RecursionError) as error:
                raise self._translated(error, request) from None
        raise EndpointFailed(f"{self._client.endpoint.base_url} refuses every way in which {self._model!r} was asked")

    async def _next(self, chunks: "AsyncStream[ChatCompletionChunk]") -> "ChatCompletionChunk | None":
        with self._reading():
            return await anext(chunks, None)

    async def _read_whole(self, chunks: "AsyncStream[ChatCompletionChunk]") -> Mapping[str, Any] | None:
        with self._reading():
            return await whole_body(chunks.response)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        from httpx2 import HTTPError  # noqa: PLC0415  # heavy import, only when used
        from openai import APIError  # noqa: PLC0415  # as above

        try:
            yield
        except (APIError, HTTPError, ValueError, RecursionError) as error:
            raise self._translated(error) from None

    def _translated(self, error: Exception, request: ChatRequest | None = None) -> Exception:
        """Return the error to raise, with what the ``request`` has used where the endpoint had taken it up."""
        from model_clients.chat.endpoint_errors import is_paid, translated  # noqa: PLC0415  # as above

        found = translated(error, self._client.endpoint, self._model)
        if request is not None and isinstance(found, ChatFailed) and is_paid(error):
            found.usage = self._used(request)
        return found

    def _dialect(self) -> Dialect:
        return dialect_of(self._client.endpoint.base_url, self._model, self._settings.structured)

    def _reply_of(self, request: ChatRequest, response: object) -> ChatReply:
        """Return a reply that came whole."""
        sent = read_reply_part(response, "message")
        if not sent.has_message:
            endpoint = self._client.endpoint
            said = f": {endpoint.shown(sent.error)}" if sent.error else ""
            raise ReplyUnusable(
                f"{endpoint.base_url} sent a reply without any message{said}",
                usage=self._used(request, counted=sent),
                fault="empty",
            )
        if len(sent.text) > _most_characters(request):
            raise ReplyUnusable(
                f"the reply is far longer than the {request.max_tokens:,} tokens that were asked for",
                usage=self._used(request, sent.text, sent),
                fault="endless",
            )
        return self._reply(request, sent.text, "refused" if sent.refused else finish_of(sent.finish), sent)

    def _reply(self, request: ChatRequest, text: str, finish: Finish, counted: WireReply) -> ChatReply:
        return ChatReply(text=text, model=self._model, finish=finish, usage=self._used(request, text, counted))

    def _used(self, request: ChatRequest, text: str = "", counted: WireReply = NOT_COUNTED) -> TokenUsage:
        """Return what a call has used that came to ``text``; tokens that the endpoint does not count are estimated."""
        about = estimated_usage(self._price, request, text)
        prompt = _credible(counted.prompt_tokens, about.prompt_tokens)
        reply = _credible(counted.reply_tokens, request.max_tokens)
        if text and not reply:
            reply = None
        return priced(
            self._price,
            about.prompt_tokens if prompt is None else prompt,
            about.reply_tokens if reply is None else reply,
            estimated=prompt is None or reply is None,
        )


def _credible(counted: int | None, expected: int) -> int | None:
    """Return a count that the endpoint sent, None for one that cannot be."""
    if counted is None or counted > _MOST_TIMES * expected + _SPARE_TOKENS:
        return None
    return counted


def _most_characters(request: ChatRequest) -> int:
    return request.max_tokens * _CHARACTERS_PER_TOKEN + _SPARE_CHARACTERS
