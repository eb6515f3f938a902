"""Open a session's pull request, or bring the one that is there up to date.

The pull request is looked up by its head before one is created and again where no clear answer
came, so that asking again, after whatever fault, never makes a second.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import BadInput, ForgeDenied, ForgeFailed, NotPossible
from manyhands.forges import answers as a
from manyhands.forges.github import GitHub
from manyhands.forges.scan import Finding
from manyhands.git import refs
from manyhands.git.runner import Git
from manyhands.hub.checks import check_tip
from manyhands.hub.commit import recover_commit
from manyhands.hub.desk import require_landable
from manyhands.hub.failpoint import reach
from manyhands.hub.forge import Forge, open_forge
from manyhands.hub.names import require_session
from manyhands.hub.pr_text import pr_text
from manyhands.hub.push import findings, push, require_accepted, require_own_branch
from manyhands.model import landing_events as le
from manyhands.model.clock import now
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LONGEST_BODY = 60_000
"""GitHub takes 65,536 characters."""
INVALID = 422
DENIED = 403


class OpenPr(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str = ""
    body: str | None = None
    base: str = ""
    draft: bool | None = None
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    """Findings of the scan that a person said yes to."""
    check: bool = False
    """Run the repository's checks first, and push only if they pass."""
    again: bool = False
    """A new one, though an earlier one was closed or merged."""


class PrPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What `pr` would do."""

    title: str
    body: str
    base: str
    repo: str
    commits: int
    findings: tuple[Finding, ...]
    uncommitted: int
    existing: le.Pr | None


class PrOpened(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    pr: le.Pr
    created: bool
    forced: bool
    output: str
    """What the push said, hooks included."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Target:
    """Where the pull request goes."""

    github: GitHub
    base: str
    tip: Oid
    commits: int
    owner: str
    """Whose branch it is."""
    crossing: bool
    """From a fork."""


async def plan_pr(hub: Hub, ref: str, base: str = "") -> PrPlan:
    s = require_session(hub.state, ref)
    require_landable(s)
    async with hub.desk.busy[s.id], open_forge(hub, s.repo) as forge:
        await recover_commit(hub, s.id)
        target = await _target(s, forge, base)
        found = await findings(hub, s, forge)
        existing = await _newest(target, s.branch)
        title, body = await pr_text(hub, s, target.tip)
        return PrPlan(
            title=title,
            body=body,
            base=target.base,
            repo=target.github.slug,
            commits=target.commits,
            findings=tuple(found),
            uncommitted=await asyncio.to_thread(_uncommitted, s),
            existing=seen(existing, target.github.slug, s) if existing else None,
        )


async def pr(hub: Hub, ref: str, asked: OpenPr) -> PrOpened:
    s = require_session(hub.state, ref)
    require_landable(s)
    if asked.body is not None and len(asked.body) > LONGEST_BODY:
        raise BadInput(f"the body is longer than {LONGEST_BODY} characters")
    async with hub.desk.busy[s.id], open_forge(hub, s.repo) as forge:
        await recover_commit(hub, s.id)
        s = require_session(hub.state, s.id)
        target = await _target(s, forge, asked.base)
        existing = await _newest(target, s.branch)
        _require_open(existing, asked)
        require_accepted(await findings(hub, s, forge), asked.accept)
        if asked.check:
            await check_tip(hub, s, target.tip)
        pushed = await push(hub, s, forge)
        reach(hub.home, "before:pr")
        updating = existing is not None and existing.state == "open"
        if updating and existing is not None:
            pull = await _update(target, existing, asked)
        else:
            pull = await _create(hub, s, target, asked)
        reach(hub.home, "done:pr")
        opened = msgspec.structs.replace(seen(pull, target.github.slug, s), head=pushed.commit)
        if opened != s.landing.pr:
            await hub.record(le.PrChanged(session=s.id, at=now(), pr=opened))
        reach(hub.home, "after:pr")
        notes = [
            *_left(await asyncio.to_thread(_uncommitted, s)),
            *await _adorn(target, pull, asked),
        ]
    hub.desk.stir.set()
    return PrOpened(
        session=s.id,
        pr=opened,
        created=not updating,
        forced=pushed.forced,
        output=pushed.output,
        notes=tuple(notes),
    )


def seen(pull: a.Pull, repo: str, s: Session) -> le.Pr:
    """What is known of it; checks and reviews as they were, for the same commit."""
    before = s.landing.pr
    same = before is not None and (before.number, before.head) == (pull.number, pull.head.sha)
    state: le.PrState = "draft" if pull.draft else "open"
    if pull.state != "open":
        state = "merged" if pull.merged_at else "closed"
    return le.Pr(
        number=pull.number,
        url=pull.html_url,
        repo=repo,
        state=state,
        checks=before.checks if before and same else "none",
        review=before.review if before and same else "none",
        title=pull.title,
        base=pull.base.ref,
        head=Oid(pull.head.sha),
    )


async def _target(s: Session, forge: Forge, base: str) -> _Target:
    known = await forge.github.repository()
    require_own_branch(s, known.default_branch)
    if known.archived:
        raise NotPossible(f"{known.full_name} is archived on the forge and takes nothing in")
    if known.permissions is not None and not known.permissions.push:
        raise ForgeDenied(
            f"the token may not push to {known.full_name}",
            hint="fork it and make the fork the remote origin, or ask for the right to push",
            status=DENIED,
        )
    parent = known.parent if known.fork else None
    github = forge.github.of(parent.full_name if parent else known.full_name)
    default = (parent.default_branch if parent else "") or known.default_branch
    if base:
        await github.require_branch(base)
    name = base or await asyncio.to_thread(_base_of, s, forge.remote.name) or default
    tip, commits = await asyncio.to_thread(_ahead, s, forge.remote.name, name)
    owner = known.full_name.partition("/")[0]
    return _Target(github, name, tip, commits, owner, parent is not None)


def _base_of(s: Session, remote: str) -> str:
    """The base's name on the forge, if it is there."""
    name = s.base.removeprefix(f"{remote}/")
    return name if refs.resolve(Path(s.repo), f"refs/remotes/{remote}/{name}") else ""


def _ahead(s: Session, remote: str, base: str) -> tuple[Oid, int]:
    """The branch's tip and how many commits it has of its own; there must be a difference."""
    repo = Path(s.repo)
    tip = refs.branch_tip(repo, s.branch)
    if tip is None:
        raise NotPossible(f"the branch {s.branch} does not exist (any more)")
    start = refs.resolve(repo, f"refs/remotes/{remote}/{base}") or s.base_commit
    git = Git(repo)
    commits = int(git.run("rev-list", "--count", tip, f"^{start}").line)
    if commits == 0 or git.ok("diff", "--quiet", f"{start}...{tip}"):
        raise NotPossible(
            f"{s.slug} has no committed change against {base}, so there is nothing to propose",
            hint=f"`manyhands commit {s.slug}` first",
        )
    return tip, commits


async def _newest(target: _Target, branch: str) -> a.Pull | None:
    """The one that is open, else the last one."""
    pulls = await target.github.pulls_from(target.owner, branch)
    return next((p for p in pulls if p.state == "open"), pulls[0] if pulls else None)


def _require_open(existing: a.Pull | None, asked: OpenPr) -> None:
    if existing is None or existing.state == "open" or asked.again:
        return
    what = "merged" if existing.merged_at else "closed"
    raise NotPossible(
        f"pull request #{existing.number} was {what} already",
        hint="open another one with --again, or reopen it on the forge",
    )


async def _create(hub: Hub, s: Session, target: _Target, asked: OpenPr) -> a.Pull:
    title, body = await pr_text(hub, s, target.tip)
    fields = {
        "title": asked.title or title,
        "body": body[:LONGEST_BODY] if asked.body is None else asked.body,
        "head": f"{target.owner}:{s.branch}" if target.crossing else s.branch,
        "base": target.base,
        "draft": bool(asked.draft),
    }
    try:
        return await target.github.create_pull(**fields)
    except ForgeFailed as error:
        if not error.unsure and error.status != INVALID:
            raise
        found = await _newest(target, s.branch)
        if found is None or found.state != "open":
            raise
        return found


async def _update(target: _Target, pull: a.Pull, asked: OpenPr) -> a.Pull:
    """Only what was given: the rest may have been edited by people."""
    wanted = {"title": asked.title, "body": asked.body, "base": asked.base}
    now_is = {"title": pull.title, "body": pull.body or "", "base": pull.base.ref}
    changed = {k: v for k, v in wanted.items() if v and v != now_is[k]}
    if changed:
        pull = await target.github.update_pull(pull.number, **changed)
    if asked.draft is not None and asked.draft != pull.draft:
        await target.github.set_draft(pull, asked.draft)
        pull = msgspec.structs.replace(pull, draft=asked.draft)
    return pull


async def _adorn(target: _Target, pull: a.Pull, asked: OpenPr) -> list[str]:
    """Labels and reviewers; the pull request is open whatever becomes of these."""
    notes = []
    try:
        if asked.labels:
            await target.github.add_labels(pull.number, list(asked.labels))
    except ForgeFailed as error:
        notes.append(f"the labels could not be set: {error.message}")
    try:
        if asked.reviewers:
            await target.github.ask_reviewers(pull.number, list(asked.reviewers))
    except ForgeFailed as error:
        notes.append(f"the reviewers could not be asked: {error.message}")
    return notes


def _uncommitted(s: Session) -> int:
    git = Git(Path(s.worktree))
    return len(git.run("status", "--porcelain=v1", "-z", "--no-renames").records)


def _left(count: int) -> list[str]:
    return [f"{count} changed files are not committed, so they are not in it"] if count else []
