"""Heads of requests and answers on their way through a preview: read strictly, written anew. Pure.

Whatever two readers could understand in two ways is refused: that is how a request is smuggled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from manyhands.api.preview.bodies import Body, Chunked, Nothing, Sized, UntilEnd
from manyhands.api.preview.refusal import PreviewRefused

LONGEST_HEAD = 64 * 1024
END = b"\r\n\r\n"
_REQUEST = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([/*][\x21-\x7e]*) HTTP/1\.([01])\r\n")
_ANSWER = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\r\n\x00]*)?\r\n")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*)\r\n")
_FIELDS = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\x00]*\r\n)*")
_LENGTH = re.compile(rb"[0-9]{1,18}")
_DOMAIN = re.compile(rb";[ \t]*domain[ \t]*(?:=[^;]*)?(?=;|$)", re.IGNORECASE)

_NEIGHBOURS = frozenset(
    [
        *(b"connection", b"proxy-connection", b"keep-alive", b"proxy-authenticate"),
        *(b"proxy-authorization", b"te", b"upgrade"),
    ]
)
"""Between two neighbours only."""
_FRAMING = frozenset([b"content-length", b"transfer-encoding"])
_LOOKED_AT = frozenset([*_NEIGHBOURS, *_FRAMING, b"host", b"origin", b"authorization"])
_REPLACED = frozenset([*_NEIGHBOURS, b"x-frame-options", b"origin-agent-cluster"])
_CHANGED = frozenset([*_REPLACED, *_FRAMING, b"content-security-policy", b"set-cookie"])
_NO_BODY = frozenset([b"204", b"304"])

Fields = list[tuple[bytes, bytes]]
IsOurs = Callable[[str], bool]
"""Whether a token is one of ours, which no app may see."""


@dataclass(slots=True)
class AppRequest:
    """A request, as it goes on to the app."""

    method: bytes
    host: str
    origin: str
    onward: bytes
    body: Body
    lasting: bool
    """Whether whoever asks would send another one on this connection."""
    upgrade: bool
    """Whether it wants to become a WebSocket."""
    navigates: bool
    """Whether a person's browser wants to show what comes."""

    @property
    def repeatable(self) -> bool:
        return self.method in (b"GET", b"HEAD", b"OPTIONS") and self.body.done


@dataclass(slots=True)
class AppAnswer:
    status: bytes
    onward: bytes
    body: Body
    lasting: bool

    @property
    def interim(self) -> bool:
        return self.status[:1] == b"1" and self.status != b"101"


def asked(raw: bytes, is_ours: IsOurs) -> AppRequest:
    """`raw` ends with the empty line."""
    start = _REQUEST.match(raw)
    if start is None or (start[2][:1] == b"*" and (start[1], start[2]) != (b"OPTIONS", b"*")):
        raise PreviewRefused(400, "this is no request of HTTP/1.1 for a path")
    fields = _fields(raw, start.end(), 400)
    special, passed = _sorted(fields, _LOOKED_AT)
    hosts = special.get(b"host", [])
    if len(hosts) != 1:
        raise PreviewRefused(400, "a request names one host")
    body = _request_body(special, start[3])
    named = _named(special.get(b"connection", []))
    if named & _FRAMING or b"host" in named:
        raise PreviewRefused(400, "the end of a request cannot be for one connection only")
    upgrade = _wants_socket(special, named, start[1], start[3], body)
    lines = [start[0], b"Host: ", hosts[0], b"\r\n"]
    for name, value in passed:
        if name.lower() not in named:
            lines += (name, b": ", value, b"\r\n")
    for name in (b"origin", b"authorization", *_FRAMING):
        for value in special.get(name, ()):
            if name != b"authorization" or not _is_our_token(value, is_ours):
                lines += (name, b": ", value, b"\r\n")
    lines.append(b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" if upgrade else b"\r\n")
    return AppRequest(
        method=start[1],
        host=hosts[0].decode("latin-1").lower(),
        origin=b",".join(special.get(b"origin", [])).decode("latin-1").lower(),
        onward=b"".join(lines),
        body=body,
        lasting=start[3] == b"1" and b"close" not in named and not upgrade,
        upgrade=upgrade,
        navigates=b"text/html" in raw,
    )


def answered(raw: bytes, request: AppRequest, frames: bytes) -> AppAnswer:
    """`frames`: what each answer says beyond the app's own, by `framing_policy`."""
    start = _ANSWER.match(raw)
    if start is None:
        raise PreviewRefused(502, "the app's answer is no HTTP/1.1")
    special, passed = _sorted(_fields(raw, start.end(), 502), _CHANGED)
    status, named = start[2], _named(special.get(b"connection", []))
    changes = status == b"101"
    if changes and not (request.upgrade and _named(special.get(b"upgrade", [])) == {b"websocket"}):
        raise PreviewRefused(502, "the app changed to another protocol without being asked to")
    body = Nothing() if changes else _answer_body(special, status, request)
    # The version is ours, whatever the app's.
    lines = [b"HTTP/1.1 ", raw[len(b"HTTP/1.1 ") : start.end()]]
    for name, value in (*passed, *_rewritten(special)):
        if name.lower() not in named:
            lines += (name, b": ", value, b"\r\n")
    whole = start[1] == b"1" and b"close" not in named
    answer = AppAnswer(status, b"", body, whole and not isinstance(body, UntilEnd))
    if changes:
        lines.append(b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    elif answer.interim:
        lines.append(b"\r\n")
    else:
        ends = not request.lasting or isinstance(body, UntilEnd)
        lines += (frames, b"Connection: close\r\n\r\n" if ends else b"\r\n")
    answer.onward = b"".join(lines)
    return answer


def _rewritten(special: dict[bytes, list[bytes]]) -> Fields:
    fields = [(name, value) for name in _FRAMING for value in special.get(name, ())]
    # A cookie for all of the site would go to the apps of other sessions too.
    fields += [(b"Set-Cookie", _DOMAIN.sub(b"", c)) for c in special.get(b"set-cookie", ())]
    policies = map(_without_ancestors, special.get(b"content-security-policy", ()))
    return fields + [(b"Content-Security-Policy", policy) for policy in policies if policy]


@lru_cache(maxsize=8)
def framing_policy(frames: tuple[str, ...]) -> bytes:
    """What each answer says beyond the app's own: who may show it, and that it is an agent cluster
    of its own, so that a busy app does not keep the page from drawing."""
    allowed = " ".join(["'self'", *frames]).encode()
    return (
        b"Content-Security-Policy: frame-ancestors " + allowed + b"\r\nOrigin-Agent-Cluster: ?1\r\n"
    )


def _fields(raw: bytes, at: int, status: int) -> Fields:
    whole = _FIELDS.match(raw, at)
    if whole is None or whole.end() != len(raw) - 2:
        raise PreviewRefused(status, "a header field cannot be read")
    return _FIELD.findall(raw, at)


def _sorted(fields: Fields, wanted: frozenset[bytes]) -> tuple[dict[bytes, list[bytes]], Fields]:
    special: dict[bytes, list[bytes]] = {}
    passed = []
    for field in fields:
        name = field[0].lower()
        if name in wanted:
            special.setdefault(name, []).append(field[1].strip(b" \t"))
        else:
            passed.append(field)
    return special, passed


def _named(values: Iterable[bytes]) -> set[bytes]:
    return {word.strip().lower() for value in values for word in value.split(b",")} - {b""}


def _request_body(special: dict[bytes, list[bytes]], minor: bytes) -> Body:
    codings, lengths = special.get(b"transfer-encoding"), special.get(b"content-length")
    if codings:
        if lengths or minor == b"0" or [c.lower() for c in codings] != [b"chunked"]:
            raise PreviewRefused(400, "the end of the request's body cannot be told")
        return Chunked()
    return Nothing() if lengths is None else _sized(lengths, 400)


def _answer_body(special: dict[bytes, list[bytes]], status: bytes, request: AppRequest) -> Body:
    codings, lengths = special.get(b"transfer-encoding"), special.get(b"content-length")
    if codings and (lengths or [c.lower() for c in codings] != [b"chunked"]):
        raise PreviewRefused(502, "the end of the app's answer cannot be told")
    if status[:1] == b"1" or status in _NO_BODY or request.method == b"HEAD":
        return Nothing()
    if codings:
        return Chunked()
    return UntilEnd() if lengths is None else _sized(lengths, 502)


def _sized(lengths: list[bytes], status: int) -> Body:
    if len(lengths) != 1 or not _LENGTH.fullmatch(lengths[0]):
        raise PreviewRefused(status, "the length of the body cannot be told")
    return Sized(int(lengths[0]))


def _wants_socket(
    special: dict[bytes, list[bytes]], named: set[bytes], method: bytes, minor: bytes, body: Body
) -> bool:
    """Any other upgrade is not passed on: what came after would be seen by nobody."""
    wanted = _named(special.get(b"upgrade", []))
    asks = wanted == {b"websocket"} and b"upgrade" in named
    return asks and method == b"GET" and minor == b"1" and body.done


def _is_our_token(value: bytes, is_ours: IsOurs) -> bool:
    return is_ours(value.decode("latin-1").rpartition(" ")[2])


def _without_ancestors(value: bytes) -> bytes:
    policies = []
    for policy in value.split(b","):
        parts = (part.strip() for part in policy.split(b";"))
        kept = [p for p in parts if p and not p.lower().startswith(b"frame-ancestors")]
        if kept:
            policies.append(b"; ".join(kept))
    return b", ".join(policies)
