"""The WebSocket of events: everything after N, then what is being said, then what comes."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import WebSocket, websocket
from litestar.datastructures import State as AppState
from litestar.exceptions import WebSocketDisconnect
from litestar.params import FromQuery

from manyhands.errors import ManyhandsError
from manyhands.hub.feed import Subscription
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model.ids import SessionId

TOO_SLOW = 4008
REVOKED = 4001
UNKNOWN = 4004
PAGE = 2000
Socket = WebSocket[Any, Any, Any]


class Looking(msgspec.Struct):
    """From the page: what is on the screen now."""

    look: list[str] = []


class _Over(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@websocket("/api/events")
async def events(
    socket: Socket,
    state: AppState,
    after: FromQuery[int | None] = None,
    session: FromQuery[str | None] = None,
) -> None:
    hub: Hub = state.hub
    await socket.accept()
    try:
        wanted = require_session(hub.state, session).id if session else None
    except ManyhandsError as error:
        await socket.close(code=UNKNOWN, reason=error.message[:100])
        return
    # Noted in the same moment: up to here the store tells, from here on the subscription.
    subscription, upto = hub.feed.subscribe(wanted), hub.store.last_seq
    void = asyncio.Event()
    mine = socket.scope["state"]["principal"].hash
    unwatch = state.tokens.on_revoked(lambda gone: void.set() if mine in gone else None)
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_send(hub, socket, subscription, after, upto))
            tasks.create_task(_listen(hub, socket, subscription))
            tasks.create_task(_end(subscription.cut, TOO_SLOW, "fell behind: resume with after=N"))
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
        hub.feed.unsubscribe(subscription)
        hub.fleet.set_looks(subscription, frozenset())


async def _end(event: asyncio.Event, code: int, reason: str) -> None:
    await event.wait()
    raise _Over(code, reason)


async def _send(
    hub: Hub, socket: Socket, subscription: Subscription, after: int | None, upto: int
) -> None:
    if after is not None:
        await _send_stored(hub, socket, subscription.session, after, upto)
    await _send_frame(socket, hub.feed.so_far(subscription.session))
    while True:
        await _send_frame(socket, await subscription.take())


async def _send_stored(
    hub: Hub, socket: Socket, session: SessionId | None, after: int, upto: int
) -> None:
    while page := await hub.store.events(after, session=session, upto=upto, limit=PAGE):
        await _send_frame(socket, [body for _, body in page])
        after = page[-1][0]


async def _send_frame(socket: Socket, bodies: list[bytes]) -> None:
    if bodies:
        await socket.send_data((b"[" + b",".join(bodies) + b"]").decode(), mode="text")


async def _listen(hub: Hub, socket: Socket, subscription: Subscription) -> None:
    while True:
        try:
            said = await socket.receive_data(mode="text")
        except WebSocketDisconnect:
            raise _Over(0, "the reader went away") from None
        try:
            looking = msgspec.json.decode(said, type=Looking)
        except msgspec.DecodeError:
            raise _Over(1003, "not a message that this hub knows") from None
        known = {SessionId(id) for id in looking.look} & hub.state.all_sessions().keys()
        hub.fleet.set_looks(subscription, frozenset(known))
