"""Checkpoints of a session: those at the ends of turns, and those made before something drastic."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from manyhands.contract.files import CheckpointView
from manyhands.errors import NotFound
from manyhands.hub.core import Hub, require_session, settle_twin, worktree_of
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.session.history import Checkpoint
from manyhands.model.session.session import Session
from manyhands.station import checkpoints as station

KEPT_SECONDS = 60.0


async def kept(hub: Hub, ref: str) -> Session:
    """The session, once the turn that has just ended is kept, or is known not to be; bounded."""
    id = require_session(hub.state, ref).id
    with suppress(TimeoutError):
        async with asyncio.timeout(KEPT_SECONDS):
            await hub.until(lambda state: None if _is_due(state.session(id)) else True)
    return require_session(hub.state, id)


def _is_due(s: Session | None) -> bool:
    """A keeper that does not answer tells of no checkpoint either."""
    return s is not None and s.history.due > 0 and s.keeper.state != "unreachable"


async def checkpoints(hub: Hub, ref: str) -> list[CheckpointView]:
    """Oldest first."""
    s = await kept(hub, ref)
    return [CheckpointView(c.id, c.turn, c.at, c.commit) for c in s.history.checkpoints]


def require_checkpoint(s: Session, id: str) -> Checkpoint:
    found = next((c for c in s.history.checkpoints if c.id == id), None)
    if found is None:
        there = ", ".join(c.id for c in s.history.checkpoints[-12:]) or "none yet"
        raise NotFound(_missing(s, id), hint=f"there are: {there}")
    return found


def _missing(s: Session, id: str) -> str:
    why = next((u.why for u in reversed(s.history.unkept) if str(u.turn) == id), "")
    if why:
        return f"turn {id} of {s.slug} has no checkpoint: {why}"
    if id == str(s.main.turn) and s.main.in_turn:
        return f"turn {id} of {s.slug} is not over, so it has no checkpoint yet"
    if id == str(s.history.due):
        return f"the checkpoint of turn {id} of {s.slug} is still being made"
    return f"{s.slug} has no checkpoint {id!r}"


async def make_checkpoint(hub: Hub, session: SessionId, *, mending: bool = False) -> Checkpoint:
    """One more, between turns: the third after turn 4 is called ``4.3``."""
    s = require_session(hub.state, session)
    taken = {c.id for c in s.history.checkpoints}
    id = next(f"{s.main.turn}.{n}" for n in range(1, 10**6) if f"{s.main.turn}.{n}" not in taken)
    await settle_twin(hub, s, leaving=True)
    commit = await station.make_checkpoint(worktree_of(hub, s), id, mending=mending)
    made = e.CheckpointMade(session=s.id, turn=s.main.turn, checkpoint=id, commit=commit)
    await hub.record(made)
    return require_checkpoint(require_session(hub.state, session), id)
