"""Counts how often a client waits for a server: the turns of a conversation, seen by a proxy in the middle."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

_BYTES = 1 << 16


class CountingProxy:
    """Forwards connections to a server on this machine's loopback, and counts the turns of its clients.

    A turn is what a client sends after it has heard from the server: whatever it sends before it listens is one
    round trip.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._lock = threading.Lock()
        self._turns = 0
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def turns(self) -> int:
        """How many turns there were so far."""
        with self._lock:
            return self._turns

    def __enter__(self) -> "CountingProxy":
        """Return the proxy itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        for opened in (self._listener, *self._sockets):
            opened.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
            except OSError:  # closed
                return
            for opened in (client, server):
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets += [client, server]
            _Conversation(client, server, self._count).start()

    def _count(self) -> None:
        with self._lock:
            self._turns += 1


class _Conversation:
    """One connection, both ways."""

    def __init__(self, client: socket.socket, server: socket.socket, count: Callable[[], None]) -> None:
        self._client = client
        self._server = server
        self._count = count
        self._server_spoke = True

    def start(self) -> None:
        """Forward until either side ends."""
        threading.Thread(target=self._upwards, daemon=True).start()
        threading.Thread(target=self._downwards, daemon=True).start()

    def _upwards(self) -> None:
        with suppress(OSError):
            while sent := self._client.recv(_BYTES):
                if self._server_spoke:
                    self._server_spoke = False
                    self._count()
                self._server.sendall(sent)
        self._end()

    def _downwards(self) -> None:
        with suppress(OSError):
            while sent := self._server.recv(_BYTES):
                self._server_spoke = True
                self._client.sendall(sent)
        self._end()

    def _end(self) -> None:
        for opened in (self._client, self._server):
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
