"""The WebSocket of events: everything after N, then what is being said, then what comes.

A page rather says which topics it follows, and says so again as its screen changes.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import FromQuery

from manyhands.api.route import GivenHub, GivenPrincipal, GivenTokens
from manyhands.contract.live import REVOKED, TOO_SLOW, UNKNOWN, Wishes
from manyhands.errors import ManyhandsError
from manyhands.hub.core.feed import EVENTS, Feed, Packed, Subscription
from manyhands.hub.core.hub import Hub
from manyhands.hub.core.names import require_session
from manyhands.hub.core.showing import join, knows
from manyhands.hub.fleet.fleet import Fleet
from manyhands.model.ids import SessionId

Socket = WebSocket[Any, Any, Any]


class _Over(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@websocket("/api/events")
async def events(
    socket: Socket,
    hub: GivenHub,
    tokens: GivenTokens,
    principal: GivenPrincipal,
    *,
    after: FromQuery[int | None] = None,
    session: FromQuery[str | None] = None,
    topics: FromQuery[bool] = False,
) -> None:
    """With `topics`, nothing but what the reader then asks for; see `contract/live.py`."""
    await socket.accept()
    subscription = Subscription()
    try:
        if not topics:
            wanted = f"{EVENTS}/{require_session(hub.state, session).id}" if session else EVENTS
            join(hub, subscription, wanted, after)
    except ManyhandsError as error:
        await socket.close(code=UNKNOWN, reason=error.message[:100])
        return
    void = asyncio.Event()
    unwatch = tokens.on_revoked(lambda gone: void.set() if principal.hash in gone else None)
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_send(socket, subscription))
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
        hub.part(Feed).unsubscribe(subscription)
        hub.part(Fleet).set_looks(subscription, frozenset())


async def _end(event: asyncio.Event, code: int, reason: str) -> None:
    await event.wait()
    raise _Over(code, reason)


async def _send(socket: Socket, subscription: Subscription) -> None:
    while True:
        bodies: list[bytes] = []
        for entry in await subscription.take():
            if isinstance(entry, bytes) and not isinstance(entry, Packed):
                bodies.append(entry)
                continue
            await _send_bodies(socket, bodies)
            bodies = []
            if isinstance(entry, Packed):
                await socket.send_data(entry, mode="binary")
                continue
            async for body in entry():
                await _send_bodies(socket, [body])
        await _send_bodies(socket, bodies)


async def _send_bodies(socket: Socket, bodies: list[bytes]) -> None:
    if any(bodies):
        await socket.send_data((b"[" + b",".join(bodies) + b"]").decode(), mode="text")


async def _listen(hub: Hub, socket: Socket, subscription: Subscription) -> None:
    while True:
        try:
            said = await socket.receive_data(mode="text")
        except WebSocketDisconnect:
            raise _Over(0, "the reader went away") from None
        try:
            wishes = msgspec.json.decode(said, type=Wishes)
        except msgspec.DecodeError:
            raise _Over(1003, "not a message that this hub knows") from None
        if wishes.look is not msgspec.UNSET:
            known = {SessionId(id) for id in wishes.look} & hub.state.all_sessions().keys()
            hub.part(Fleet).set_looks(subscription, frozenset(known))
        if wishes.topics is not msgspec.UNSET:
            _follow(hub, subscription, wishes.topics)


def _follow(hub: Hub, subscription: Subscription, wanted: dict[str, int]) -> None:
    """From now on these topics, and no others."""
    for topic in subscription.topics - wanted.keys():
        hub.part(Feed).leave(subscription, topic)
    for topic, after in wanted.items():
        if topic not in subscription.topics and knows(hub, topic):
            join(hub, subscription, topic, after)
