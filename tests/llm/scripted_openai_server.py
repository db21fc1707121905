"""An HTTP server on loopback that speaks OpenAI's protocol and replies what a test tells it, faults included."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived: ``number`` counts from 0, names of headers are in lower case."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The text of all messages together."""
        return "\n".join(str(message["content"]) for message in self.body.get("messages", ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """What is sent back. ``content`` is a JSON object, or the very bytes; a stream is made of ``pieces``, as they come.

    ``cut`` ends the connection after so many bytes of the body, ``endless`` repeats the last bytes for as long as
    anybody reads; ``delay_s`` is waited before each part.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, Any] | bytes = b""
    pieces: Iterable[bytes] = ()
    delay_s: float = 0.0
    cut: int | None = None
    endless: bool = False


Reply: TypeAlias = Callable[[Asked], Replied]
Script: TypeAlias = Reply | Sequence[Reply]
"""A function of the request, or one for each request in turn, of which the last goes on."""


def says(text: str, *, finish: str = "stop", usage: tuple[int, int] | None = (11, 7), delay_s: float = 0.0) -> Reply:
    """Reply a text, streamed in pieces of five characters where a stream is asked for."""
    counted = None if usage is None else {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": 0}

    def reply(asked: Asked) -> Replied:
        if asked.body.get("stream"):
            wants_usage = bool(asked.body.get("stream_options", {}).get("include_usage"))
            return Replied(pieces=_events(text, finish, counted if wants_usage else None), delay_s=delay_s)
        message = {"role": "assistant", "content": text}
        return Replied(content=_completion(asked, message, finish, counted), delay_s=delay_s)

    return reply


def refuses(text: str = "I cannot help with that.") -> Reply:
    """Reply a refusal, in the field that is for it."""
    return lambda asked: Replied(
        content=_completion(asked, {"role": "assistant", "content": None, "refusal": text}, "stop", None)
    )


def fails(status: int, message: str = "out of order", *, code: str | None = None, **headers: str) -> Reply:
    """Reply an error; ``retry_after="2"`` becomes a header."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"error": {"message": message, "type": "error", "code": code, "param": None}}
    return lambda _: Replied(status=status, headers=names, content=error)


def cut_off(after: int, text: str = "never to be read whole", *, status: int = 200) -> Reply:
    """Break the connection after so many bytes of the reply."""
    whole = says(text)

    def reply(asked: Asked) -> Replied:
        made = whole(asked)
        return Replied(status=status, content=made.content, pieces=made.pieces, cut=after)

    return reply


def never_ends(piece: str = "on and ") -> Reply:
    """Send a reply that does not end: pieces without end in a stream, one text without end elsewhere."""

    def reply(asked: Asked) -> Replied:
        if asked.body.get("stream"):
            return Replied(pieces=[event({"content": piece}, None)], endless=True)
        return Replied(content=b'{"choices": [{"message": {"content": "' + piece.encode() * 10_000, endless=True)

    return reply


def silent_stream() -> Reply:
    """Keep a stream open with comments and never send any text."""
    return lambda _: Replied(pieces=[b": still here\n\n"], endless=True, delay_s=0.01)


def raw(content: bytes) -> Reply:
    """Reply these very bytes."""
    return lambda _: Replied(content=content)


def embeds(vector: Callable[[str], Sequence[float]]) -> Reply:
    """Reply the vector of each input."""

    def reply(asked: Asked) -> Replied:
        given = asked.body["input"]
        inputs = [given] if isinstance(given, str) else given
        data = [
            {"object": "embedding", "index": place, "embedding": list(vector(text))}
            for place, text in enumerate(inputs)
        ]
        usage = {"prompt_tokens": 3 * len(inputs), "total_tokens": 3 * len(inputs)}
        return Replied(content={"object": "list", "model": asked.body["model"], "data": data, "usage": usage})

    return reply


def _completion(
    asked: Asked, message: Mapping[str, Any], finish: str, usage: Mapping[str, int] | None
) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": asked.body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }


def event(delta: Mapping[str, Any], finish: str | None, usage: Mapping[str, int] | None = None) -> bytes:
    """Return one piece of a stream; with ``usage`` the one that tells the counts."""
    choices = [] if usage is not None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices}
    return b"data: " + json.dumps({**chunk, "usage": usage}).encode() + b"\n\n"


def _events(text: str, finish: str, usage: Mapping[str, int] | None) -> list[bytes]:
    pieces = [event({"content": text[start : start + 5]}, None) for start in range(0, len(text), 5)]
    counted = [] if usage is None else [event({}, None, usage)]
    return [*pieces, event({}, finish), *counted, b"data: [DONE]\n\n"]


class ScriptedOpenAiServer:
    """The running server. ``asked`` are the requests that came; ``script`` may be replaced at any time."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._now = 0
        self._counting = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"scripted": self}))
        self._http.daemon_threads = True
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def reply_to(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Replied:
        with self._counting:
            asked = Asked(number=len(self.asked), path=path, headers=headers, body=body)
            self.asked.append(asked)
            script = self.script
        if callable(script):
            return script(asked)
        return script[min(asked.number, len(script) - 1)](asked)

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._counting:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            yield
        finally:
            with self._counting:
                self._now -= 1

    def stop(self) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripted: ScriptedOpenAiServer

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            with self.scripted.counted():
                self._send(self.scripted.reply_to(self.path, headers, body))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model", "created": 0, "owned_by": "us"}]}
        self._send(Replied(content=models))

    def _send(self, reply: Replied) -> None:
        stream = bool(reply.pieces)
        content = reply.content
        whole = content if isinstance(content, bytes) else json.dumps(content).encode()
        time.sleep(0 if stream else reply.delay_s)
        self.send_response(reply.status)
        kind = "text/event-stream" if stream else "application/json"
        for name, value in {"Content-Type": kind, **reply.headers}.items():
            self.send_header(name, value)
        if stream or reply.endless:
            # The end of the connection is the end of the body.
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(whole)))
        self.end_headers()
        self._send_parts(reply, reply.pieces if stream else [whole])

    def _send_parts(self, reply: Replied, parts: Iterable[bytes]) -> None:
        sent, part = 0, b""
        for part in parts:
            time.sleep(reply.delay_s if reply.pieces else 0)
            self.wfile.write(part if reply.cut is None else part[: max(0, reply.cut - sent)])
            sent += len(part)
            if reply.cut is not None and sent >= reply.cut:
                self.close_connection = True
                return
        while reply.endless and not self.scripted.stopping.is_set():
            time.sleep(reply.delay_s)
            self.wfile.write(part)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def scripted_server(script: Script) -> Iterator[ScriptedOpenAiServer]:
    """Run a server for the time of the block."""
    server = ScriptedOpenAiServer(script)
    try:
        yield server
    finally:
        server.stop()
