"""Bring a session back, at its old path: an archived one with files, branch and state; a living one
whose worktree, or git's record of it, somebody removed. It is there then, or it is refused."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.contract.sessions import SessionView
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, Jobs, require_session, view_of, worktree_of
from manyhands.hub.core.names import require_alone_in_place
from manyhands.hub.core.work import Kind, Step, StepDone, Work, left_over
from manyhands.hub.creation.ports import restore_with_ports
from manyhands.hub.creation.setup import SETUP
from manyhands.hub.creation.steps import CREATE
from manyhands.hub.files.rewind import require_still
from manyhands.hub.fleet.keepers import stop_keeper
from manyhands.model import events as e
from manyhands.model.attention.attention import Resolution, tells_of_gone
from manyhands.model.ids import CommandId, Oid
from manyhands.model.session.session import Session
from manyhands.station import checkpoints
from manyhands.station.archive import from_trash
from manyhands.station.worktree import find_harm, require_repository

STEP = "restore"


class Restoring(msgspec.Struct, frozen=True, kw_only=True):
    settles: bool = True
    """Whether the item that asks for it is settled by it, and not by who has answered it."""


async def restore(
    hub: Hub, ref: str, *, settles: bool = True, command: CommandId | None = None
) -> SessionView:
    s = require_session(hub.state, ref)
    jobs = hub.part(Jobs)
    if (job := await jobs.begun_by(command)) is None:
        await _require_lost(hub, s)
        require_alone_in_place(hub.state, s)
        begun = e.StepStarted(session=s.id, step=STEP)
        job = await jobs.start(RESTORE, Restoring(settles=settles), s, begun, command=command)
    await jobs.end(job)
    return view_of(hub, s)


async def _require_lost(hub: Hub, s: Session) -> None:
    at = worktree_of(hub, s)
    require_repository(at.repository)
    if s.life.archived:
        return
    if not s.life.ready or not await find_harm(at):
        raise NotPossible(f"{s.slug} is not archived, and its worktree is whole")
    require_still(s)


async def _bring_back(work: Work[Restoring]) -> StepDone:
    hub, s = work.hub, work.session
    at, note = worktree_of(hub, s), ""
    require_repository(at.repository)
    if s.life.archived and s.life.trash:
        note = await from_trash(at, s.life.trash, _last(s))
    elif s.life.has_worktree:
        await stop_keeper(hub, s.id)
        note = await checkpoints.bring_back(at, _last(s))
    if s.life.archived:
        await restore_with_ports(hub, s, e.SessionRestored(session=s.id, note=note))
        return StepDone([*left_over(work.state, (CREATE, SETUP))])
    moot = _moot(s) if work.asked.settles else ()
    return StepDone([e.StepFinished(session=s.id, step=STEP), _told(s, note), *moot])


def _last(s: Session) -> Oid | None:
    return s.history.checkpoints[-1].commit if s.history.checkpoints else None


def _told(s: Session, note: str) -> e.NoteMade:
    text = f"The worktree {s.workspace.worktree} is back{f': {note}' if note else ''}."
    return e.NoteMade(session=s.id, turn=s.main.turn, text=text)


def _moot(s: Session) -> Iterator[e.AnyEvent]:
    """What asked for it is settled by it."""
    for item in s.inbox.items:
        if tells_of_gone(item):
            settled = Resolution(("restore",), by="hub")
            yield e.AttentionResolved(session=s.id, item=item.id, resolution=settled)


def _is_wanted(work: Work[Restoring]) -> bool:
    return work.session.life.archived or work.session.life.step == STEP


RESTORE = Kind(
    STEP,
    Restoring,
    (Step("files", _bring_back, needed=_is_wanted, final=True),),
    failed=lambda work, error: [e.StepFinished(session=work.job.session, step=STEP)],
    left=lambda s: Restoring() if s.life.step == STEP and not s.life.error else None,
)
