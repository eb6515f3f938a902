"""The name in a TLS hello: real hellos, cut anywhere, in many records, and damaged ones."""

from __future__ import annotations

import contextlib
import ssl
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.box.network.hello import BadHello, client_hello, server_name


def real_hello(name: str | None) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    speaking = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        speaking.do_handshake()
    return outgoing.read()


HELLO = real_hello("pypi.test")


def records(data: bytes, size: int) -> bytes:
    """The same message, in records of so many bytes."""
    message = data[5:]
    pieces = [message[at : at + size] for at in range(0, len(message), size)]
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(piece)) + piece for piece in pieces)


@pytest.mark.parametrize("name", ["pypi.test", "a.b.c.example.com", "xn--bcher-kva.example"])
def test_the_name_of_a_real_hello_is_read(name: str) -> None:
    message = client_hello(real_hello(name))
    assert message is not None
    assert server_name(message) == name


def test_a_hello_without_a_name_has_none() -> None:
    message = client_hello(real_hello(None))
    assert message is not None
    assert server_name(message) == ""


@given(st.integers(1, 600))
def test_a_hello_may_come_in_many_records(size: int) -> None:
    message = client_hello(records(HELLO, size))
    assert message is not None
    assert server_name(message) == "pypi.test"


@given(st.integers(0, len(HELLO) - 1))
def test_a_hello_that_is_not_whole_is_waited_for(cut: int) -> None:
    assert client_hello(HELLO[:cut]) is None


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"\x16\x03\x01\x00\x00",
        b"\x16\x03\x01\xff\xff" + b"x" * 10,
        b"\x16\x02\x01\x00\x05",
        b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",
        b"\x16\x03\x01\x00\x04\x01\xff\xff\xff",
        b"\x15\x03\x03\x00\x02\x02\x28",
    ],
)
def test_what_is_no_hello_is_refused_at_once(data: bytes) -> None:
    with pytest.raises(BadHello):
        client_hello(data)


@given(st.integers(0, len(HELLO) - 1), st.integers(0, 255))
def test_a_damaged_hello_raises_nothing_else(at: int, value: int) -> None:
    data = HELLO[:at] + bytes([value]) + HELLO[at + 1 :]
    try:
        message = client_hello(data)
        name = "" if message is None else server_name(message)
    except BadHello:
        return
    assert len(name) < 300


@given(st.binary(max_size=300))
def test_any_bytes_are_a_hello_or_are_refused(data: bytes) -> None:
    with contextlib.suppress(BadHello):
        server_name(data)


def test_two_names_are_refused() -> None:
    named = b"\x00\x00\x00\x0e\x00\x0c\x00\x00\x09pypi.test"
    extensions = named + named
    hello = b"\x03\x03" + b"r" * 32 + b"\0" + b"\0\x02\x13\x01" + b"\x01\0"
    with pytest.raises(BadHello):
        server_name(hello + struct.pack(">H", len(extensions)) + extensions)
    assert server_name(hello + struct.pack(">H", len(named)) + named) == "pypi.test"
    assert server_name(hello) == ""
