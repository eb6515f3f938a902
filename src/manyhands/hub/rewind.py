"""Bring a session's files back to a checkpoint, and its dialogue where the agent can.

Steps, each harmless to repeat after a kill: stop the keeper, make a checkpoint of what is
there now, put the files back, put the branch back. Nothing is lost by it: the checkpoint made
first is a way forward again.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git.head import set_head_back
from manyhands.git.restore import restore_snapshot
from manyhands.git.snapshot import load_snapshot
from manyhands.git.worktrees import reconnect
from manyhands.hub import keepers
from manyhands.hub.checkpoints import make_checkpoint, require_checkpoint
from manyhands.hub.failpoint import reach
from manyhands.hub.names import require_session
from manyhands.hub.places import is_moving
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.session import Checkpoint, Session
from manyhands.model.state import State
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


async def rewind(
    hub: Hub, ref: str, checkpoint: str, *, command: CommandId | None = None
) -> SessionView:
    def decide(state: State) -> Decision[str]:
        s = require_session(state, ref)
        require_still(s)
        target = require_checkpoint(s, checkpoint)
        began = e.RewindStarted(session=s.id, at=now(), turn=target.turn, checkpoint=target.id)
        return Decision((began,), s.id)

    session = SessionId(await hub.write(decide, command=command))
    if require_session(hub.state, session).rewinding:
        await finish_rewind(hub, session)
    return session_view(require_session(hub.state, session))


def require_still(s: Session) -> None:
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if is_moving(s):
        raise NotPossible(f"{s.slug} is in the middle of something else: {s.step}")
    if s.in_turn or s.place or s.undelivered or s.answers:
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first"
        )
    if not s.ready:
        raise NotPossible(f"{s.slug} is not ready yet")


async def finish_rewind(hub: Hub, session: SessionId) -> None:
    """Carry out, or carry on, a rewind that is on record."""
    reach(hub.home, "before:rewind")
    s = require_session(hub.state, session)
    target = require_checkpoint(s, s.rewinding)
    try:
        if s.keeper != "none":
            await keepers.stop_keeper(hub, session)
        reach(hub.home, "rewind:keeper-stopped")
        if not s.kept_before and Path(s.worktree).is_dir():
            await asyncio.to_thread(reconnect, Path(s.repo), Path(s.worktree))
            await make_checkpoint(hub, session)
        reach(hub.home, "rewind:checkpoint-made")
        note = await asyncio.to_thread(_put_back, hub, s, target)
    except (ManyhandsError, OSError) as error:
        await hub.record(*_broken_off(s, target, error))
        raise
    reach(hub.home, "done:rewind")
    await hub.record(*_rewound(require_session(hub.state, session), target, note))
    reach(hub.home, "after:rewind")


def _put_back(hub: Hub, s: Session, target: Checkpoint) -> str:
    repo, worktree = Path(s.repo), Path(s.worktree)
    restore_snapshot(repo, worktree, target.commit, undo_ref=f"refs/manyhands/undo/{s.id}")
    reach(hub.home, "rewind:files-back")
    return set_head_back(worktree, load_snapshot(repo, target.commit).manifest)


def _rewound(s: Session, target: Checkpoint, note: str) -> list[e.AnyEvent]:
    """The dialogue follows where the checkpoint knows its point, or came before any word."""
    forked = bool(target.mark) or not any(c.turn for c in s.checkpoints if c.turn <= target.turn)
    told = note if forked else _told(s, target, note)
    rewound = e.SessionRewound(
        session=s.id,
        at=now(),
        turn=s.turn,
        checkpoint=target.id,
        commit=target.commit,
        forked=forked,
        note=told,
    )
    if forked:
        return [rewound]
    why = f"the dialogue could not be taken back to turn {target.turn}: the agent gave no mark"
    return [rewound, e.NoteMade(session=s.id, at=now(), turn=s.turn, text=why)]


def _told(s: Session, target: Checkpoint, note: str) -> str:
    words = (
        f"The files of this worktree were put back to what they were at the end of turn "
        f"{target.turn}. Look at them before you rely on anything you did later."
    )
    return f"{words} Also, {note}." if note else words


def _broken_off(s: Session, target: Checkpoint, error: Exception) -> list[e.AnyEvent]:
    text = f"the rewind to checkpoint {target.id} broke off: {error}; what was there is kept"
    return [
        e.StepFinished(session=s.id, at=now(), step="rewind"),
        e.NoteMade(session=s.id, at=now(), turn=s.turn, text=text),
    ]
