"""Remove a session for good: by the same kind of plan, and only what the plan names."""

from __future__ import annotations

from manyhands.contract.sessions import Plan
from manyhands.errors import NotPossible
from manyhands.hub.archive.archive import carry_out
from manyhands.hub.archive.plan import plan_removal
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.creation import db
from manyhands.model import events as e
from manyhands.model.session.session import Session
from manyhands.station import archive as station

SHOWN = 8


async def rm(hub: Hub, ref: str, *, yes: bool = False, dry_run: bool = False) -> Plan:
    """What would be lost is lost only with `yes`; a living session is archived first."""
    s = require_session(hub.state, ref)
    plan = await plan_removal(hub, s)
    if dry_run:
        return plan
    _require_allowed(s, plan, yes)
    if not s.life.archived:
        await carry_out(hub, s, plan)
        plan = await _same_plan(hub, s, plan)
    await remove(hub, require_session(hub.state, s.id), plan, rescue=True)
    return plan


async def _same_plan(hub: Hub, s: Session, before: Plan) -> Plan:
    """What came into the worktree since the plan was shown was agreed to by nobody."""
    after = await plan_removal(hub, require_session(hub.state, s.id))
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
    trash = s.life.trash or str(hub.home.trash / s.id)
    branch = plan.branch_tip if plan.branch_goes else None
    notes = await station.remove(worktree_of(hub, s), trash, rescue=rescue, branch_at=branch)
    kept = tuple(f"{kept.what} ({kept.where})" for kept in plan.kept)
    lost = tuple(lost.what for lost in plan.lost)
    kept = (*kept, *hindered, *notes)
    await hub.record(e.SessionRemoved(session=s.id, kept=kept, lost=lost))
