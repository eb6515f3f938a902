"""The hub's end of a viewer's connection: opened when one comes, passed through as it is."""

from __future__ import annotations

import asyncio

from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, require_living, require_session
from manyhands.hub.fleet.fleet import Fleet
from manyhands.keeper.claim import answering, is_claimed_by
from manyhands.model import wire
from manyhands.model.ids import SessionId, TerminalId
from manyhands.model.session.session import Session

CONNECT_SECONDS = 10.0

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def open_view(
    hub: Hub, s: Session, terminal: TerminalId, *, types: bool, rows: int, columns: int
) -> Ends:
    if s.keeper.state == "none":
        raise NotPossible("its program has ended, and what it wrote is gone")
    link = await hub.part(Fleet).require_keeper(s.id)
    view = wire.View(epoch=link.epoch, terminal=terminal, types=types, rows=rows, columns=columns)
    return await _open(hub, s.id, view)


async def open_run(hub: Hub, ref: str, program: tuple[str, ...]) -> Ends:
    s = require_session(hub.state, ref)
    require_living(s)
    link = await hub.part(Fleet).require_keeper(s.id)
    return await _open(hub, s.id, wire.Run(epoch=link.epoch, program=program))


async def _open(hub: Hub, session: SessionId, first: wire.AnyStream) -> Ends:
    """Raises where it is not the session's keeper that answers."""
    path, lock = hub.home.keeper_socket(session), hub.home.keeper_lock(session)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_unix_connection(str(path))
    except (OSError, TimeoutError) as error:
        raise NotPossible(f"its keeper does not answer: {error}") from error
    pid = answering(writer.get_extra_info("socket"))
    if pid and not is_claimed_by(pid, lock):
        writer.close()
        raise NotPossible(f"process {pid} answers in the place of its keeper")
    writer.write(wire.frame(first))
    return reader, writer
