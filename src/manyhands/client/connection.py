"""One request to the hub over loopback HTTP, repeated safely when the hub goes away meanwhile.

A hub that cannot be reached at all is `HubDown` at once. A connection lost after the request
was sent is tried again for a bounded time: every command carries an id, so the hub answers
the second time as it did the first and changes nothing twice.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from manyhands.client.address import credentials, hub_down, renewed_token, require_address
from manyhands.client.http import FIRST_ERROR, as_error, converse, request_bytes
from manyhands.config import Home
from manyhands.contract.hub import HubAddress
from manyhands.errors import BadInput, HubDown, NotFound
from manyhands.model.clock import monotonic
from manyhands.model.ids import fresh_id
from manyhands.process.peer import listens

READ_SECONDS = 60.0
COMMAND_SECONDS = 900.0
PATIENCE = 5.0
"""How long a lost connection is tried again."""
UNKNOWN_TOKEN = 401
UP_AGAIN = "start it again: manyhands up"
_PAUSE = 0.1
_SHORT = 1.0
"""A request that was held longer than this met a working hub, so patience starts anew."""

T = TypeVar("T")
Body = Mapping[str, Any] | None
Seconds = float | None


class ConnectionLost(HubDown):
    """The hub went away between the request and its answer."""


class Connection:
    """The hub of one home. Nothing is opened before the first request."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def fetch(self, path: str, /, *, timeout: Seconds = READ_SECONDS, **query: object) -> bytes:
        """GET: the answer's bytes, not decoded; what is None is not asked, a tuple item by item."""
        given = ((name, v if isinstance(v, tuple) else (v,)) for name, v in query.items())
        asked = urlencode([(name, _text(v)) for name, vs in given for v in vs if v is not None])
        target = f"{path}?{asked}" if asked else path
        return persist(lambda: self._once("GET", target, b"", {}, timeout), PATIENCE)

    def send(self, path: str, body: Body = None, *, timeout: Seconds = COMMAND_SECONDS) -> bytes:
        """POST a command under a fresh id, which makes sending it again harmless."""
        headers = {"Command-Id": fresh_id(20)}
        return persist(lambda: self.post(path, body, headers, timeout), PATIENCE)

    def fetch_of(self, session: str, operation: str = "", /, **query: Any) -> bytes:
        return self.fetch(session_path(session, operation), **query)

    def send_to(self, session: str, operation: str, body: Body = None, **how: Any) -> bytes:
        return self.send(session_path(session, operation), body, **how)

    def post(
        self,
        path: str,
        body: Body = None,
        headers: Mapping[str, str] | None = None,
        timeout: Seconds = READ_SECONDS,
    ) -> bytes:
        """POST once, without an id; raises `ConnectionLost` where nobody knows what came of it."""
        given = {"Content-Type": "application/json", **(headers or {})}
        return self._once("POST", path, _encoded(body or {}), given, timeout)

    def _once(
        self,
        method: str,
        target: str,
        body: bytes,
        headers: Mapping[str, str],
        timeout: Seconds,
        *,
        again: bool = True,
    ) -> bytes:
        address = require_address(self.home)
        asker = credentials(self.home)
        request = request_bytes(address.port, method, target, {**asker, **headers}, body)
        with open_link(self.home, address, timeout) as link:
            try:
                reply = converse(link, request)
            except TimeoutError as error:
                raise hub_down(self.home, f"process {address.pid} is silent") from error
            except OSError as error:
                raise ConnectionLost(
                    f"the hub of {self.home.root} went away", hint=UP_AGAIN
                ) from error
        if reply.status == UNKNOWN_TOKEN and again and renewed_token(self.home, asker):
            return self._once(method, target, body, headers, timeout, again=False)
        if reply.status >= FIRST_ERROR:
            raise as_error(reply.body, reply.status) or _stranger(address, reply.status)
        return reply.body


def open_link(home: Home, address: HubAddress, timeout: Seconds) -> socket.socket:
    """To the hub itself: who took its port in the meantime is not told our token."""
    try:
        link = socket.create_connection(("127.0.0.1", address.port), timeout)
    except OSError as error:
        raise hub_down(home) from error
    if not listens(address.pid, address.port):
        link.close()
        raise hub_down(home, f"another program listens on its port {address.port}")
    return link


def persist(attempt: Callable[[], T], patience: float) -> T:
    """The attempt's result; once lost it is repeated until a hub has been missing too long."""
    deadline: float | None = None
    while True:
        begun = monotonic()
        try:
            return attempt()
        except HubDown as error:
            now = monotonic()
            if isinstance(error, ConnectionLost) and (deadline is None or now - begun > _SHORT):
                deadline = now + patience
            if deadline is None or now >= deadline:
                raise
        time.sleep(_PAUSE)


def session_path(ref: str, operation: str = "") -> str:
    """The path of a session by whatever the user calls it, which may hold any character."""
    if ref in {"", ".", ".."}:
        raise NotFound(f"no session is called {ref!r}", hint="see: manyhands ls --all")
    path = f"/api/sessions/{quote(ref, safe='', errors='surrogateescape')}"
    return f"{path}/{operation}" if operation else path


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError as error:
        raise BadInput(
            "what was given is not valid UTF-8", hint="names and messages are UTF-8 text"
        ) from error


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _stranger(address: HubAddress, status: int) -> HubDown:
    return HubDown(
        f"what answers at {address.url} is not this home's hub (HTTP {status})",
        hint=UP_AGAIN,
    )
