"""What became of a session's pull request: its state, reviews, threads and checks."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Literal

import msgspec

from manyhands.errors import ForgeFailed, NotFound, NotPossible
from manyhands.forges import answers as a
from manyhands.forges.github import GONE, GitHub
from manyhands.hub.forge import Forge, open_forge
from manyhands.hub.names import require_session
from manyhands.hub.pr import seen
from manyhands.hub.review_drafts import Imported, imported
from manyhands.model import landing_events as le
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LOG_LINES = 200
FAILED = ("failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale")
_STAMP = re.compile(r"^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S*Z ?", re.MULTILINE)


class FailedStep(msgspec.Struct, frozen=True):
    name: str
    log: str


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    state: Literal["running", "failed", "passed", "skipped"]
    url: str
    summary: str
    steps: tuple[FailedStep, ...] = ()
    """The steps that failed, where the forge ran them."""


class ReviewView(msgspec.Struct, frozen=True):
    author: str
    state: str
    text: str


class ThreadView(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    path: str
    line: int
    resolved: bool
    outdated: bool
    comment: int
    url: str
    comments: tuple[le.IssueComment, ...]


class PrStatus(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    pr: le.Pr
    mergeable: str
    """The forge's own word: clean, dirty, blocked, behind, unstable, draft, unknown."""
    stamp: str
    """Changes with everything that happens to it."""
    reviews: tuple[ReviewView, ...]
    threads: tuple[ThreadView, ...]
    checks: tuple[CheckView, ...]
    drafts: tuple[le.ReviewDraft, ...]


async def pr_status(hub: Hub, ref: str) -> PrStatus:
    s = require_session(hub.state, ref)
    async with open_forge(hub, s.repo) as forge:
        status = await look(hub, s, forge)
    hub.desk.stir.set()
    return status


async def look(hub: Hub, s: Session, forge: Forge, known: str = "") -> PrStatus:
    """Ask the forge, and record what is new; threads and logs only if the stamp is not `known`."""
    github, pull = await find_pull(s, forge)
    reviews = await github.reviews(pull.number)
    checks = await _checks(github, pull.head.sha)
    thorough = pull.updated_at != known
    threads = [_thread(t) for t in await github.threads(pull.number)] if thorough else []
    pr = msgspec.structs.replace(
        seen(pull, github.slug, s), checks=overall(checks), review=verdict(reviews)
    )
    if thorough or pr != s.landing.pr:
        checks = [await _with_logs(github, check) for check in checks]
    status = PrStatus(
        session=s.id,
        pr=pr,
        mergeable=pull.mergeable_state or "unknown",
        stamp=pull.updated_at,
        reviews=tuple(ReviewView(a.name_of(r.user), r.state.lower(), r.body) for r in reviews),
        threads=tuple(threads),
        checks=tuple(checks),
        drafts=(),
    )
    await _record(hub, s, status, thorough)
    drafts = require_session(hub.state, s.id).landing.drafts
    return msgspec.structs.replace(status, drafts=drafts)


async def find_pull(s: Session, forge: Forge) -> tuple[GitHub, a.Pull]:
    """The session's pull request as it is now, ours or one that somebody opened by hand."""
    known = s.landing.pr
    if known is not None:
        github = forge.github.of(known.repo)
        try:
            return github, await github.pull(known.number)
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotPossible(
                f"pull request #{known.number} is not to be seen in {known.repo} any more",
                hint="the repository moved, or the token lost its right to see it",
            ) from error
    pulls = await forge.github.pulls_from(forge.remote.owner, s.branch) if s.branch else []
    if not pulls:
        raise NotFound(f"{s.slug} has no pull request", hint=f"`manyhands pr {s.slug}` opens one")
    return forge.github, await forge.github.pull(pulls[0].number)


def overall(checks: list[CheckView]) -> le.ChecksState:
    states = {check.state for check in checks} - {"skipped"}
    for state in ("failed", "running", "passed"):
        if state in states:
            return state
    return "passed" if checks else "none"


def verdict(reviews: list[a.Review]) -> le.PrReview:
    """The last word of each reviewer counts; a mere comment is none."""
    last: dict[str, str] = {}
    for review in reviews:
        if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            last[a.name_of(review.user)] = review.state
    if "CHANGES_REQUESTED" in last.values():
        return "changes"
    return "approved" if "APPROVED" in last.values() else "none"


async def _checks(github: GitHub, commit: str) -> list[CheckView]:
    runs = [_run(run) for run in await github.check_runs(commit)]
    return runs + [_status(status) for status in await github.statuses(commit)]


def _run(run: a.CheckRun) -> CheckView:
    state: Literal["running", "failed", "passed", "skipped"] = "passed"
    if run.status != "completed":
        state = "running"
    elif run.conclusion in FAILED:
        state = "failed"
    elif run.conclusion in ("skipped", "neutral"):
        state = "skipped"
    own = run.app is not None and run.app.slug == "github-actions"
    summary = "\n".join(filter(None, (run.output.title, run.output.summary)))
    id = run.id if own else 0
    return CheckView(id=id, name=run.name, state=state, url=run.html_url or "", summary=summary)


def _status(status: a.Status) -> CheckView:
    states: dict[str, Literal["running", "passed"]] = {"pending": "running", "success": "passed"}
    return CheckView(
        id=0,
        name=status.context,
        state=states.get(status.state, "failed"),
        url=status.target_url or "",
        summary=status.description or "",
    )


async def _with_logs(github: GitHub, check: CheckView) -> CheckView:
    """A failed job of the forge's own with the log of each step that failed."""
    if check.state != "failed" or not check.id:
        return check
    job = await github.job(check.id)
    failed = [step for step in job.steps if step.conclusion in FAILED] if job else []
    if not failed:
        return check
    log = (await github.job_log(check.id)).decode("utf-8", "replace")
    steps = tuple(FailedStep(step.name, part_of(log, step)) for step in failed)
    return msgspec.structs.replace(check, steps=steps)


def part_of(log: str, step: a.Step) -> str:
    """The step's lines, by the time that each carries, without it; bounded from the end."""
    first, last = (step.started_at or "")[:19], (step.completed_at or "9999")[:19]
    lines, inside = [], False
    for line in log.splitlines():
        if stamp := _STAMP.match(line):
            inside = first <= stamp[1] <= last
        if inside:
            lines.append(_STAMP.sub("", line))
    return "\n".join(lines[-LOG_LINES:])


def _thread(thread: a.Thread) -> ThreadView:
    comments = thread.comments.nodes
    return ThreadView(
        id=thread.id,
        path=thread.path,
        line=thread.line or 0,
        resolved=thread.is_resolved,
        outdated=thread.is_outdated,
        comment=(comments[0].database_id or 0) if comments else 0,
        url=comments[0].url if comments else "",
        comments=tuple(le.IssueComment(author=a.name_of(c.author), body=c.body) for c in comments),
    )


async def _record(hub: Hub, s: Session, status: PrStatus, thorough: bool) -> None:
    events: list[Imported] = []
    if status.pr != s.landing.pr:
        events.append(le.PrChanged(session=s.id, at=now(), pr=status.pr))
    if thorough or events:
        threads = status.threads if thorough else None
        events += await asyncio.to_thread(imported, hub, s, threads, status.checks)
    if events:
        await hub.record(*events)
