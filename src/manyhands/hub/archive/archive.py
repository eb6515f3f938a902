"""Archive a session: everything it holds is kept, and its worktree moves to the trash.

A job: a hub that dies in between is followed by one that finishes it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.contract.sessions import Plan
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.archive.plan import plan_archive
from manyhands.hub.core import Hub, Jobs, require_session, settle_twin, worktree_of
from manyhands.hub.core.work import Kind, Step, StepDone, Work, open_jobs
from manyhands.hub.creation.setup import SETUP, tear_down
from manyhands.hub.creation.steps import CREATE
from manyhands.hub.files.checkpoints import make_checkpoint
from manyhands.hub.fleet import keepers
from manyhands.hub.fleet.secrets import revoke_token
from manyhands.model import events as e
from manyhands.model.ids import CommandId
from manyhands.model.jobs.events import JobEnded
from manyhands.model.session.session import Session
from manyhands.station import archive as station
from manyhands.station.worktree import is_there

STEP = "archive"


async def archive(
    hub: Hub, ref: str, *, dry_run: bool = False, command: CommandId | None = None
) -> Plan:
    s = require_session(hub.state, ref)
    jobs = hub.part(Jobs)
    if (begun := await jobs.begun_by(command)) is not None:
        return await jobs.answer(begun, Plan)
    if s.life.archived:
        raise NotPossible(f"{s.slug} is archived already")
    plan = await plan_archive(hub, s)
    if dry_run:
        return plan
    if plan.blocked_by:
        raise NotPossible(f"{s.slug} cannot be archived: {'; '.join(plan.blocked_by)}")
    return await carry_out(hub, s, plan, command=command)


async def carry_out(hub: Hub, s: Session, plan: Plan, *, command: CommandId | None = None) -> Plan:
    """Archive it, whatever the plan says; the plan is the answer."""
    jobs = hub.part(Jobs)
    begun = e.StepStarted(session=s.id, step=STEP)
    job = await jobs.start(ARCHIVE, Archiving(plan=plan), s, begun, command=command)
    return await jobs.answer(job, Plan)


class Archiving(msgspec.Struct, frozen=True, kw_only=True):
    plan: Plan | None = None
    """None where an earlier version began it."""


async def _stop(work: Work[Archiving]) -> None:
    hub, s = work.hub, work.session
    await keepers.stop_keeper(hub, s.id)
    await station.end_left_over(worktree_of(hub, s))
    await revoke_token(hub, s)


async def _tear_down(work: Work[Archiving]) -> None:
    await tear_down(work.hub, work.session)


async def _has_files(work: Work[Archiving]) -> bool:
    return _has_own(work.session) and await is_there(worktree_of(work.hub, work.session))


def _has_own(s: Session) -> bool:
    return s.life.has_worktree and not s.workspace.in_place


async def _keep(work: Work[Archiving]) -> None:
    await settle_twin(work.hub, work.session, leaving=True)
    await make_checkpoint(work.hub, work.session.id)
    await station.keep(worktree_of(work.hub, work.session))


async def _move(work: Work[Archiving]) -> StepDone:
    hub, s = work.hub, work.session
    trash = str(hub.home.trash / s.id)
    kept = await station.put_away(worktree_of(hub, s), trash) if _has_own(s) else ""
    done = e.SessionArchived(session=s.id, rescue=kept, trash=trash if kept else "")
    return StepDone((done, *_abandoned(work)), answer=work.asked.plan)


def _abandoned(work: Work[Archiving]) -> Iterator[JobEnded]:
    """What was begun to make it ready; a restore takes it up again."""
    for job in open_jobs(work.state, work.session.id):
        if job.kind in (CREATE.name, SETUP.name):
            why = "the session was archived"
            yield JobEnded(session=job.session, job=job.id, end="cancelled", error=why)


def _failed(work: Work[Archiving], error: ManyhandsError | OSError) -> list[e.AnyEvent]:
    why = f"it could not be archived: {error}"
    return [e.SessionFailed(session=work.session.id, step="trash", error=why)]


ARCHIVE = Kind(
    STEP,
    Archiving,
    (
        Step("keeper", _stop),
        Step("teardown", _tear_down),
        Step("checkpoint", _keep, needed=_has_files),
        Step("move", _move, final=True),
    ),
    failed=_failed,
    left=lambda s: Archiving() if s.life.step == STEP and not s.life.error else None,
)
