"""Bring an archived session back: files, branch and state, at its old path."""

from __future__ import annotations

from manyhands.contract.sessions import SessionView
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, Jobs, require_session, view_of, worktree_of
from manyhands.hub.core.names import require_alone_in_place
from manyhands.hub.core.work import Kind, Plain, Step, StepDone, Work, left_over
from manyhands.hub.creation.ports import restore_with_ports
from manyhands.hub.creation.setup import SETUP
from manyhands.hub.creation.steps import CREATE
from manyhands.model import events as e
from manyhands.model.ids import CommandId
from manyhands.station.archive import bring_back

STEP = "restore"


async def restore(hub: Hub, ref: str, *, command: CommandId | None = None) -> SessionView:
    s = require_session(hub.state, ref)
    jobs = hub.part(Jobs)
    if (job := await jobs.begun_by(command)) is None:
        if not s.life.archived:
            raise NotPossible(f"{s.slug} is not archived")
        require_alone_in_place(hub.state, s)
        begun = e.StepStarted(session=s.id, step=STEP)
        job = await jobs.start(RESTORE, Plain(), s, begun, command=command)
    await jobs.end(job)
    return view_of(hub, s)


async def _bring_back(work: Work[Plain]) -> StepDone:
    s, note = work.session, ""
    if s.life.trash:
        note = await bring_back(worktree_of(work.hub, s), s.life.trash)
    await restore_with_ports(work.hub, s, e.SessionRestored(session=s.id, note=note))
    return StepDone([*left_over(work.state, (CREATE, SETUP))])


RESTORE = Kind(
    STEP,
    Plain,
    (Step("files", _bring_back, needed=lambda work: work.session.life.archived, final=True),),
    failed=lambda work, error: [e.StepFinished(session=work.job.session, step=STEP)],
    left=lambda s: Plain() if s.life.step == STEP and not s.life.error else None,
)
