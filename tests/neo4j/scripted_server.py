"""A server that speaks Bolt 5.4 and does what a test tells it to: answers queries from a function, and fails on demand.

It plans nothing and stores nothing; what was run in transactions that were committed is kept, for tests to look at.
"""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tests.neo4j import bolt_wire as wire
from tests.neo4j.bolt_wire import ConnectionEnded, Message

Rows: TypeAlias = Sequence[Mapping[str, object]]
Answer: TypeAlias = Callable[[str, Mapping[str, Any]], Rows]
Step: TypeAlias = Literal["CONNECT", "HELLO", "LOGON", "ROUTE", "BEGIN", "RUN", "PULL", "COMMIT"]

_NAMES = {
    wire.HELLO: "HELLO",
    wire.LOGON: "LOGON",
    wire.ROUTE: "ROUTE",
    wire.BEGIN: "BEGIN",
    wire.RUN: "RUN",
    wire.PULL: "PULL",
    wire.COMMIT: "COMMIT",
}
_BOLT_5_4 = b"\x00\x00\x04\x05"
_LONGEST_HANG = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong, and when: at a step, in a query that holds a text, with parameters that pass, so many times.

    With a ``code`` the server fails with it. Otherwise it ``cuts`` the connection (``after`` it has committed, or
    before), says ``raw`` bytes (at ``CONNECT`` alone), or hangs.
    """

    at: Step
    code: str = ""
    text: str = "something about it"
    does: Literal["fail", "cut", "cut after", "say", "hang"] = "fail"
    raw: bytes = b""
    where: str = ""
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True
    times: int = 1


@dataclass(kw_only=True)
class ScriptedServer:
    """A running server; ``faults`` may be added at any time."""

    port: int
    answer: Answer
    faults: list[Fault] = field(default_factory=list)
    routes: Sequence[str] = ()
    """Addresses that a client is told of; this server's own where there are none."""
    hints: Mapping[str, object] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    steps: list[str] = field(default_factory=list)
    logons: list[Mapping[str, Any]] = field(default_factory=list)
    begun: list[Mapping[str, Any]] = field(default_factory=list)
    committed: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    bookmarks: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _times: dict[int, int] = field(default_factory=dict)

    @property
    def uri(self) -> str:
        """The address for drivers that want no routing."""
        return f"bolt://127.0.0.1:{self.port}"

    def next_fault(self, step: str, query: str = "", parameters: Mapping[str, Any] | None = None) -> Fault | None:
        """Return what goes wrong now, and count it."""
        with self._lock:
            self.steps.append(step)
            for number, fault in enumerate(self.faults):
                left = fault.times - self._times.get(number, 0)
                if fault.at == step and left > 0 and fault.where in query and fault.when(parameters or {}):
                    self._times[number] = self._times.get(number, 0) + 1
                    return fault
        return None

    def happened(self) -> int:
        """Return how many faults have happened."""
        return sum(self._times.values())


class _Cut(Exception):
    """The server ends a connection."""


class _Conversation:
    """One connection, from the handshake to its end."""

    def __init__(self, server: ScriptedServer, connection: socket.socket) -> None:
        self._server = server
        self._connection = connection
        self._failed = False
        self._open = False
        self._pending: list[tuple[str, Mapping[str, Any]]] = []
        self._rows: Rows = ()

    def run(self) -> None:
        with suppress(ConnectionEnded, _Cut, OSError), self._connection:
            self._handle(self._server.next_fault("CONNECT"))
            wire.receive_bytes(self._connection, 20)
            self._connection.sendall(_BOLT_5_4)
            while True:
                self._take(wire.receive(self._connection))

    def _take(self, message: Message) -> None:
        if message.kind == wire.GOODBYE:
            raise _Cut
        if message.kind == wire.RESET:
            self._failed, self._open, self._pending = False, False, []
            self._say(wire.SUCCESS, {})
        elif self._failed:
            self._say(wire.IGNORED)
        else:
            self._obey(message)

    def _obey(self, message: Message) -> None:
        step = _NAMES.get(message.kind, "")
        query, parameters = message.fields[:2] if message.kind == wire.RUN else ("", {})
        fault = self._server.next_fault(step, query, parameters)
        if fault is not None and fault.does == "cut after":
            self._commit()
            raise _Cut
        if not self._handle(fault):
            self._say(wire.SUCCESS, self._done(message))

    def _handle(self, fault: Fault | None) -> bool:
        """Do what goes wrong; return whether anything does."""
        if fault is None:
            return False
        if fault.does == "fail":
            self._failed, self._open, self._pending = True, False, []
            self._say(wire.FAILURE, {"code": fault.code, "message": fault.text})
            return True
        if fault.does == "hang":
            self._server.stopped.wait(_LONGEST_HANG)
        if fault.does == "say":
            wire.receive_bytes(self._connection, 20)  # what is not read when a connection ends makes it end abruptly
            self._connection.sendall(fault.raw)
            self._connection.shutdown(socket.SHUT_WR)
            with suppress(ConnectionEnded):
                wire.receive_bytes(self._connection, 1)
        raise _Cut

    def _done(self, message: Message) -> dict[str, object]:
        match message.kind:
            case wire.HELLO:
                return {"server": "Neo4j/5.26.0", "connection_id": "bolt-1", "hints": dict(self._server.hints)}
            case wire.LOGON:
                self._server.logons.append(message.fields[0])
            case wire.ROUTE:
                return {"rt": self._routing_table()}
            case wire.BEGIN:
                self._open = True
                self._server.begun.append(message.fields[0])
            case wire.RUN:
                return self._start(message)
            case wire.PULL:
                self._send_rows()
                ended = {"has_more": False, "type": "rw", "db": "neo4j"}
                return ended if self._open else {**ended, "bookmark": self._next_bookmark()}
            case wire.COMMIT:
                self._commit()
                return {"bookmark": self._next_bookmark()}
            case wire.ROLLBACK:
                self._open, self._pending = False, []
        return {}

    def _start(self, message: Message) -> dict[str, object]:
        query, parameters = message.fields[:2]
        self._rows = self._server.answer(query, parameters)
        self._pending.append((query, parameters))
        return {"fields": list(self._rows[0]) if self._rows else [], "t_first": 0, "qid": 0}

    def _send_rows(self) -> None:
        for row in self._rows:
            self._say(wire.RECORD, list(row.values()))
        self._rows = ()
        if not self._open:
            self._commit()

    def _commit(self) -> None:
        self._server.committed.extend(self._pending)
        self._open, self._pending = False, []

    def _next_bookmark(self) -> str:
        self._server.bookmarks.append(f"bookmark {len(self._server.bookmarks)}")
        return self._server.bookmarks[-1]

    def _routing_table(self) -> dict[str, object]:
        addresses = list(self._server.routes or [f"127.0.0.1:{self._server.port}"])
        servers = [{"addresses": addresses, "role": role} for role in ("ROUTE", "READ", "WRITE")]
        return {"ttl": 300, "db": "neo4j", "servers": servers}

    def _say(self, kind: int, *fields: object) -> None:
        self._connection.sendall(wire.framed(Message(kind=kind, fields=fields)))


@contextmanager
def serve(answer: Answer, *, tls: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    """Serve on a free port of the loopback until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = ScriptedServer(port=listener.getsockname()[1], answer=answer, tls=tls)
        threads = [threading.Thread(target=_accept, args=(server, listener), daemon=True)]
        threads[0].start()
        try:
            yield server
        finally:
            server.stopped.set()
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            threads[0].join(5)


def _accept(server: ScriptedServer, listener: socket.socket) -> None:
    while not server.stopped.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_converse, args=(server, connection), daemon=True).start()


def _converse(server: ScriptedServer, connection: socket.socket) -> None:
    # No lingering: a connection that is cut ends at once, as it does when a process dies.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if server.tls is not None:
        try:
            connection = server.tls.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
            return
    _Conversation(server, connection).run()
