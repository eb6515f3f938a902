"""Merge a session's pull request on the forge, when its checks and reviewers allow."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from manyhands.errors import ForgeFailed, NotPossible
from manyhands.forges import answers as a
from manyhands.forges.github import GitHub
from manyhands.git import refs
from manyhands.hub.failpoint import reach
from manyhands.hub.forge import Forge, open_forge
from manyhands.hub.names import require_session
from manyhands.hub.pr_status import PrStatus, find_pull, look
from manyhands.model import landing_events as le
from manyhands.model.clock import now
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

Method = Literal["merge", "squash", "rebase"]
TRIES = 10
PAUSE = 0.5
"""GitHub works out whether it can be merged after it was first asked."""


class MergePr(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    method: Method | None = None
    """None: the first that the repository allows."""


class PrMerged(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    pr: le.Pr
    commit: Oid
    method: str
    already: bool
    """It was merged before."""


async def merge_pr(hub: Hub, ref: str, asked: MergePr) -> PrMerged:
    s = require_session(hub.state, ref)
    async with hub.desk.busy[s.id], open_forge(hub, s.repo) as forge:
        status = await look(hub, s, forge)
        github, pull = await find_pull(s, forge)
        if status.pr.state == "merged":
            return _merged(s, status.pr, pull, "", already=True)
        status, pull = await _settled(hub, s, forge, status, pull)
        await asyncio.to_thread(_require_pushed, s, pull)
        _require_ready(s, status)
        method = asked.method or await _allowed(github)
        reach(hub.home, "before:merge-pr")
        pull = await _merge(github, pull, method)
        reach(hub.home, "done:merge-pr")
        pr = msgspec.structs.replace(status.pr, state="merged")
        await hub.record(le.PrChanged(session=s.id, at=now(), pr=pr))
        reach(hub.home, "after:merge-pr")
    return _merged(s, pr, pull, method, already=False)


async def _settled(
    hub: Hub, s: Session, forge: Forge, status: PrStatus, pull: a.Pull
) -> tuple[PrStatus, a.Pull]:
    for _ in range(TRIES):
        if status.mergeable != "unknown" or pull.state != "open":
            break
        await asyncio.sleep(PAUSE)
        status = await look(hub, s, forge, known=status.stamp)
        _, pull = await find_pull(s, forge)
    return status, pull


def _require_pushed(s: Session, pull: a.Pull) -> None:
    tip = refs.branch_tip(Path(s.repo), s.branch)
    if tip is not None and tip != pull.head.sha and _is_newer(s, tip, pull.head.sha):
        raise NotPossible(
            f"{s.slug} has commits that pull request #{pull.number} does not hold",
            hint=f"`manyhands pr {s.slug}` pushes them",
        )


def _is_newer(s: Session, tip: Oid, head: str) -> bool:
    """Whether the branch is not simply behind what the forge has."""
    known = refs.resolve(Path(s.repo), head)
    return known is None or refs.merge_base(Path(s.repo), tip, known) != tip


def _require_ready(s: Session, status: PrStatus) -> None:
    for stands, reason, hint in _obstacles(s, status):
        if stands:
            raise NotPossible(f"pull request #{status.pr.number} {reason}", hint=hint)


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


async def _allowed(github: GitHub) -> Method:
    repo = await github.repository()
    if repo.allow_merge_commit:
        return "merge"
    return "squash" if repo.allow_squash_merge else "rebase"


async def _merge(github: GitHub, pull: a.Pull, method: str) -> a.Pull:
    """Once: where no clear answer came, the pull request itself tells."""
    try:
        done = await github.merge(pull.number, method=method, head=pull.head.sha)
        return msgspec.structs.replace(pull, merge_commit_sha=done.sha, merged_at=now())
    except ForgeFailed:
        after = await github.pull(pull.number)
        if not after.merged_at:
            raise
        return after


def _merged(s: Session, pr: le.Pr, pull: a.Pull, method: str, *, already: bool) -> PrMerged:
    commit = Oid(pull.merge_commit_sha or "")
    return PrMerged(session=s.id, pr=pr, commit=commit, method=method, already=already)
