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
from manyhands.hub.repos.bases import Bases, base_view, words
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import Oid, fresh_id
from manyhands.model.landing import merge_events as r
from manyhands.model.landing.merges import Merge, Prepared
from manyhands.model.quoting import quoted
from manyhands.model.repo.bases import BaseNow, commits
from manyhands.model.session.session import Session
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
    forward: bool = False,
    message: str = "",
) -> MergeView:
    s = require_session(hub.state, ref)
    jobs = hub.part(Jobs)
    async with jobs.alone(MERGE, s.id):
        s = require_session(hub.state, s.id)
        plan, base = await plan_merge(hub, s, into, method, forward)
        plan = msgspec.structs.replace(plan, message=await _own_message(hub, s, method, message))
        if (done := await _done_before(hub, s, plan, base)) is not None:
            return done
        await require_own(hub, s, plan, base)
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


async def plan_merge(
    hub: Hub, s: Session, into: str, method: r.MergeMethod, forward: bool
) -> tuple[Merge, BaseNow]:
    """What would be merged, and what the target is to its remote's branch at this moment."""
    _require_mergeable(s)
    into, tip = await _require_ends(hub, s, into)
    base = await hub.part(Bases).fetch(s.repo, into)
    target, behind = base.local, Oid("")
    if forward and base.relation == "behind":
        target, behind = base.upstream, base.local
    plan = Merge(
        id=fresh_id(),
        into=into,
        method=method,
        tip=tip,
        target=target,
        at=now(),
        behind=behind,
        others=await load_others(hub, s, tip, base),
    )
    return plan, base


async def load_others(hub: Hub, s: Session, tip: Oid, target: BaseNow) -> tuple[Oid, ...]:
    """The measure of what is the session's own: whatever these commits hold is not."""
    own = await hub.part(Bases).now(s.repo, s.workspace.base)
    known = (target.local, target.upstream, own.local, own.upstream)
    return await station.load_others(worktree_of(hub, s), tip, known)


async def _require_ends(hub: Hub, s: Session, into: str) -> tuple[str, Oid]:
    """The target, which is there, and the tip of what is committed."""
    ends = await station.load_ends(worktree_of(hub, s), into)
    if ends.changed:
        more = f" and {len(ends.changed) - 1} more" if len(ends.changed) > 1 else ""
        raise NotPossible(
            f"{s.slug} has work that is not committed: {ends.changed[0]}{more}",
            hint=f"`manyhands commit {s.slug}` first",
        )
    if ends.into == s.workspace.branch:
        raise NotPossible(f"{s.slug} works on {ends.into} itself: there is nothing to merge")
    if ends.target is None:
        own = await hub.part(Bases).now(s.repo, s.workspace.base)
        way = quoted("git", "-C", s.repo, "branch", ends.into, own.tracking)
        made = f"`{way}` makes it, or " if own.upstream and own.remote_branch == ends.into else ""
        hint = f"{made}name one: --into BRANCH"
        raise NotFound(f"there is no local branch {ends.into}", hint=hint)
    if ends.tip is None:
        raise NotPossible(f"the branch {s.workspace.branch} of {s.slug} has no commits")
    return ends.into, ends.tip


async def require_own(hub: Hub, s: Session, plan: Merge, base: BaseNow) -> None:
    """Nothing but the session's own work may come into the target, and nothing may drive it and its
    remote's branch apart."""
    if base.relation == "behind" and not plan.behind:
        raise NotPossible(
            f"nothing was merged: {words(base)}",
            hint=f"the same with `--forward` brings {plan.into} to {base.tracking} first",
        )
    at = worktree_of(hub, s)
    if plan.method != "merge" or not (absorbed := await station.count_absorbed(at, plan)):
        return
    others = f"{commits(absorbed)} that {'is' if absorbed == 1 else 'are'} not its own"
    apart = f" ({words(base)})" if base.relation == "diverged" else ""
    way = "`--method squash` or `--method rebase` takes only its own"
    if base.relation == "diverged":
        checkout = await station.load_checkout(at, plan.into)
        git = quoted("git", "-C", checkout or s.repo)
        first = "" if checkout else f"`{git} switch {quoted(plan.into)}`, "
        way += f"; or {first}`{git} merge {quoted(base.tracking)}`, then again"
    raise NotPossible(
        f"nothing was merged: {s.slug} would bring {others} into {plan.into}{apart}", hint=way
    )


async def _own_message(hub: Hub, s: Session, method: r.MergeMethod, message: str) -> str:
    if not message.strip():
        return ""
    if method == "rebase":
        raise BadInput("a rebase keeps each commit's own message", hint="squash, or leave it out")
    await require_no_secret(hub, s, message, "the message")
    return message


async def merge_words(hub: Hub, s: Session) -> MergeWords:
    return MergeWords(s.title or s.slug, prose.body(await summary(hub, s)))


def _require_mergeable(s: Session) -> None:
    require_ready(s)
    if s.main.in_turn or s.place.granted:
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first, or wait"
        )


async def _done_before(hub: Hub, s: Session, plan: Merge, base: BaseNow) -> MergeView | None:
    last, at = s.merges.last, worktree_of(hub, s)
    is_same = last is not None and (last.tip, last.into) == (plan.tip, plan.into)
    if last is not None and is_same and await station.is_part_of(at, last.commit, plan.target):
        return msgspec.structs.replace(await _view(hub, s, last), already=True)
    ends = {plan.into: plan.target, base.tracking: base.upstream}
    for name, end in ends.items():
        if end and await station.is_part_of(at, plan.tip, end):
            raise NotPossible(f"{name} has everything of {s.slug} already: nothing to merge")
    return None


async def _tried(hub: Hub, s: Session, plan: Merge) -> MergeView:
    at = worktree_of(hub, s)
    checkout = await station.require_movable(at, plan.into)
    made = await _made(hub, s, plan)
    wanted = (await checks.load_checks(at, made.commit)).run
    done = msgspec.structs.replace(plan, commit=made.commit)
    view = await _view(hub, s, done, checks=wanted, checkout=checkout)
    rebases = plan.method == "rebase"
    message = "" if rebases else await station.load_message(at, plan, await merge_words(hub, s))
    return msgspec.structs.replace(view, dry_run=True, message=message)


async def _made(hub: Hub, s: Session, plan: Merge) -> Prepared:
    try:
        return await station.prepare(worktree_of(hub, s), plan, await merge_words(hub, s))
    except Conflicted as error:
        base = await hub.part(Bases).now(s.repo, s.workspace.base)
        by_hand = f"`{quoted('git', '-C', s.workspace.worktree, 'merge', plan.into)}` brings it in"
        by_us = f"`manyhands update {s.slug}` brings {plan.into} in and lets the agent settle it"
        raise Conflicted(
            f"{s.slug} cannot be merged into {plan.into}: {error.message}",
            error.paths,
            hint=by_us if base.tip == plan.target else f"{by_hand}, for its agent to settle",
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


async def _forward(work: Work[Merge]) -> StepDone:
    hub, s, plan = work.hub, work.session, work.asked
    await require_trusted_filters(hub, s, "merged")
    env = await agent_environment(hub, s)
    checkout = await station.forward_target(worktree_of(hub, s), plan, env)
    forwarded = r.TargetForwarded(
        session=s.id,
        merge=plan.id,
        into=plan.into,
        before=plan.behind,
        commit=plan.target,
        checkout=checkout,
    )
    return StepDone((forwarded,))


async def _land(work: Work[Merge]) -> StepDone:
    hub, s, made = work.hub, work.session, work.noted("made", Prepared)
    done = msgspec.structs.replace(work.asked, commit=made.commit)
    await require_trusted_filters(hub, s, "merged")
    env = await agent_environment(hub, s)
    checkout = await station.move_target(worktree_of(hub, s), done, env)
    passed = tuple(work.noted("checks", list[str]))
    view = await _view(hub, s, done, checks=passed, checkout=checkout)
    return StepDone((_landed(s, done, checkout),), answer=view)


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
        Step("forward", _forward, needed=lambda work: bool(work.asked.behind)),
        Step("move", _land, final=True),
    ),
    lanes=lambda job: (job.session, f"merge into {job.repo}"),
    failed=_failed,
    left=lambda s: s.merges.running,
)


def _landed(s: Session, done: Merge, checkout: str) -> r.SessionMerged:
    return r.SessionMerged(
        session=s.id,
        merge=done.id,
        into=done.into,
        method=done.method,
        tip=done.tip,
        commit=done.commit,
        before=done.target,
        checkout=checkout,
    )


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
        forwarded=done.target if done.behind else Oid(""),
        base=base_view(await hub.part(Bases).now(s.repo, done.into)),
    )
