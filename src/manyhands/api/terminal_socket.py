"""The WebSockets of a terminal's viewer and of a command that a person runs.

Bytes are binary messages, words are texts; what the hub has not got rid of it does not read, so a
slow reader holds back nobody but itself.
"""

from __future__ import annotations

import asyncio
from typing import Literal

import msgspec
from litestar import websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import FromPath, FromQuery

from manyhands.api.events_socket import Socket
from manyhands.api.route import GivenHub, GivenPrincipal, GivenTokens
from manyhands.api.tokens import Principal, TokenKeeper
from manyhands.contract.live import REVOKED, UNKNOWN
from manyhands.contract.terminals import CommandRun
from manyhands.errors import BadInput, ManyhandsError
from manyhands.hub.core import Onlookers, require_living, require_session
from manyhands.hub.core.hub import Hub
from manyhands.hub.terminals.streams import Ends, open_run, open_view
from manyhands.hub.terminals.terminals import require_command, require_terminal
from manyhands.model.ids import TerminalId
from manyhands.model.terminal import stream

LONGEST_WORDS = 64 * 1024


class _Over(Exception):
    def __init__(self, code: int = 1000, reason: str = "") -> None:
        super().__init__(reason)
        self.code = code


@websocket("/api/sessions/{ref:str}/terminals/{name:str}/socket")
async def terminal_socket(
    socket: Socket,
    hub: GivenHub,
    tokens: GivenTokens,
    principal: GivenPrincipal,
    name: FromPath[str],
    *,
    mode: FromQuery[Literal["type", "watch"]] = "type",
    rows: FromQuery[int] = 24,
    columns: FromQuery[int] = 80,
) -> None:
    await socket.accept()
    seen = hub.part(Onlookers)
    try:
        s = require_session(hub.state, socket.path_params["ref"])
        require_living(s)
        id = require_terminal(s, name).id
        types = mode == "type"
        ends = await open_view(hub, s, id, types=types, rows=rows, columns=columns)
    except ManyhandsError as error:
        await _refuse(socket, error)
        return
    seen.viewers[id] += 1
    try:
        await _join(hub, socket, tokens, principal, ends, id)
    finally:
        seen.viewers[id] -= 1


@websocket("/api/sessions/{ref:str}/run")
async def run_socket(
    socket: Socket,
    hub: GivenHub,
    tokens: GivenTokens,
    principal: GivenPrincipal,
    ref: FromPath[str],
) -> None:
    await socket.accept()
    try:
        asked = msgspec.json.decode(await socket.receive_data(mode="text"), type=CommandRun)
        require_command(asked.command)
        if not asked.command:
            raise BadInput("no command was given")
        ends = await open_run(hub, ref, asked.command)
    except WebSocketDisconnect:
        return
    except msgspec.MsgspecError as error:
        await _refuse(socket, BadInput(f"not a command: {error}"))
        return
    except ManyhandsError as error:
        await _refuse(socket, error)
        return
    await _join(hub, socket, tokens, principal, ends)


async def _refuse(socket: Socket, error: ManyhandsError) -> None:
    said = ": ".join(filter(None, (error.message, error.hint)))
    await socket.send_data(stream.said(stream.ErrorWord(message=said)).decode(), mode="text")
    await socket.close(code=UNKNOWN, reason=error.message[:100])


async def _join(
    hub: Hub,
    socket: Socket,
    tokens: TokenKeeper,
    principal: Principal,
    ends: Ends,
    terminal: TerminalId | None = None,
) -> None:
    """Pass everything on between both, until one of them goes."""
    reader, writer = ends
    void = asyncio.Event()
    unwatch = tokens.on_revoked(lambda gone: void.set() if principal.hash in gone else None)
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_outward(hub, socket, reader, terminal))
            tasks.create_task(_inward(socket, writer))
            tasks.create_task(_end(void, REVOKED, "the token is no longer valid"))
            tasks.create_task(_end(hub.stopping, 1001, "the hub ends"))
    except* _Over as group:
        over = group.exceptions[0]
        assert isinstance(over, _Over)
        if over.code:
            await socket.close(code=over.code, reason=str(over))
    except* (WebSocketDisconnect, OSError):
        pass
    finally:
        unwatch()
        writer.transport.abort()


async def _end(event: asyncio.Event, code: int, reason: str) -> None:
    await event.wait()
    raise _Over(code, reason)


async def _outward(
    hub: Hub, socket: Socket, reader: asyncio.StreamReader, terminal: TerminalId | None
) -> None:
    while (found := await stream.read_frame(reader)) is not None:
        kind, data = found
        if kind == stream.BYTES:
            await socket.send_data(data, mode="binary")
            continue
        if terminal is not None:
            _note(hub, terminal, stream.told(data))
        await socket.send_data(data.decode(), mode="text")
    raise _Over(1000, "its keeper let go of it")


def _note(hub: Hub, terminal: TerminalId, word: stream.ToViewer) -> None:
    seen = hub.part(Onlookers)
    if isinstance(word, stream.ScreenWord | stream.TitleWord):
        seen.titles[terminal] = word.title
    if isinstance(word, stream.ScreenWord | stream.SizeWord):
        seen.sizes[terminal] = (word.rows, word.columns)


async def _inward(socket: Socket, writer: asyncio.StreamWriter) -> None:
    while True:
        message = await socket.receive()
        if message["type"] != "websocket.receive":
            raise _Over(0)
        if (keys := message.get("bytes")) is not None:
            kind, data = stream.BYTES, keys
        else:
            kind, data = stream.WORDS, str(message.get("text") or "").encode()
        if len(data) > (stream.LARGEST_TYPED if kind == stream.BYTES else LONGEST_WORDS):
            raise _Over(1009, "a message that is too long")
        writer.write(stream.frame(kind, data))
        await writer.drain()
