"""Merge a session's pull request on the forge, when its checks and reviewers allow."""

from __future__ import annotations

import asyncio

import msgspec

from manyhands.contract.landing import MergePr, PrMerged, PrStatus
from manyhands.errors import ForgeFailed, NotPossible
from manyhands.forges import values as v
from manyhands.hub.core import Hub, Jobs, require_session, worktree_of
from manyhands.hub.core.work import Kind, Step, StepDone, Work
from manyhands.hub.forge.forge import Forge, open_forge
from manyhands.hub.landing.pr_status import fetch_status, find_pull
from manyhands.model.ids import Oid
from manyhands.model.landing import events as le
from manyhands.model.landing.merge_events import MergeMethod
from manyhands.model.session.session import Session
from manyhands.station.landing.push import is_newer

TRIES = 10
PAUSE = 0.5
"""Forges work out whether it can be merged after they were first asked."""


async def merge_pr(hub: Hub, ref: str, asked: MergePr) -> PrMerged:
    s, jobs = require_session(hub.state, ref), hub.part(Jobs)
    async with jobs.alone(MERGE_PR, s.id):
        s = require_session(hub.state, s.id)
        async with open_forge(hub, s.repo) as forge:
            status = await fetch_status(hub, s, forge)
            repo, pull = await find_pull(s, forge)
            if status.pr.state == "merged":
                commit = Oid(pull.merge_commit)
                return PrMerged(session=s.id, pr=status.pr, commit=commit, method="", already=True)
            status, pull = await _settled(hub, s, forge, status, pull)
            await _require_whole(hub, s, pull)
            _require_ready(s, status)
            method = asked.method or (await repo.facts()).methods[0]
        job = await jobs.start(MERGE_PR, PrMerging(pr=status.pr, method=method), s)
    return await jobs.answer(job, PrMerged)


class PrMerging(msgspec.Struct, frozen=True, kw_only=True):
    pr: le.Pr
    """As it was when it was found ready."""
    method: MergeMethod


async def _require_whole(hub: Hub, s: Session, pull: v.Pull) -> None:
    if await is_newer(worktree_of(hub, s), pull.sha):
        raise NotPossible(
            f"{s.slug} has commits that {pull.called} does not hold",
            hint=f"`manyhands pr {s.slug}` pushes them",
        )


async def _merge(work: Work[PrMerging]) -> StepDone:
    """Once: where no clear answer came, the pull request itself tells."""
    s, pr, method = work.session, work.asked.pr, work.asked.method
    async with open_forge(work.hub, s.repo) as forge:
        repo = forge.repo.of(pr.repo)
        try:
            commit = await repo.merge(pr.number, method=method, head=pr.head)
        except ForgeFailed:
            after = await repo.pull(pr.number)
            if after.state != "merged":
                raise
            commit = after.merge_commit
    merged = msgspec.structs.replace(pr, state="merged", landed=Oid(commit))
    answer = PrMerged(session=s.id, pr=merged, commit=Oid(commit), method=method, already=False)
    return StepDone((le.PrChanged(session=s.id, pr=merged),), answer=answer)


MERGE_PR = Kind("merge-pr", PrMerging, (Step("merge", _merge, final=True),))


async def _settled(
    hub: Hub, s: Session, forge: Forge, status: PrStatus, pull: v.Pull
) -> tuple[PrStatus, v.Pull]:
    for _ in range(TRIES):
        if status.mergeable != "unknown" or pull.state != "open":
            break
        await asyncio.sleep(PAUSE)
        status = await fetch_status(hub, s, forge, known=status.stamp)
        _, pull = await find_pull(s, forge)
    return status, pull


def _require_ready(s: Session, status: PrStatus) -> None:
    for stands, reason, hint in _obstacles(s, status):
        if stands:
            raise NotPossible(f"{status.pr.called} {reason}", hint=hint)


def _obstacles(s: Session, status: PrStatus) -> list[tuple[bool, str, str]]:
    pr, word = status.pr, status.mergeable
    failed = ", ".join(check.name for check in status.checks if check.state == "failed")
    return [
        (pr.state == "closed", "was closed without a merge", "reopen it on the forge first"),
        (pr.state == "draft", "is a draft", f"`manyhands pr {s.slug} --ready` first"),
        (pr.checks == "failed", f"has failed checks: {failed}", f"manyhands pr status {s.slug}"),
        (pr.checks == "running", "has checks that still run", "wait for them"),
        (pr.review == "changes", "has a reviewer who asks for changes", ""),
        (word == "dirty", f"is in conflict with {pr.base}", "bring its base in first"),
        (word == "behind", f"must be brought up to {pr.base} first", "bring its base in first"),
        (word == "blocked", "lacks an approval or a check that the forge wants", ""),
        (word == "unknown", "is still being looked at by the forge", "try again in a while"),
    ]
