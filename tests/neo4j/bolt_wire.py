"""Bolt on the wire, as much of it as a server of tests needs: values, messages, and what they are framed in.

PackStream: https://neo4j.com/docs/bolt/current/packstream/; messages and frames: https://neo4j.com/docs/bolt/current/bolt/.
"""

import socket
import struct
from dataclasses import dataclass
from typing import Any

HELLO, LOGON, LOGOFF, GOODBYE, RESET, RUN, DISCARD, PULL, BEGIN, COMMIT, ROLLBACK, ROUTE = (
    0x01, 0x6A, 0x6B, 0x02, 0x0F, 0x10, 0x2F, 0x3F, 0x11, 0x12, 0x13, 0x66,
)  # fmt: skip
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F

MAGIC = b"\x60\x60\xb0\x17"
_LARGEST_CHUNK = 0xFFFF
_SIZES = {1: ">B", 2: ">H", 4: ">I"}
# Marker of the short form (its low bits are the size) where there is one, and of those with a size of 1, 2 and 4 bytes.
_TEXT = (0x80, {1: 0xD0, 2: 0xD1, 4: 0xD2})
_LIST = (0x90, {1: 0xD4, 2: 0xD5, 4: 0xD6})
_MAP = (0xA0, {1: 0xD8, 2: 0xD9, 4: 0xDA})
_BYTES = (None, {1: 0xCC, 2: 0xCD, 4: 0xCE})
_INTEGERS = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
_FIXED: dict[int, object] = {0xC0: None, 0xC2: False, 0xC3: True}


class ConnectionEnded(Exception):
    """The other side has closed the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message: its kind and its fields."""

    kind: int
    fields: tuple[Any, ...] = ()


def pack(value: object) -> bytes:  # noqa: PLR0911  # a table of types
    """Encode a value; whole numbers all take eight bytes, which is allowed."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return struct.pack(">Bq", 0xCB, value)
        case float():
            return struct.pack(">Bd", 0xC1, value)
        case str():
            encoded = value.encode()
            return _header(_TEXT, len(encoded)) + encoded
        case bytes():
            return _header(_BYTES, len(value)) + value
        case list() | tuple():
            return _header(_LIST, len(value)) + b"".join(pack(part) for part in value)
        case dict():
            return _header(_MAP, len(value)) + b"".join(pack(key) + pack(part) for key, part in value.items())
        case Message():
            head = bytes((0xB0 | len(value.fields), value.kind))
            return head + b"".join(pack(field) for field in value.fields)
    raise TypeError(f"no PackStream for {type(value)}")


def _header(markers: tuple[int | None, dict[int, int]], size: int) -> bytes:
    short, long = markers
    if size < 16 and short is not None:
        return bytes((short | size,))
    width = 1 if size < 1 << 8 else 2 if size < 1 << 16 else 4
    return bytes((long[width],)) + struct.pack(_SIZES[width], size)


class Unpacker:
    """Decodes the values of a buffer one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def value(self) -> Any:  # noqa: ANN401  # whatever is there
        """Decode the next value; a structure becomes a ``Message``."""
        (marker,) = self._take(1)
        if marker < 0x80 or marker >= 0xF0:
            return marker if marker < 0x80 else marker - 0x100
        if marker in _FIXED:
            return _FIXED[marker]
        if marker == 0xC1:
            return self._number(">d")
        if marker in _INTEGERS:
            return self._number(_INTEGERS[marker])
        if marker & 0xF0 == 0xB0:
            (kind,) = self._take(1)
            return Message(kind=kind, fields=tuple(self.value() for _ in range(marker & 0x0F)))
        return self._sized(marker)

    def _sized(self, marker: int) -> object:
        if (size := self._size(marker, _TEXT)) is not None:
            return self._take(size).decode()
        if (size := self._size(marker, _BYTES)) is not None:
            return self._take(size)
        if (size := self._size(marker, _LIST)) is not None:
            return [self.value() for _ in range(size)]
        if (size := self._size(marker, _MAP)) is not None:
            return {self.value(): self.value() for _ in range(size)}
        raise ValueError(f"no PackStream marker: {marker:#x}")

    def _size(self, marker: int, markers: tuple[int | None, dict[int, int]]) -> int | None:
        short, long = markers
        if marker & 0xF0 == short:
            return marker & 0x0F
        for width, known in long.items():
            if marker == known:
                return int(self._number(_SIZES[width]))
        return None

    def _number(self, layout: str) -> Any:  # noqa: ANN401  # a whole number or a float
        return struct.unpack(layout, self._take(struct.calcsize(layout)))[0]

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) != size:
            raise ValueError("a value is cut off")
        self._at += size
        return taken


def receive_bytes(connection: socket.socket, size: int) -> bytes:
    """Read as many bytes; raises ``ConnectionEnded``."""
    data = b""
    while len(data) < size:
        try:
            part = connection.recv(size - len(data))
        except OSError as error:
            raise ConnectionEnded from error
        if not part:
            raise ConnectionEnded
        data += part
    return data


def receive_frame(connection: socket.socket) -> tuple[bytes, bytes]:
    """Read a message that is not decoded; return it and its bytes as they came. Raises ``ConnectionEnded``."""
    body, raw = b"", b""
    while True:
        head = receive_bytes(connection, 2)
        (size,) = struct.unpack(">H", head)
        chunk = receive_bytes(connection, size)
        raw += head + chunk
        body += chunk
        if size == 0 and body:  # an empty chunk before any other is a sign of life
            return body, raw


def receive(connection: socket.socket) -> Message:
    """Read a message; raises ``ConnectionEnded``."""
    body, _ = receive_frame(connection)
    message: Message = Unpacker(body).value()
    return message


def framed(message: Message) -> bytes:
    """Encode a message with its frame."""
    body = pack(message)
    chunks = [body[start : start + _LARGEST_CHUNK] for start in range(0, len(body), _LARGEST_CHUNK)]
    return b"".join(struct.pack(">H", len(chunk)) + chunk for chunk in chunks) + b"\x00\x00"
