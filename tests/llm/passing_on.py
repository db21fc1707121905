"""Replies of the scripted server that another server makes: calls are passed on to it, its own counts taken down."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from tests.llm.scripted_openai_server import Asked, Replied

_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One call that the other server replied to, with its count of what it read and wrote."""

    messages: str
    text: str
    finish: str
    prompt_tokens: int
    reply_tokens: int
    streamed: bool


class PassingOn:
    """Passes calls on to ``base_url`` and asks for at most ``most_tokens`` of reply, as a server with a limit does."""

    def __init__(self, base_url: str, *, most_tokens: int) -> None:
        self._address = urlsplit(base_url)
        self._most_tokens = most_tokens
        self.served: list[Served] = []

    def __call__(self, asked: Asked) -> Replied:
        """Reply as the other server does, streams piece by piece."""
        limits = {name: min(int(asked.body[name]), self._most_tokens) for name in _LIMITS if name in asked.body}
        body = json.dumps({**asked.body, **limits}).encode()
        if asked.body.get("stream"):
            return Replied(pieces=self._streamed(asked, body))
        with closing(self._connection()) as connection:
            connection.request("POST", asked.path, body, _HEADERS)
            response = connection.getresponse()
            content = response.read()
        if response.status == HTTPStatus.OK:
            self._take_down(asked, json.loads(content), "message")
        return Replied(status=response.status, content=content)

    def _connection(self) -> HTTPConnection:
        return HTTPConnection(str(self._address.hostname), self._address.port, timeout=_PATIENCE_S)

    def _streamed(self, asked: Asked, body: bytes) -> Iterator[bytes]:
        text, whole = "", dict[str, Any]()
        with closing(self._connection()) as connection:
            connection.request("POST", asked.path, body, _HEADERS)
            for line in connection.getresponse():
                event = json.loads(line[len(_DATA) :]) if line.startswith(_DATA) and b"{" in line else {}
                for choice in event.get("choices", ()):
                    text += choice["delta"].get("content") or ""
                    whole["choices"] = [choice]
                whole["usage"] = event.get("usage") or whole.get("usage")
                yield line
        whole["choices"][0]["delta"] = {"content": text}
        self._take_down(asked, whole, "delta")

    def _take_down(self, asked: Asked, replied: Mapping[str, Any], part: str) -> None:
        choice, usage = replied["choices"][0], replied["usage"]
        self.served.append(
            Served(
                messages=asked.text,
                text=choice[part]["content"] or "",
                finish=choice["finish_reason"],
                prompt_tokens=usage["prompt_tokens"],
                reply_tokens=usage["completion_tokens"],
                streamed=part == "delta",
            )
        )


_LIMITS = ("max_tokens", "max_completion_tokens")
_HEADERS = {"Content-Type": "application/json"}
_DATA = b"data:"
