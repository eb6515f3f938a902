"""A session's events, from any number on."""

from __future__ import annotations

from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session


async def log(hub: Hub, ref: str, *, after: int, limit: int) -> list[bytes]:
    """Bodies on the wire, in order."""
    session = require_session(hub.state, ref).id
    return [body for _, body in await hub.store.events(after, session=session, limit=limit)]


async def last_events(hub: Hub, ref: str, limit: int) -> list[bytes]:
    """The end of the log, in order."""
    session = require_session(hub.state, ref).id
    return [body for _, body in await hub.store.last_events(session, limit)]
