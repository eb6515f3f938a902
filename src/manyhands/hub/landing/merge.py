"""Merge a session's branch here: made in object space, checked as it will be, moved in one step.

A job: a hub that dies in between carries it on, and a repetition merges once.
"""

from __future__ import annotations

import msgspec

from manyhands.contract.landing import MergeView
from manyhands.errors import BadInput, Conflicted, ManyhandsError, NotFound, NotPossible
from manyhands.hub.core import (
    Hub,
    Jobs,
    agent_environment,
    require_ready,
    require_session,
    worktree_of,
)
from manyhands.hub.core.work import Kind, Step, StepDone, Work
from manyhands.hub.files.checkpoints import make_checkpoint
from manyhands.hub.fleet.secrets import require_no_secret
from manyhands.hub.landing import prose
from manyhands.hub.landing.checks import check_landing, clear_checks
from manyhands.hub.landing.hooks import require_trusted_filters
from manyhands.hub.landing.summary import summary
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import fresh_id
from manyhands.model.landing import merge_events as r
from manyhands.model.landing.merges import Merge, Prepared
from manyhands.model.radar.events import BaseMoved
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.landing import checks
from manyhands.station.landing import merge as station
from manyhands.station.landing.merge_message import MergeWords
from manyhands.station.worktree import is_there


async def merge(
    hub: Hub,
    ref: str,
    *,
    into: str = "",
    method: r.MergeMethod = "merge",
    dry_run: bool = False,
    message: str = "",
) -> MergeView:
    s = require_session(hub.state, ref)
    jobs = hub.part(Jobs)
    async with jobs.alone(MERGE, s.id):
        s = require_session(hub.state, s.id)
        plan = await _plan(hub, s, into, method)
        plan = msgspec.structs.replace(plan, message=await _own_message(hub, s, method, message))
        if (done := await _done_before(hub, s, plan)) is not None:
            return done
        if dry_run:
            return await _tried(hub, s, plan)
        await station.require_movable(worktree_of(hub, s), plan.into)
        begun = r.MergeStarted(
            session=s.id,
            at=plan.at,
            merge=plan.id,
            into=plan.into,
            method=plan.method,
            tip=plan.tip,
            target=plan.target,
        )
        job = await jobs.start(MERGE, plan, s, begun)
    return await jobs.answer(job, MergeView)


async def _plan(hub: Hub, s: Session, into: str, method: r.MergeMethod) -> Merge:
    _require_mergeable(s)
    ends = await station.load_ends(worktree_of(hub, s), into)
    if ends.changed:
        more = f" and {len(ends.changed) - 1} more" if len(ends.changed) > 1 else ""
        raise NotPossible(
            f"{s.slug} has work that is not committed: {ends.changed[0]}{more}",
            hint=f"`manyhands commit {s.slug}` first",
        )
    into, target, tip = ends.into, ends.target, ends.tip
    if into == s.workspace.branch:
        raise NotPossible(f"{s.slug} works on {into} itself: there is nothing to merge")
    if target is None:
        raise NotFound(f"there is no local branch {into}", hint="name one: --into BRANCH")
    if tip is None:
        raise NotPossible(f"the branch {s.workspace.branch} of {s.slug} has no commits")
    return Merge(id=fresh_id(), into=into, method=method, tip=tip, target=target, at=now())


async def _own_message(hub: Hub, s: Session, method: r.MergeMethod, message: str) -> str:
    if message.strip() and method == "rebase":
        raise BadInput("a rebase keeps each commit's own message", hint="squash, or leave it out")
    await require_no_secret(hub, s, message, "the message")
    return message


async def _told(hub: Hub, s: Session) -> MergeWords:
    return MergeWords(s.title or s.slug, prose.body(await summary(hub, s)))


def _require_mergeable(s: Session) -> None:
    require_ready(s)
    if s.main.in_turn or s.place.granted:
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first, or wait"
        )


async def _done_before(hub: Hub, s: Session, plan: Merge) -> MergeView | None:
    last, at = s.merges.last, worktree_of(hub, s)
    is_same = last is not None and (last.tip, last.into) == (plan.tip, plan.into)
    if last is not None and is_same and await station.is_part_of(at, last.commit, plan.target):
        return msgspec.structs.replace(await _view(hub, s, last), already=True)
    if await station.is_part_of(at, plan.tip, plan.target):
        raise NotPossible(f"{plan.into} has everything of {s.slug} already: nothing to merge")
    return None


async def _tried(hub: Hub, s: Session, plan: Merge) -> MergeView:
    at = worktree_of(hub, s)
    checkout = await station.require_movable(at, plan.into)
    made = await _made(hub, s, plan)
    wanted = (await checks.load_checks(at, made.commit)).run
    done = msgspec.structs.replace(plan, commit=made.commit)
    view = await _view(hub, s, done, checks=wanted, checkout=checkout)
    rebases = plan.method == "rebase"
    message = "" if rebases else await station.load_message(at, plan, await _told(hub, s))
    return msgspec.structs.replace(view, dry_run=True, message=message)


async def _made(hub: Hub, s: Session, plan: Merge) -> Prepared:
    try:
        return await station.prepare(worktree_of(hub, s), plan, await _told(hub, s))
    except Conflicted as error:
        raise Conflicted(
            f"{s.slug} cannot be merged into {plan.into}: {error.message}",
            error.paths,
            hint=f"`manyhands update {s.slug}` brings {plan.into} in and lets the agent settle it",
        ) from error


async def _keep(work: Work[Merge]) -> None:
    if await is_there(worktree_of(work.hub, work.session)):
        await make_checkpoint(work.hub, work.session.id)


async def _prepare(work: Work[Merge]) -> StepDone:
    s, plan = work.session, work.asked
    made = await _made(work.hub, s, plan)
    prepared = r.MergePrepared(session=s.id, merge=plan.id, commit=made.commit, tree=made.tree)
    return StepDone((prepared,), {"made": made})


async def _check(work: Work[Merge]) -> StepDone:
    made = work.noted("made", Prepared)
    passed = await check_landing(work, work.asked.id, made)
    return StepDone(noted={"checks": passed})


async def _land(work: Work[Merge]) -> StepDone:
    hub, s, made = work.hub, work.session, work.noted("made", Prepared)
    done = msgspec.structs.replace(work.asked, commit=made.commit)
    await require_trusted_filters(hub, s, "merged")
    env = await agent_environment(hub, s)
    checkout = await station.move_target(worktree_of(hub, s), done, env)
    passed = tuple(work.noted("checks", list[str]))
    view = await _view(hub, s, done, checks=passed, checkout=checkout)
    return StepDone(_landed(hub.state, s, done, checkout), answer=view)


def _failed(work: Work[Merge], error: ManyhandsError | OSError) -> list[e.AnyEvent]:
    s, hint = work.session, getattr(error, "hint", "")
    return [r.MergeFailed(session=s.id, merge=work.asked.id, error=str(error), hint=hint)]


MERGE = Kind(
    "merge",
    Merge,
    (
        Step("checkpoint", _keep),
        Step("prepare", _prepare),
        Step("check", _check, undo=clear_checks),
        Step("move", _land, final=True),
    ),
    lanes=lambda job: (job.session, f"merge into {job.repo}"),
    failed=_failed,
    left=lambda s: s.merges.running,
)


def _landed(state: State, s: Session, done: Merge, checkout: str) -> list[e.AnyEvent]:
    """The merge, and what the other sessions learn from it."""
    merged = r.SessionMerged(
        session=s.id,
        merge=done.id,
        into=done.into,
        method=done.method,
        tip=done.tip,
        commit=done.commit,
        before=done.target,
        checkout=checkout,
    )
    others = [
        BaseMoved(session=o.id, base=done.into, commit=done.commit, by=s.id)
        for o in state.all_sessions().values()
        if o.repo == s.repo
        and o.workspace.base == done.into
        and o.id != s.id
        and not o.life.archived
    ]
    return [merged, *others]


async def _view(
    hub: Hub, s: Session, done: Merge, *, checks: tuple[str, ...] = (), checkout: str = ""
) -> MergeView:
    return MergeView(
        session=s.id,
        into=done.into,
        method=done.method,
        commits=await station.load_subjects(worktree_of(hub, s), done),
        before=done.target,
        commit=done.commit,
        checks=checks,
        checkout=checkout,
    )
