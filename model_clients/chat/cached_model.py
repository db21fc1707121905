"""Looks a call up among the replies that are kept before it is made."""

from collections.abc import AsyncIterator, Callable

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest
from model_clients.chat.reply_cache import ReplyCache, reply_key


class CachedChatModel:
    """Replies from ``cache`` where the very call was made before, else calls ``model``.

    Only whole replies that ``request.usable`` takes are kept: what failed is asked again next time. ``address`` tells
    the address of the endpoint, when it is first needed.
    """

    def __init__(self, model: ChatModel, cache: ReplyCache, address: Callable[[], str] = str) -> None:
        self._model = model
        self._cache = cache
        self._address = address

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return self._model.model_id

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply, kept or new."""
        key = self._key(request)
        kept = self._cache.get(key)
        if kept is not None:
            return kept
        reply = await self._model.complete(request)
        self._keep(key, request, reply)
        return reply

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text piece by piece, then the whole reply; a kept reply is one piece."""
        key = self._key(request)
        kept = self._cache.get(key)
        if kept is not None:
            yield kept.text
            yield kept
            return
        async with closing_stream(self._model.stream(request)) as stream:
            async for part in stream:
                if isinstance(part, ChatReply):
                    self._keep(key, request, part)
                yield part

    def _key(self, request: ChatRequest) -> str:
        return reply_key(request, model=self.model_id, address=self._address())

    def _keep(self, key: str, request: ChatRequest, reply: ChatReply) -> None:
        whole = reply.finish == "stop" and bool(reply.text.strip())
        if whole and (request.usable is None or request.usable(reply)):
            self._cache.put(key, request, reply)
