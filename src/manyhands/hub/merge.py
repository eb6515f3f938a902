"""Merge a session's branch here: made in object space, checked as it will be, moved in one step.

Recorded before it begins, when the commit is made, and when the target was moved; a hub that dies
in between settles at its next start whether the target moved, and a repetition merges once.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError, NotFound, NotPossible
from manyhands.git import landing, moving, refs
from manyhands.hub.checkpoints import make_checkpoint
from manyhands.hub.checks import check_landing, checks_of, clear_away
from manyhands.hub.failpoint import reach
from manyhands.hub.names import require_session
from manyhands.model import events as e
from manyhands.model import radar_events as r
from manyhands.model.clock import now
from manyhands.model.ids import Oid, SessionId, fresh_id
from manyhands.model.radar_fold import Merge
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class MergeView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    into: str
    method: r.MergeMethod
    commits: tuple[str, ...]
    """First lines of what comes along."""
    before: Oid
    commit: Oid
    checks: tuple[str, ...] = ()
    checkout: str = ""
    """Where the target is checked out."""
    dry_run: bool = False
    already: bool = False
    """It had been merged before."""


async def merge(
    hub: Hub,
    ref: str,
    *,
    into: str = "",
    method: r.MergeMethod = "merge",
    dry_run: bool = False,
) -> MergeView:
    s = require_session(hub.state, ref)
    async with hub.desk.busy[s.id], hub.merges[s.repo]:
        s = require_session(hub.state, s.id)
        if s.merging is not None:
            await settle_merge(hub, s.id)
            s = require_session(hub.state, s.id)
        plan = await asyncio.to_thread(_plan, s, into or _own_base(s), method)
        if (done := await asyncio.to_thread(_done_before, s, plan)) is not None:
            return done
        if dry_run:
            return await asyncio.to_thread(_tried, s, plan)
        return await _merge(hub, s, plan)


def _own_base(s: Session) -> str:
    """The local branch that the session's base stands for."""
    repo = Path(s.repo)
    if refs.branch_tip(repo, s.base) is not None:
        return s.base
    return s.base.partition("/")[2] or s.base


def _plan(s: Session, into: str, method: r.MergeMethod) -> Merge:
    repo = Path(s.repo)
    _require_mergeable(s)
    refs.require_branch_name(repo, into)
    target, tip = refs.branch_tip(repo, into), refs.branch_tip(repo, s.branch)
    if into == s.branch:
        raise NotPossible(f"{s.slug} works on {into} itself: there is nothing to merge")
    if target is None:
        raise NotFound(f"there is no local branch {into}", hint="name one: --into BRANCH")
    if tip is None:
        raise NotPossible(f"the branch {s.branch} of {s.slug} has no commits")
    return Merge(id=fresh_id(), into=into, method=method, tip=tip, target=target, at=now())


def _require_mergeable(s: Session) -> None:
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready:
        raise NotPossible(f"{s.slug} is not ready yet")
    if s.in_turn or s.place:
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first, or wait"
        )
    worktree = Path(s.worktree)
    changed = moving.uncommitted(worktree, untracked=True) if worktree.is_dir() else []
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise NotPossible(
            f"{s.slug} has work that is not committed: {changed[0]}{more}",
            hint=f"`manyhands commit {s.slug}` first",
        )


def _done_before(s: Session, plan: Merge) -> MergeView | None:
    last, repo = s.merged, Path(s.repo)
    is_same = last is not None and (last.tip, last.into) == (plan.tip, plan.into)
    if last is not None and is_same and landing.is_part_of(repo, last.commit, plan.target):
        return _view(s, last, already=True)
    if landing.is_part_of(repo, plan.tip, plan.target):
        raise NotPossible(f"{plan.into} has everything of {s.slug} already: nothing to merge")
    return None


def _tried(s: Session, plan: Merge) -> MergeView:
    checkout = _require_movable(s, plan)
    made = _made(s, plan)
    checks = checks_of(Path(s.repo), made.commit).run
    done = msgspec.structs.replace(plan, commit=made.commit)
    where = str(checkout) if checkout else ""
    return _view(s, done, dry_run=True, checks=checks, checkout=where)


def _require_movable(s: Session, plan: Merge) -> Path | None:
    checkout = moving.find_checkout(Path(s.repo), plan.into)
    if checkout is not None:
        moving.require_clean_checkout(checkout, plan.into)
    return checkout


def _made(s: Session, plan: Merge) -> landing.Landing:
    seconds = int(datetime.fromisoformat(plan.at).timestamp())
    message = _message(s, plan)
    asked = landing.Request(plan.target, plan.tip, plan.method, message, seconds)
    try:
        return landing.make_landing(Path(s.repo), asked)
    except landing.Conflicted as error:
        raise landing.Conflicted(
            f"{s.slug} cannot be merged into {plan.into}: {error.message}",
            error.paths,
            hint=f"`manyhands update {s.slug}` brings {plan.into} in and lets the agent settle it",
        ) from error


def _message(s: Session, plan: Merge) -> str:
    if plan.method == "merge":
        return f"Merge branch '{s.branch}' into {plan.into}\n\n{s.title}\n"
    subjects = [t for _, t in landing.commits_between(Path(s.repo), plan.target, plan.tip)]
    listed = "".join(f"* {subject}\n" for subject in subjects)
    return f"{s.title}\n\n{listed}" if len(subjects) > 1 else f"{s.title}\n"


async def _merge(hub: Hub, s: Session, plan: Merge) -> MergeView:
    await asyncio.to_thread(_require_movable, s, plan)
    reach(hub.home, "before:merge")
    await hub.record(
        r.MergeStarted(
            session=s.id,
            at=plan.at,
            merge=plan.id,
            into=plan.into,
            method=plan.method,
            tip=plan.tip,
            target=plan.target,
        )
    )
    reach(hub.home, "merge:started")
    try:
        return await _carry_out(hub, s, plan)
    except (ManyhandsError, OSError) as error:
        hint = getattr(error, "hint", "")
        failed = r.MergeFailed(session=s.id, at=now(), merge=plan.id, error=str(error), hint=hint)
        await hub.record(failed)
        raise


async def _carry_out(hub: Hub, s: Session, plan: Merge) -> MergeView:
    if Path(s.worktree).is_dir():
        await make_checkpoint(hub, s.id)
    reach(hub.home, "merge:checkpoint-made")
    made = await asyncio.to_thread(_made, s, plan)
    done = msgspec.structs.replace(plan, commit=made.commit)
    prepared = r.MergePrepared(
        session=s.id, at=now(), merge=plan.id, commit=made.commit, tree=made.tree
    )
    await hub.record(prepared)
    reach(hub.home, "merge:prepared")
    checks = await check_landing(hub, s, plan.id, made)
    reach(hub.home, "merge:checked")
    checkout = await asyncio.to_thread(_move, s, done)
    reach(hub.home, "merge:moved")
    where = str(checkout) if checkout else ""
    await hub.write(lambda state: Decision(_landed(state, s, done, where), None))
    reach(hub.home, "after:merge")
    return _view(s, done, checks=checks, checkout=where)


def _move(s: Session, done: Merge) -> Path | None:
    reason = f"manyhands: merged {s.branch} ({done.method})"
    return moving.move_branch(Path(s.repo), done.into, done.target, done.commit, reason=reason)


def _landed(state: State, s: Session, done: Merge, checkout: str) -> list[e.AnyEvent]:
    """The merge, and what the other sessions learn from it."""
    merged = r.SessionMerged(
        session=s.id,
        at=now(),
        merge=done.id,
        into=done.into,
        method=done.method,
        tip=done.tip,
        commit=done.commit,
        before=done.target,
        checkout=checkout,
    )
    others = [
        r.BaseMoved(session=o.id, at=now(), base=done.into, commit=done.commit, by=s.id)
        for o in state.all_sessions().values()
        if o.repo == s.repo and o.base == done.into and o.id != s.id and not o.archived
    ]
    return [merged, *others]


async def settle_merges(hub: Hub) -> None:
    """At the hub's start."""
    for s in list(hub.state.all_sessions().values()):
        if s.merging is not None:
            async with hub.merges[s.repo]:
                await settle_merge(hub, s.id)


async def settle_merge(hub: Hub, session: SessionId) -> None:
    """After a death in the middle: say whether the target was moved; nothing is moved now."""
    s = require_session(hub.state, session)
    if s.merging is None:
        return
    begun = s.merging
    await asyncio.to_thread(clear_away, hub, s)
    if await asyncio.to_thread(_was_moved, s, begun):
        await hub.write(lambda state: Decision(_landed(state, s, begun, ""), None))
        return
    why = "the hub ended before anything was moved"
    failed = r.MergeFailed(session=s.id, at=now(), merge=begun.id, error=why, hint="merge again")
    await hub.record(failed)


def _was_moved(s: Session, begun: Merge) -> bool:
    target = refs.branch_tip(Path(s.repo), begun.into)
    if not begun.commit or target is None:
        return False
    return landing.is_part_of(Path(s.repo), begun.commit, target)


def _view(
    s: Session,
    done: Merge,
    *,
    dry_run: bool = False,
    already: bool = False,
    checks: tuple[str, ...] = (),
    checkout: str = "",
) -> MergeView:
    commits = landing.commits_between(Path(s.repo), done.target, done.tip)
    return MergeView(
        session=s.id,
        into=done.into,
        method=done.method,
        commits=tuple(subject for _, subject in commits),
        before=done.target,
        commit=done.commit,
        dry_run=dry_run,
        already=already,
        checks=checks,
        checkout=checkout,
    )
