"""Heads of HTTP messages on their way through the proxy: read strictly, written anew. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from manyhands.box.network.hosts import HostPort, require_target

LONGEST_HEAD = 64 * 1024
END = b"\r\n\r\n"
HOP_BY_HOP = frozenset(
    [
        *("connection", "proxy-connection", "keep-alive", "proxy-authenticate"),
        *("proxy-authorization", "te", "upgrade"),
    ]
)
"""Between two neighbours only. A body goes on byte by byte, and so does how it is framed."""
_REQUEST = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP/(1\.[01])")
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: .*)?")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")


class BadHead(ValueError):
    """What came is no such message, or not one that can be passed on safely."""


@dataclass(frozen=True)
class Head:
    start: bytes
    fields: tuple[tuple[bytes, bytes], ...]

    def values(self, name: str) -> list[str]:
        wanted = name.encode()
        return [value.decode("latin-1") for key, value in self.fields if key.lower() == wanted]

    def with_fields(self, *more: tuple[bytes, bytes]) -> Head:
        return replace(self, fields=(*self.fields, *more))

    def without(self, names: Iterable[str]) -> Head:
        gone = {name.encode() for name in names}
        return replace(self, fields=tuple(f for f in self.fields if f[0].lower() not in gone))

    def encode(self) -> bytes:
        return b"\r\n".join([self.start, *(b": ".join(field) for field in self.fields)]) + END


def parse(raw: bytes) -> Head:
    """`raw` ends with the empty line. Folded lines and bare line feeds are refused."""
    start, *lines = raw.removesuffix(END).split(b"\r\n")
    fields = []
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None or b"\n" in line or b"\0" in line:
            raise BadHead("a header field that cannot be read")
        fields.append((found[1], found[2]))
    return Head(start, tuple(fields))


@dataclass(frozen=True)
class Request:
    method: str
    target: HostPort
    head: Head
    """As it goes on to the server; for CONNECT nothing does."""

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"


def parse_request(raw: bytes) -> Request:
    head = parse(raw)
    found = _REQUEST.fullmatch(head.start)
    if found is None:
        raise BadHead("no request of HTTP/1.1")
    method, uri, version = found[1].decode(), found[2].decode(), found[3].decode()
    try:
        if method == "CONNECT":
            return Request(method, require_target(uri), head)
        return _forwarded(method, uri, version, head)
    except BadHead:
        raise
    except ValueError as error:
        raise BadHead(str(error)) from None


def _forwarded(method: str, uri: str, version: str, head: Head) -> Request:
    if uri.startswith("/") or uri == "*":
        raise BadHead("this is a proxy: it wants a whole URL")
    parts = urlsplit(uri)
    if parts.scheme.lower() != "http" or not parts.netloc:
        raise BadHead("only http goes through like this; for https use CONNECT")
    target = require_target(parts.netloc, 80)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # The server is told the host that was judged, whatever else the program says.
    onward = _passed_on(head, also=("host",)).with_fields(
        (b"Host", parts.netloc.encode()), (b"Connection", b"close")
    )
    start = f"{method} {path} HTTP/{version}".encode()
    return Request(method, target, replace(onward, start=start))


def parse_tunnelled(raw: bytes, target: HostPort) -> Head:
    """A request inside a tunnel, as it goes on; it must name the tunnel's own host."""
    head = parse(raw)
    found = _REQUEST.fullmatch(head.start)
    if found is None or not (found[2].startswith(b"/") or found[2] == b"*"):
        raise BadHead("only HTTP/1.1 goes through a tunnel to this port")
    try:
        [named] = head.values("host")
        is_same = require_target(named, target.port) == target
    except ValueError:
        is_same = False
    if not is_same:
        raise BadHead(f"the tunnel is for {target}, the request within is for another host")
    return _passed_on(head).with_fields((b"Connection", b"close"))


def _passed_on(head: Head, also: Iterable[str] = ()) -> Head:
    named = {
        word.strip().lower() for value in head.values("connection") for word in value.split(",")
    }
    framing = {"content-length", "transfer-encoding"}
    return head.without(HOP_BY_HOP | (named - framing) | set(also))


def status_of(head: Head) -> int:
    found = _STATUS.fullmatch(head.start)
    if found is None:
        raise BadHead("no answer of HTTP/1.1")
    return int(found[1])


def answered(head: Head) -> Head:
    """A server's answer as the program gets it: one for each connection."""
    return _passed_on(head).with_fields((b"Connection", b"close"))


def body_length(head: Head) -> int | None:
    """How many bytes follow a request's head; None where they come in chunks."""
    codings, lengths = head.values("transfer-encoding"), set(head.values("content-length"))
    if codings:
        if lengths or [c.strip().lower() for c in codings] != ["chunked"]:
            raise BadHead("a body whose end cannot be told")
        return None
    if len(lengths) > 1 or not all(re.fullmatch(r"[0-9]{1,18}", length) for length in lengths):
        raise BadHead("a body whose length cannot be told")
    return int(lengths.pop()) if lengths else 0


def refusal(status: int, sentence: str) -> bytes:
    """What a program gets instead; many show only the first line, so the sentence is there too."""
    plain = "".join(c if c.isprintable() else " " for c in sentence)
    body = f"{plain}\n".encode()
    line = plain.encode("ascii", "replace")
    return (
        b"HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n" % (status, line)
        + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
        + body
    )
