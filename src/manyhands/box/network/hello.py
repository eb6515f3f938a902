"""The name that a TLS client asks for, read from the first message of the connection. Pure.

What comes is somebody's: every length is checked, and nothing is held beyond a bound.
"""

from __future__ import annotations

HANDSHAKE, CLIENT_HELLO, SERVER_NAME, HOST_NAME = 22, 1, 0, 0
LONGEST_RECORD = 16 * 1024 + 256
LONGEST_HELLO = 64 * 1024
"""A hello may come in many records; with keys of the newest kinds it has two kilobytes or so."""


class BadHello(ValueError):
    """What came is no beginning of TLS, or a damaged one."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise BadHello("it ends too soon")
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def block(self, size: int) -> _Reader:
        """What is preceded by its length, which takes so many bytes."""
        return _Reader(self.take(self.number(size)))


def client_hello(data: bytes) -> bytes | None:
    """The whole message out of the records that have come; None while some is missing."""
    message, at = bytearray(), 0
    while True:
        if len(message) >= 4:
            size = int.from_bytes(message[1:4], "big")
            if message[0] != CLIENT_HELLO or size > LONGEST_HELLO:
                raise BadHello("the first message is no hello")
            if len(message) >= 4 + size:
                return bytes(message[4 : 4 + size])
        head = data[at : at + 5]
        if head and (head[0] != HANDSHAKE or head[1:2] not in (b"", b"\x03")):
            raise BadHello("no TLS")
        if len(head) < 5:
            return None
        length = int.from_bytes(head[3:5], "big")
        if not 0 < length <= LONGEST_RECORD:
            raise BadHello("a record of no such length")
        if len(data) < at + 5 + length:
            return None
        message += data[at + 5 : at + 5 + length]
        at += 5 + length


def server_name(hello: bytes) -> str:
    """The name asked for; nothing where there is none."""
    reader = _Reader(hello)
    reader.take(2 + 32)
    for size in (1, 2, 1):  # session, ciphers, compression
        reader.block(size)
    if not reader.left:
        return ""
    extensions, found = reader.block(2), None
    while extensions.left:
        kind, content = extensions.number(2), extensions.block(2)
        if kind != SERVER_NAME:
            continue
        if found is not None:
            raise BadHello("two names")
        found = _host_name(content)
    return found or ""


def _host_name(content: _Reader) -> str:
    names = content.block(2)
    if names.number(1) != HOST_NAME:
        raise BadHello("a name of an unknown kind")
    name = names.block(2)
    if names.left or content.left:
        raise BadHello("several names")
    return name.take(name.left).decode("ascii", "replace")
