"""Bring a session's files back to a checkpoint, and its dialogue where the agent can.

A job: stop the keeper, make a checkpoint of what is there now, put the files back, put the branch
back. Nothing is lost by it: the checkpoint made first is a way forward again.
"""

from __future__ import annotations

from typing import Any

import msgspec

from manyhands.contract.sessions import SessionView
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.core import (
    Hub,
    Jobs,
    require_living,
    require_session,
    rest_twin,
    view_of,
    worktree_of,
)
from manyhands.hub.core.work import Kind, Step, StepDone, Work
from manyhands.hub.files.checkpoints import kept, make_checkpoint, require_checkpoint
from manyhands.hub.fleet import keepers
from manyhands.hub.fleet.places import is_moving
from manyhands.model import events as e
from manyhands.model.ids import CommandId
from manyhands.model.session.history import Checkpoint
from manyhands.model.session.session import Session
from manyhands.station.checkpoints import put_back
from manyhands.station.worktree import is_there

STEP = "rewind"


async def rewind(
    hub: Hub, ref: str, checkpoint: str, *, command: CommandId | None = None
) -> SessionView:
    s, jobs = await kept(hub, ref), hub.part(Jobs)
    if (job := await jobs.begun_by(command)) is None:
        require_still(s)
        target = require_checkpoint(s, checkpoint)
        began = e.RewindStarted(session=s.id, turn=target.turn, checkpoint=target.id)
        asked = Rewinding(checkpoint=target.id)
        still = lambda state: require_still(require_session(state, s.id))  # noqa: E731
        job = await jobs.start(REWIND, asked, s, began, allowed=still, command=command)
    await jobs.end(job)
    return view_of(hub, s)


class Rewinding(msgspec.Struct, frozen=True, kw_only=True):
    checkpoint: str


def require_still(s: Session) -> None:
    require_living(s)
    if is_moving(s):
        raise NotPossible(f"{s.slug} is in the middle of something else: {s.life.step}")
    if s.main.in_turn or s.place.granted or s.main.undelivered or s.inbox.answers:
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first"
        )
    if s.main.taken:
        raise NotPossible(f"{s.slug} is taken over", hint=f"`manyhands give {s.slug}` first")
    if not s.life.ready:
        raise NotPossible(f"{s.slug} is not ready yet")


async def stop_keeper(work: Work[Any]) -> None:
    await keepers.stop_keeper(work.hub, work.session.id)


async def _is_unkept(work: Work[Rewinding]) -> bool:
    s = work.session
    return not s.history.kept_before and await is_there(worktree_of(work.hub, s))


async def _keep(work: Work[Rewinding]) -> None:
    await make_checkpoint(work.hub, work.session.id, mending=True)


async def _put_back(work: Work[Rewinding]) -> StepDone:
    target = require_checkpoint(work.session, work.asked.checkpoint)
    note = await put_back(worktree_of(work.hub, work.session), target.commit)
    await rest_twin(work.hub, work.session)
    return StepDone(_rewound(work.session, target, note))


def _rewound(s: Session, target: Checkpoint, note: str) -> list[e.AnyEvent]:
    """The dialogue follows where the checkpoint knows its point, or came before any word."""
    forked = bool(target.mark) or not any(
        c.turn for c in s.history.checkpoints if c.turn <= target.turn
    )
    told = note if forked else _told(s, target, note)
    rewound = e.SessionRewound(
        session=s.id,
        turn=s.main.turn,
        checkpoint=target.id,
        commit=target.commit,
        forked=forked,
        note=told,
    )
    if forked:
        return [rewound]
    why = f"the dialogue could not be taken back to turn {target.turn}: the agent gave no mark"
    return [rewound, e.NoteMade(session=s.id, turn=s.main.turn, text=why)]


def _told(s: Session, target: Checkpoint, note: str) -> str:
    words = (
        f"The files of this worktree were put back to what they were at the end of turn "
        f"{target.turn}. Look at them before you rely on anything you did later."
    )
    return f"{words} Also, {note}." if note else words


def _failed(work: Work[Rewinding], error: ManyhandsError | OSError) -> list[e.AnyEvent]:
    s, id = work.session, work.asked.checkpoint
    text = f"the rewind to checkpoint {id} broke off: {error}; what was there is kept"
    return [
        e.StepFinished(session=s.id, step=STEP),
        e.NoteMade(session=s.id, turn=s.main.turn, text=text),
    ]


def _left(s: Session) -> Rewinding | None:
    begun = s.history.rewinding and not s.life.error
    return Rewinding(checkpoint=s.history.rewinding) if begun else None


REWIND = Kind(
    STEP,
    Rewinding,
    (
        Step("keeper", stop_keeper),
        Step("checkpoint", _keep, needed=_is_unkept),
        Step("files", _put_back, final=True),
    ),
    failed=_failed,
    left=_left,
)
