"""A proxy before a real server that reads what clients say, and ends their connections at messages that a test chooses.

Clients that go through it speak Bolt 5.8 at most: it leaves out the first offer of their handshake, which would begin
an exchange of more than four bytes.
"""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tests.neo4j import bolt_wire as wire
from tests.neo4j.bolt_wire import ConnectionEnded

Cut: TypeAlias = Literal["pass", "before", "after"]
Decide: TypeAlias = Callable[[str, int], Cut]

_NAMES = {wire.BEGIN: "BEGIN", wire.RUN: "RUN", wire.PULL: "PULL", wire.COMMIT: "COMMIT"}
_MAGIC_AND_FIRST_OFFER = 8
_OTHER_OFFERS = 12
_READ_AT_ONCE = 65_536
_LONGEST_ANSWER = 30.0


@dataclass(kw_only=True)
class CuttingProxy:
    """A running proxy. ``decide`` is asked for every message of a kind, with how many of that kind there have been.

    It says whether the connection ends ``before`` the server gets the message, or ``after`` the server has answered it,
    which the client then never hears.
    """

    port: int
    upstream: int
    decide: Decide = lambda *_: "pass"
    seen: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def uri(self) -> str:
        """The address for drivers."""
        return f"bolt://127.0.0.1:{self.port}"

    def verdict(self, message: bytes) -> Cut:
        """Count a message and return what happens to it."""
        name = _NAMES.get(message[1])  # after the marker of a structure
        if name is None:
            return "pass"
        with self._lock:
            self.seen[name] = self.seen.get(name, 0) + 1
            return self.decide(name, self.seen[name])


@contextmanager
def cutting_proxy(upstream: int) -> Iterator[CuttingProxy]:
    """Serve on a free port of the loopback what a server on port ``upstream`` says, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = CuttingProxy(port=listener.getsockname()[1], upstream=upstream)
        thread = threading.Thread(target=_accept, args=(proxy, listener), daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def _accept(proxy: CuttingProxy, listener: socket.socket) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        try:
            server = socket.create_connection(("127.0.0.1", proxy.upstream))
        except OSError:
            client.close()
            continue
        for connection in (client, server):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        threading.Thread(target=_Passage(proxy, client, server).run, daemon=True).start()


class _Passage:
    """One connection through the proxy."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._answered = threading.Event()
        self._unheard = False

    def run(self) -> None:
        try:
            with suppress(ConnectionEnded, OSError):
                self._pass_questions()
        finally:
            for connection in (self._client, self._server):
                with suppress(OSError):  # a thread may still read from it, and would keep it open
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()

    def _pass_questions(self) -> None:
        self._server.sendall(wire.receive_bytes(self._client, _MAGIC_AND_FIRST_OFFER)[:4] + bytes(4))
        self._server.sendall(wire.receive_bytes(self._client, _OTHER_OFFERS))
        threading.Thread(target=self._pass_answers, daemon=True).start()
        while True:
            message, raw = wire.receive_frame(self._client)
            cut = self._proxy.verdict(message)
            if cut == "before":
                return
            self._unheard = cut == "after"
            self._server.sendall(raw)
            if cut == "after":
                self._answered.wait(_LONGEST_ANSWER)
                return

    def _pass_answers(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(_READ_AT_ONCE):
                if self._unheard:
                    self._answered.set()
                    return
                self._client.sendall(data)
        with suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)
