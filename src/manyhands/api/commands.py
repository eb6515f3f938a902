"""A command counts once: sent again under its `Command-Id`, it is answered as it was before.

Every POST route stands behind `CountOnce`. Of two at a time the second waits for the first; what
failed left nothing behind and is tried again. Where the answer is kept differs by route:

- `after`: here, once the route has succeeded; the rule.
- `own`: the operation's own transaction holds the receipt, and the operation reads it.
- `memory`: the answer may hold a secret, so it is never stored; only who asks the same gets it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import Any, Literal
from weakref import WeakValueDictionary

import msgspec
from litestar import Request
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from manyhands.errors import StoreFailed
from manyhands.hub.core.hub import Hub
from manyhands.model.ids import CommandId
from manyhands.store import Decision

Receipt = Literal["after", "own", "memory"]
OWN = {"receipt": "own"}
MEMORY = {"receipt": "memory"}
AnyRequest = Request[Any, Any, Any]
FIRST_ERROR = 400
MOST_IN_MEMORY = 200

log = logging.getLogger(__name__)


class KeptAnswer(msgspec.Struct, frozen=True):
    status: int
    type: str
    body: str


def command_of(request: AnyRequest) -> CommandId | None:
    """The sender's name for this command."""
    given = request.headers.get("command-id", "")
    return CommandId(f"{request.url.path} {given[:200]}") if given else None


class CountOnce(ASGIMiddleware):
    """Routes are made before there is a hub, so its `Commands` come with the request."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        commands: Commands = scope["state"]["commands"]
        await commands.handle(scope, receive, send, next_app)


class Commands:
    """Of one hub: which are under way, and what is known of those before."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._memory: dict[str, KeptAnswer] = {}

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        request: AnyRequest = Request(scope, receive, send)
        command = command_of(request)
        if command is None or request.method != "POST":
            await next_app(scope, receive, send)
            return
        receipt: Receipt = request.route_handler.opt.get("receipt", "after")
        key = await _asked(request, command) if receipt == "memory" else f"answer {command}"
        async with self._under_way.setdefault(key, asyncio.Lock()):
            answer = await self._known(receipt, key)
            if answer is None:
                answer = await _run(next_app, scope, receive)
                if answer.status < FIRST_ERROR:
                    await self._keep(receipt, key, answer)
        await _give(send, answer)

    async def _known(self, receipt: Receipt, key: str) -> KeptAnswer | None:
        if receipt == "memory":
            return self._memory.get(key)
        seen = await self._hub.receipt(CommandId(key)) if receipt == "after" else None
        return None if seen is None else msgspec.convert(seen, KeptAnswer)

    async def _keep(self, receipt: Receipt, key: str, answer: KeptAnswer) -> None:
        if receipt == "memory":
            self._memory[key] = answer
            if len(self._memory) > MOST_IN_MEMORY:
                del self._memory[next(iter(self._memory))]
        elif receipt == "after":
            try:
                await self._hub.store.write(lambda _: Decision((), answer), receipt=CommandId(key))
            except StoreFailed:
                # What was asked is done all the same, and whoever asked should know it.
                log.exception("no receipt could be kept of: %s", key)


async def _asked(request: AnyRequest, command: CommandId) -> str:
    """Names the asker and all that was asked."""
    principal = request.scope["state"].get("principal")
    asker = principal.hash if principal else ""
    body = hashlib.sha256(await request.body()).hexdigest()
    return f"{asker} {body} {command}"


async def _run(app: ASGIApp, scope: Scope, receive: Receive) -> KeptAnswer:
    status, kind, parts = 500, "", []

    async def take(message: Message) -> None:
        nonlocal status, kind
        if message["type"] == "http.response.start":
            status = message["status"]
            kind = dict(message["headers"]).get(b"content-type", b"").decode("latin-1")
        elif message["type"] == "http.response.body":
            parts.append(message["body"])

    await app(scope, receive, take)
    return KeptAnswer(status, kind, b"".join(parts).decode())


async def _give(send: Send, answer: KeptAnswer) -> None:
    body = answer.body.encode()
    headers = [
        (b"content-type", answer.type.encode("latin-1")),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
