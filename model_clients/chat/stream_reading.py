"""What comes of a reply that is sent in pieces, or whole by a server that does not send in pieces."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from model_clients.chat.errors import ReplyUnusable
from model_clients.chat.messages import Finish
from model_clients.chat.wire import WireReply, read_reply_part

if TYPE_CHECKING:
    from httpx2 import Response


class GatheredReply:
    """What has come of a stream, at most ``limit`` characters."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[str] = []
        self._size = 0
        self._refused = False
        self.finish: Finish | None = None
        self.counted = WireReply()

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._pieces)

    def add(self, chunk: object) -> str:
        """Take in a chunk and return its text. Chunks without text count as well: a server may send them for ever.

        Raises ``ReplyUnusable`` beyond the limit.
        """
        sent = read_reply_part(chunk, "delta")
        if sent.prompt_tokens is not None or sent.reply_tokens is not None:
            self.counted = sent
        self._refused = self._refused or sent.refused
        if sent.finish is not None:
            self.finish = "refused" if self._refused else finish_of(sent.finish)
        self._pieces.append(sent.text)
        self._size += len(sent.text) + 1
        if self._size > self._limit:
            raise ReplyUnusable("the reply goes on far beyond the number of tokens that was asked for", fault="endless")
        return sent.text


class Patience:
    """How many seconds may still be waited for something, of ``seconds`` in all."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time of the block. Raises ``TimeoutError`` where none is left."""
        if not self.left:
            raise TimeoutError
        begun = time.monotonic()
        try:
            yield
        finally:
            self.left = max(0.0, self.left - (time.monotonic() - begun))


def finish_of(reason: str | None) -> Finish:
    """Return how a reply ended, by the endpoint's word for it."""
    match reason:
        case "length":
            return "length"
        case "content_filter":
            return "refused"
        case _:
            return "stop"


async def whole_body(response: "Response") -> Mapping[str, Any] | None:
    """Return the reply of a server that sends it whole though pieces were asked for; None where it sends pieces.

    Events that are called JSON by mistake are read to their end here, and can still be read one by one.
    """
    if "json" not in response.headers.get("content-type", "").lower():
        return None
    content = await response.aread()
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else {}
