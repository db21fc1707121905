import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.neo4j.bolt_wire import RUN, ConnectionEnded, Message, Unpacker, framed, pack, receive

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.binary(max_size=300)
    | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=20),
    max_leaves=40,
)


@given(VALUES)
def test_values_come_back(value: object) -> None:
    assert Unpacker(pack(value)).value() == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x2a", 42),
        (b"\xf0", -16),
        (b"\xc8\x80", -128),
        (b"\xc9\x7f\xff", 32767),
        (b"\xc1\x3f\xf8\x00\x00\x00\x00\x00\x00", 1.5),
        (b"\x82hi", "hi"),
        (b"\xd0\x02hi", "hi"),
        (b"\xcc\x02hi", b"hi"),
        (b"\xd5\x00\x01\xc3", [True]),
        (b"\xd8\x01\x81a\xc0", {"a": None}),
    ],
)
def test_every_form_of_the_protocol_is_read(data: bytes, value: object) -> None:
    assert Unpacker(data).value() == value


@pytest.mark.parametrize("data", [b"", b"\x85hi", b"\xc4", b"\xcc\x03ab", b"\x92\x01"])
def test_what_is_cut_off_or_unknown_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"cut off|no PackStream"):
        Unpacker(data).value()


def test_messages_travel_in_chunks() -> None:
    sent = Message(kind=RUN, fields=("x" * 100_000, {}, {"db": "neo4j"}))
    here, there = socket.socketpair()
    with here, there:
        there.settimeout(10)
        here.sendall(b"\x00\x00" + framed(sent))
        message = receive(there)
        here.close()
        with pytest.raises(ConnectionEnded):
            receive(there)
    assert message == sent
