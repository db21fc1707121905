"""One connection pool to an endpoint for each event loop, over the ``openai`` package."""

import asyncio
import weakref
from typing import TYPE_CHECKING

from model_clients.chat.background_loop import close_at_end
from model_clients.chat.endpoint import Endpoint, find_endpoint
from model_clients.chat.settings import LlmSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# A server that is there takes a connection soon, however long it then thinks.
_CONNECTING_S = 15.0


class OpenAiClient:
    """The client of one endpoint, made at its first use: key and address are read from the environment then.

    A client belongs to the event loop that it was made in; each loop has its own.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._endpoint: Endpoint | None = None
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = weakref.WeakKeyDictionary()

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint. Raises ``EndpointUnusable``."""
        if self._endpoint is None:
            self._endpoint = find_endpoint(self._settings)
        return self._endpoint

    def here(self) -> "AsyncOpenAI":
        """Return the client of the running loop. Raises ``EndpointUnusable``."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._make()
            close_at_end(self)
        return client

    def _make(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, Timeout  # noqa: PLC0415  # heavy import, only when used

        from model_clients.chat.capped_client import CappedClient  # noqa: PLC0415  # as above

        return AsyncOpenAI(
            api_key=self.endpoint.key,
            base_url=self.endpoint.base_url,
            timeout=Timeout(self._settings.timeout_s, connect=min(_CONNECTING_S, self._settings.timeout_s)),
            max_retries=0,
            http_client=CappedClient(is_local=self.endpoint.is_local),
        )

    @property
    def is_open(self) -> bool:
        """Whether any connection pool is open."""
        return bool(self._clients)

    async def close(self) -> None:
        """Close the client of the running loop; the next call makes another."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()
