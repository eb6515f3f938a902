"""The door: every request passes here before any route is looked at. Default is no.

Host and Origin are matched against exact lists for HTTP and WebSocket alike, since an
Origin that equals the Host does not stop DNS rebinding. No cookies: they ignore ports.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qs

import msgspec

from manyhands.api.askers import DECLARED, GONE, OURS, Askers
from manyhands.api.tokens import Principal, TokenKeeper
from manyhands.contract.hub import Failure
from manyhands.contract.live import FORBIDDEN, REVOKED
from manyhands.hub.core.asking import asking
from manyhands.model.envelope import Asker
from manyhands.model.ids import SessionId

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

LARGEST_BODY = 24 * 1024 * 1024
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_OPEN = {("POST", "/api/exchange")}
# The user's config may hold keys.
_EVENTS = "/api/events"
_HUMAN_READS = frozenset({"/api/config"})
_AGENT_MAY = re.compile(r"/api/(status|sessions/(?P<session>[^/]+)(/(events|diff))?)")

_NOTHING = re.compile(r"(?!)")
_AGENT_MAY_ASK = re.compile(r"/api/sessions/(?P<session>[^/]+)/proposals")
"""Of its own session, and a person decides what comes of it."""


class Refusal(Exception):
    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = msgspec.json.encode(Failure(code, message, hint))


class Guard:
    """Wraps the whole application."""

    def __init__(
        self,
        app: App,
        tokens: TokenKeeper,
        askers: Askers,
        hosts: Iterable[str],
        origins: Iterable[str],
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._askers = askers
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            asker = await self._admit(scope)
        except Refusal as refusal:
            await _refuse(scope, receive, send, refusal)
            return
        before = asking.set(asker)
        try:
            await self._app(scope, receive, _with_headers(scope, send))
        finally:
            asking.reset(before)

    async def _admit(self, scope: Scope) -> Asker | None:
        """Whoever asks for a change; those who only read are not looked at."""
        headers = _headers(scope)
        if headers.get("host", "") not in self._hosts:
            raise Refusal(403, "wrong_host", "this address is not one of the hub's own")
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            raise Refusal(403, "wrong_origin", "requests from other pages are refused")
        if scope["type"] == "websocket":
            return await self._admit_socket(scope, headers)
        method, path = scope["method"], scope["path"]
        reading = method in ("GET", "HEAD")
        if reading and not _is_api(path):
            return None
        if not reading:
            _require_json(headers)
        principal = None if (method, path) in _OPEN else self._bearer(headers)
        if principal is not None:
            _require_allowed(principal, method, path)
            scope.setdefault("state", {})["principal"] = principal
            if principal.kind != "human":
                return None
        if reading and path not in _HUMAN_READS and DECLARED not in headers:
            return None
        asker, session = await self._askers.find(scope, headers, principal)
        if session:
            _require_allowed(Principal("agent", SessionId(session)), method, path)
        return asker

    async def _admit_socket(self, scope: Scope, headers: dict[str, str]) -> Asker | None:
        """Events are for whoever may read; a terminal is a person's, whatever token an agent
        brings, and who may only read may only watch it."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        ticket = (query.get("ticket") or [""])[0]
        if ticket:
            if "origin" not in headers:
                raise Refusal(403, "wrong_origin", "a ticket is for the page only")
            principal = self._tokens.redeem(ticket)
            if principal is None:
                raise Refusal(401, "not_authorised", "the ticket was used already or is too old")
        else:
            principal = self._bearer(headers)
        if principal.kind == "agent":
            raise Refusal(403, "not_trusted", "an agent may not follow all sessions")
        scope.setdefault("state", {})["principal"] = principal
        if scope["path"] == _EVENTS:
            return None
        way = "GET" if query.get("mode") == ["watch"] else "POST"
        _require_allowed(principal, way, scope["path"])
        asker, session = await self._askers.find(scope, headers, principal)
        if session:
            _require_allowed(Principal("agent", SessionId(session)), "POST", scope["path"])
        return asker

    def _bearer(self, headers: dict[str, str]) -> Principal:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        principal = self._tokens.principal(token) if scheme.lower() == "bearer" else None
        if principal is None:
            hint = "`manyhands up` prints a link that lets a browser in"
            raise Refusal(401, "not_authorised", "no valid token was given", hint)
        return principal


def _is_api(path: str) -> bool:
    """By its first part, as the router sees it: to it ``//api`` is ``/api``."""
    return next(filter(None, path.split("/")), "") == "api"


def _require_allowed(principal: Principal, method: str, path: str) -> None:
    if principal.kind == "human":
        return
    reading = method in ("GET", "HEAD")
    if principal.kind == "agent":
        allowed = _AGENT_MAY if reading else _AGENT_MAY_ASK if method == "POST" else _NOTHING
        found = allowed.fullmatch(path)
        if found and found["session"] in (None, principal.session):
            return
    elif (reading and path not in _HUMAN_READS) or (method, path) == ("POST", "/api/ticket"):
        return
    if principal.kind != "agent":
        raise Refusal(403, "not_trusted", "this token does not allow that")
    raise Refusal(403, "not_trusted", *_words_for(principal.session))


def _words_for(session: str) -> tuple[str, str]:
    if session == GONE:
        return "only a person may do that, and whoever asked was gone before it could be seen", ""
    who = "a program that the hub runs" if session == OURS else f"the agent of session {session}"
    hint = "an agent may read its own session: manyhands show, log, diff or path, by its id"
    return f"this is {who}; only a person may do that", hint


def _require_json(headers: dict[str, str]) -> None:
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "not_json", "bodies are JSON", "send Content-Type: application/json")
    try:
        length = int(headers.get("content-length", "0"))
    except ValueError:
        length = LARGEST_BODY + 1
    if length > LARGEST_BODY:
        raise Refusal(413, "too_large", f"a body may have {LARGEST_BODY // 2**20} MB at most")


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _date() -> tuple[bytes, bytes]:
    return b"date", formatdate(usegmt=True).encode()


def _with_headers(scope: Scope, send: Send) -> Send:
    stored = b"no-store" if _is_api(scope["path"]) else None

    async def wrapped(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_HEADERS, _date()]
            if stored:
                message["headers"].append((b"cache-control", stored))
        await send(message)

    return wrapped


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            code = REVOKED if refusal.status == 401 else FORBIDDEN
            await send({"type": "websocket.close", "code": code})
            return
        prefix = "websocket.http.response"
    else:
        prefix = "http.response"
    headers = [(b"content-type", b"application/json"), *_HEADERS, _date()]
    await send({"type": f"{prefix}.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": refusal.body})
