"""The HTTP side: routes, timing, and a server that binds the loopback only."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from types import FrameType
from typing import Any

import msgspec
import uvicorn

from manyhands.rehearsal import anthropic, completions, responses
from manyhands.rehearsal.reply import ModelReply, json_reply

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MODELS = ("claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5", "gpt-5", "rehearsal")

OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
LARGEST_BODY = 64 * 1024 * 1024
"""Well over what a model's service takes, and no more than a machine can spare."""

_ANSWERS: dict[str, Callable[[bytes, str], ModelReply]] = {
    "/messages": anthropic.answer,
    "/messages/count_tokens": anthropic.count_tokens,
    "/responses": responses.answer,
    "/chat/completions": completions.answer,
}


async def app(scope: Message, receive: Receive, send: Send) -> None:
    """The ASGI application: stateless, so any number of requests may run side by side."""
    if scope["type"] != "http":
        return
    reply = _stranger(scope) or await _answer(scope, receive)
    if reply is not None:
        await _send_reply(reply, receive, send)


async def _answer(scope: Message, receive: Receive) -> ModelReply | None:
    """None if the client went away before it had said all."""
    try:
        body = await _body(receive)
    except _TooLarge:
        most = LARGEST_BODY // 2**20
        reply = _refusal(413, "request_too_large", f"A request may have {most} MB at most.")
        # Else the server would go on to read what nobody wants.
        return msgspec.structs.replace(reply, headers={**reply.headers, "connection": "close"})
    return None if body is None else _reply(scope["method"], scope["path"], body)


def _stranger(scope: Message) -> ModelReply | None:
    """Only programs on this machine ask a model here: no web page, by whatever name it came."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    port = scope["server"][1]
    if headers.get(b"host", "") not in {f"{name}:{port}" for name in OWN_NAMES}:
        return _refusal(403, "permission_error", "This address is not one of the server's own.")
    if b"origin" in headers:
        return _refusal(403, "permission_error", "Web pages are not answered.")
    return None


def _reply(method: str, path: str, body: bytes) -> ModelReply:
    route = re.sub(r"^/v1(?=/)", "", path.rstrip("/"))
    if method == "POST" and route in _ANSWERS:
        try:
            return _ANSWERS[route](body, secrets.token_hex(12))
        except msgspec.DecodeError as problem:
            return _refusal(400, "invalid_request_error", str(problem))
    if method == "HEAD" or (method == "GET" and route == ""):
        return json_reply({"rehearsal": "ok"})
    if method == "GET" and route == "/models":
        return json_reply({"object": "list", "data": [_model(name) for name in MODELS]})
    return _refusal(404, "not_found_error", f"Nothing answers {method} {path} here.")


def _refusal(status: int, kind: str, message: str) -> ModelReply:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return json_reply(body, status=status)


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "type": "model", "display_name": name, "created": 0}


class _TooLarge(Exception):
    """Nobody needs to read the rest."""


async def _body(receive: Receive) -> bytes | None:
    """The whole request body; None if the client went away before its end."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            raise _TooLarge
        if not message.get("more_body", False):
            return b"".join(parts)


async def _send_reply(reply: ModelReply, receive: Receive, send: Send) -> None:
    if await _gone_during(reply.delay, receive):
        return
    given = {"content-type": reply.content_type, "cache-control": "no-cache", **reply.headers}
    headers = [(name.encode(), value.encode()) for name, value in given.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if reply.chunk_delay:
        for frame in reply.frames:
            await send({"type": "http.response.body", "body": frame, "more_body": True})
            if await _gone_during(reply.chunk_delay, receive):
                return
        await send({"type": "http.response.body", "body": b""})
    else:
        await send({"type": "http.response.body", "body": b"".join(reply.frames)})


async def _gone_during(seconds: float, receive: Receive) -> bool:
    """Pause; true at once when the client hangs up meanwhile."""
    if not seconds:
        return False
    try:
        async with asyncio.timeout(seconds):
            # With the body read, the only message that can still come is the disconnect.
            await receive()
    except TimeoutError:
        return False
    return True


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Open streams may have minutes of scripted delay before them: do not wait for any.
        self.force_exit = True
        super().handle_exit(sig, frame)


async def serve(
    host: str = "127.0.0.1", port: int = 0, ready: Callable[[str], None] | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; `ready` gets the URL once requests are accepted."""
    # By name: only then does asyncio send small answers at once, instead of 40 ms later.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    url = f"http://{host}:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_level="critical", access_log=False, backlog=512
    )
    with listener:
        await _Server(config, lambda: ready(url) if ready else None).serve([listener])
