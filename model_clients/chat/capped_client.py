"""An HTTP client that sends to one address alone, and reads so many bytes of a response and no more.

A server may send callers on to anybody, pack any size into few bytes, or never stop.
"""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
from openai import DefaultAsyncHttpxClient

MOST_BYTES = 32_000_000


class ResponseTooLarge(httpx2.TransportError):
    """A response goes on beyond the limit."""


class ReplyBrokenOff(httpx2.TransportError):
    """The connection ended in the midst of a response that told of no fault."""


class ResponsePacked(httpx2.TransportError):
    """A response is packed, though none such was asked for."""


class CappedClient(DefaultAsyncHttpxClient):
    """Sends as its parent does, stops reading a response at ``MOST_BYTES``, and follows no redirect: what is sent is
    for the address that was configured. ``is_local`` leaves out proxies that the environment names.
    """

    def __init__(self, *, is_local: bool) -> None:
        super().__init__(follow_redirects=False, trust_env=not is_local)

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:  # noqa: ANN401  # the parent's own
        """Send a request. Packed responses are neither asked for nor read: they could unfold to any size."""
        request.headers["Accept-Encoding"] = "identity"
        response = await super().send(request, stream=True, **options)
        packing = response.headers.get("Content-Encoding", "identity")
        if packing != "identity":
            await response.aclose()
            raise ResponsePacked(packing)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Capped(response.stream, good=response.is_success)
        if not stream:
            try:
                await response.aread()
            except BaseException:
                await response.aclose()
                raise
        return response


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, *, good: bool) -> None:
        self._stream = stream
        self._good = good

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for part in self._stream:
                size += len(part)
                if size > MOST_BYTES:
                    raise ResponseTooLarge(f"the response is larger than {MOST_BYTES:,} bytes")
                yield part
        except (httpx2.NetworkError, httpx2.ProtocolError) as error:
            if not self._good:
                raise
            raise ReplyBrokenOff(str(error)) from error

    async def aclose(self) -> None:
        await self._stream.aclose()
