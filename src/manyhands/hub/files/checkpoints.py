"""Checkpoints of a session: those at the ends of turns, and those made before something drastic."""

from __future__ import annotations

from manyhands.contract.files import CheckpointView
from manyhands.errors import NotFound
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.session.history import Checkpoint
from manyhands.model.session.session import Session
from manyhands.station import checkpoints as station


def checkpoints(hub: Hub, ref: str) -> list[CheckpointView]:
    """Oldest first."""
    s = require_session(hub.state, ref)
    return [CheckpointView(c.id, c.turn, c.at, c.commit) for c in s.history.checkpoints]


def require_checkpoint(s: Session, id: str) -> Checkpoint:
    found = next((c for c in s.history.checkpoints if c.id == id), None)
    if found is None:
        there = ", ".join(c.id for c in s.history.checkpoints[-12:]) or "none yet"
        raise NotFound(f"{s.slug} has no checkpoint {id!r}", hint=f"there are: {there}")
    return found


async def make_checkpoint(hub: Hub, session: SessionId, *, mending: bool = False) -> Checkpoint:
    """One more, between turns: the third after turn 4 is called ``4.3``."""
    s = require_session(hub.state, session)
    taken = {c.id for c in s.history.checkpoints}
    id = next(f"{s.main.turn}.{n}" for n in range(1, 10**6) if f"{s.main.turn}.{n}" not in taken)
    commit = await station.make_checkpoint(worktree_of(hub, s), id, mending=mending)
    made = e.CheckpointMade(session=s.id, turn=s.main.turn, checkpoint=id, commit=commit)
    await hub.record(made)
    return require_checkpoint(require_session(hub.state, session), id)
