"""Remove a session for good: by the same kind of plan, and only what the plan names."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import purge
from manyhands.git.diff import shown
from manyhands.hub import db
from manyhands.hub.archive import finish_archive
from manyhands.hub.names import require_session
from manyhands.hub.plan import Plan, plan_removal
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

SHOWN = 8


async def rm(hub: Hub, ref: str, *, yes: bool = False, dry_run: bool = False) -> Plan:
    """What would be lost is lost only with `yes`; a living session is archived first."""
    s = require_session(hub.state, ref)
    plan = await removal_plan(hub, s)
    if dry_run:
        return plan
    _require_allowed(s, plan, yes)
    if not s.archived:
        await hub.record(e.StepStarted(session=s.id, at=now(), step="archive"))
        await finish_archive(hub, s.id)
        plan = await _same_plan(hub, s, plan)
    await remove(hub, require_session(hub.state, s.id), plan, rescue=True)
    return plan


async def removal_plan(hub: Hub, s: Session) -> Plan:
    return await asyncio.to_thread(plan_removal, s, hub.home.trash / s.id, hub.home.sessions / s.id)


async def _same_plan(hub: Hub, s: Session, before: Plan) -> Plan:
    """What came into the worktree since the plan was shown was agreed to by nobody."""
    after = await removal_plan(hub, require_session(hub.state, s.id))
    new = {thing.what for thing in after.lost} - {thing.what for thing in before.lost}
    if new or after.blocked_by:
        what = "; ".join([*sorted(new), *after.blocked_by][:SHOWN])
        raise NotPossible(
            f"{s.slug} changed meanwhile ({what}); it is archived and nothing was removed",
            hint=f"`manyhands rm {s.id}` again, or `manyhands restore {s.id}`",
        )
    return after


def _require_allowed(s: Session, plan: Plan, yes: bool) -> None:
    if plan.blocked_by:
        raise NotPossible(f"{s.slug} cannot be removed: {'; '.join(plan.blocked_by)}")
    if plan.lost and not yes:
        things = [thing.what for thing in plan.lost]
        more = f" and {len(things) - SHOWN} more" if len(things) > SHOWN else ""
        raise NotPossible(
            f"removing {s.slug} would lose for good: {'; '.join(things[:SHOWN])}{more}",
            hint="archive keeps it; --yes removes it all the same",
        )


async def remove(hub: Hub, s: Session, plan: Plan, *, rescue: bool) -> None:
    """Carry out the plan for a session that is in the trash."""
    hindered = await db.let_go(hub, s)
    notes = await asyncio.to_thread(_purge, hub, s, plan, rescue)
    kept = tuple(f"{kept.what} ({kept.where})" for kept in plan.kept)
    lost = tuple(lost.what for lost in plan.lost)
    kept = (*kept, *hindered, *notes)
    await hub.record(e.SessionRemoved(session=s.id, at=now(), kept=kept, lost=lost))


def _purge(hub: Hub, s: Session, plan: Plan, rescue: bool) -> list[str]:
    """Files first, the branch last: whatever stops it in between leaves the commits alone."""
    repo, notes = Path(s.repo), []
    if repo.is_dir():
        trash = Path(s.trash or hub.home.trash / s.id)
        purge.purge(repo, Path(s.worktree), trash, session=s.id, rescue=rescue)
        if plan.branch_goes:
            try:
                purge.delete_branch(repo, s.branch, plan.branch_tip)
            except ManyhandsError as error:
                notes.append(shown(str(error).encode()))
    spool = hub.home.sessions / s.id
    if spool.is_dir() and not spool.is_symlink():
        purge.remove_tree(spool)
    return notes
