"""The little of HTTP that one request over loopback needs, and the error that an answer holds.

Version 1.0, so that the server sends the body plainly and closes. The standard library's client
would do the same, but importing it takes longer than everything else in `manyhands ls --json`.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import msgspec

from manyhands import errors
from manyhands.contract.hub import Failure
from manyhands.errors import ManyhandsError

_CHUNK = 1024 * 1024
FIRST_ERROR = 400


class Reply(NamedTuple):
    status: int
    body: bytes


class CutOff(ConnectionError):
    """The other side hung up before its answer was whole."""


def request_bytes(
    port: int, method: str, target: str, headers: Mapping[str, str], body: bytes = b""
) -> bytes:
    """The bytes of a request to a loopback server."""
    named = {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body)), **headers}
    lines = [f"{method} {target} HTTP/1.0", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def converse(link: socket.socket, request: bytes) -> Reply:
    """Raises `OSError` where there is no whole answer."""
    # A refused request is answered before it was read whole.
    with suppress(BrokenPipeError, ConnectionResetError):
        link.sendall(request)
    head, found, body = _read_all(link).partition(b"\r\n\r\n")
    words = head.split(None, 2)
    if not found or not head.startswith(b"HTTP/") or not words[1].isdigit():
        raise CutOff("no answer")
    if len(body) < _announced(head):
        raise CutOff("half an answer")
    return Reply(int(words[1]), body)


def _read_all(link: socket.socket) -> bytes:
    parts = []
    while part := link.recv(_CHUNK):
        parts.append(part)
    return b"".join(parts)


def _announced(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return 0


_KINDS: list[type[ManyhandsError]] = [
    ManyhandsError,
    *ManyhandsError.__subclasses__(),
    errors.ForgeDenied,
]
_BY_CODE = {kind.code: kind for kind in _KINDS}
_BY_STATUS: dict[int, type[ManyhandsError]] = {
    400: errors.BadInput,
    401: errors.NotTrusted,
    403: errors.NotTrusted,
    404: errors.NotFound,
    409: errors.NotPossible,
    413: errors.BadInput,
    415: errors.BadInput,
}


def as_error(data: bytes, status: int = 500) -> ManyhandsError | None:
    """None where the bytes are not the hub's error shape."""
    try:
        said = msgspec.json.decode(data, type=Failure)
    except msgspec.DecodeError:
        return None
    kind = _BY_CODE.get(said.code) or _BY_STATUS.get(status, ManyhandsError)
    # Not by the constructor: some kinds take other fields, which did not travel.
    error = kind.__new__(kind)
    ManyhandsError.__init__(error, said.message, hint=said.hint)
    return error
