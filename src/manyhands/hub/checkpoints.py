"""Checkpoints of a session: those at the ends of turns, and those made before something drastic."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import NotFound
from manyhands.git.refs import put_ref
from manyhands.git.snapshot import make_snapshot
from manyhands.hub.names import require_session
from manyhands.keeper.checkpoint import checkpoint_ref
from manyhands.model import events as e
from manyhands.model.clock import Instant, now
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session import Checkpoint, Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class CheckpointView(msgspec.Struct, frozen=True):
    id: str
    turn: int
    at: Instant
    commit: Oid


def checkpoints(hub: Hub, ref: str) -> list[CheckpointView]:
    """Oldest first."""
    s = require_session(hub.state, ref)
    return [CheckpointView(c.id, c.turn, c.at, c.commit) for c in s.checkpoints]


def require_checkpoint(s: Session, id: str) -> Checkpoint:
    found = next((c for c in s.checkpoints if c.id == id), None)
    if found is None:
        there = ", ".join(c.id for c in s.checkpoints[-12:]) or "none yet"
        raise NotFound(f"{s.slug} has no checkpoint {id!r}", hint=f"there are: {there}")
    return found


async def make_checkpoint(hub: Hub, session: SessionId) -> Checkpoint:
    """One more, between turns: the third after turn 4 is called ``4.3``."""
    s = require_session(hub.state, session)
    taken = {c.id for c in s.checkpoints}
    id = next(f"{s.turn}.{n}" for n in range(1, 10**6) if f"{s.turn}.{n}" not in taken)
    commit = await asyncio.to_thread(_make, hub, s, id)
    at = now()
    made = e.CheckpointMade(session=s.id, at=at, turn=s.turn, checkpoint=id, commit=commit)
    await hub.record(made)
    return require_checkpoint(require_session(hub.state, session), id)


def _make(hub: Hub, s: Session, id: str) -> Oid:
    kept = hub.home.sessions / s.id / "checkpoint"
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    worktree = Path(s.worktree)
    commit = make_snapshot(worktree, base=s.base_commit, kept=kept, listed=s.copied)
    put_ref(worktree, checkpoint_ref(s.id, id), commit)
    return commit
