"""What became of a session's pull request: its state, reviews, threads and checks.

Open ones are looked at from time to time, less and less often while nothing moves.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import msgspec

from manyhands.contract.landing import CheckView, FailedStep, PrReviewView, PrStatus, ThreadView
from manyhands.errors import ForgeFailed, ManyhandsError, NotFound, NotPossible
from manyhands.forges import answers as a
from manyhands.forges.github import GONE, GitHub
from manyhands.hub.core import Hub, Reactor, require_session
from manyhands.hub.forge.forge import Forge, open_forge
from manyhands.hub.landing.desk import Desk
from manyhands.hub.landing.pr import seen
from manyhands.hub.landing.review_drafts import Imported, imported
from manyhands.model.clock import monotonic
from manyhands.model.ids import SessionId
from manyhands.model.landing import events as le
from manyhands.model.session.session import Session

log = logging.getLogger(__name__)
LOG_LINES = 200
SLOWER = 1.5
SLOWEST = 20.0
"""How many times the first pause a quiet pull request waits at most."""
BUSY_SLOWEST = 3.0
"""The same while checks run."""
FAILED = ("failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale")
_STAMP = re.compile(r"^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S*Z ?", re.MULTILINE)


async def pr_status(hub: Hub, ref: str) -> PrStatus:
    s = require_session(hub.state, ref)
    async with open_forge(hub, s.repo) as forge:
        status = await fetch_status(hub, s, forge)
    hub.part(Desk).stir.set()
    return status


async def fetch_status(hub: Hub, s: Session, forge: Forge, known: str = "") -> PrStatus:
    """Ask the forge, and record what is new; threads and logs only if the stamp is not `known`."""
    github, pull = await find_pull(s, forge)
    reviews = await github.reviews(pull.number)
    checks = [_run(run) for run in await github.check_runs(pull.head.sha)]
    checks += [_status(status) for status in await github.statuses(pull.head.sha)]
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
        reviews=tuple(PrReviewView(a.name_of(r.user), r.state.lower(), r.body) for r in reviews),
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
    pulls = (
        await forge.github.pulls_from(forge.remote.owner, s.workspace.branch)
        if s.workspace.branch
        else []
    )
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
    said = (await github.job_log(check.id)).decode("utf-8", "replace")
    steps = tuple(FailedStep(step.name, part_of(said, step)) for step in failed)
    return msgspec.structs.replace(check, steps=steps)


def part_of(said: str, step: a.WorkflowStep) -> str:
    """The step's lines, by the time that each carries, without it; bounded from the end."""
    first, last = (step.started_at or "")[:19], (step.completed_at or "9999")[:19]
    lines, inside = [], False
    for line in said.splitlines():
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
        events.append(le.PrChanged(session=s.id, pr=status.pr))
    if thorough or events:
        threads = status.threads if thorough else None
        events += await asyncio.to_thread(imported, hub, s, threads, status.checks)
    if events:
        await hub.record(*events)


@dataclass
class Pace:
    due: float = 0.0
    factor: float = 1.0
    stamp: str = ""

    def next(self, moved: bool, busy: bool) -> None:
        most = BUSY_SLOWEST if busy else SLOWEST
        self.factor = 1.0 if moved else min(self.factor * SLOWER, most)


class PrWatch(Reactor):
    async def run(self) -> None:
        hub = self._hub
        paces: dict[SessionId, Pace] = {}
        while True:
            hub.part(Desk).stir.clear()
            every = hub.last_settings.github.poll_seconds
            watched = open_prs(hub) if every else []
            paces = {s.id: paces.get(s.id) or Pace() for s in watched}
            for s in watched:
                if paces[s.id].due <= monotonic():
                    await _check(hub, s, paces[s.id], every)
            await _rest(hub, paces)


def open_prs(hub: Hub) -> list[Session]:
    """Sessions whose pull request may still move."""
    return [
        s
        for s in hub.state.all_sessions().values()
        if s.landing.pr and s.landing.pr.state in ("draft", "open") and not s.life.archived
    ]


async def _check(hub: Hub, s: Session, pace: Pace, every: float) -> None:
    before, stamp = s.landing.pr, pace.stamp
    try:
        async with open_forge(hub, s.repo) as forge:
            status = await fetch_status(hub, s, forge, known=stamp)
    except ManyhandsError as error:
        log.info("the pull request of %s could not be looked at: %s", s.slug, error)
        pace.next(moved=False, busy=False)
    else:
        pace.stamp = status.stamp
        moved = status.pr != before or stamp != status.stamp
        pace.next(moved, busy=status.pr.checks == "running")
    pace.due = monotonic() + every * pace.factor


async def _rest(hub: Hub, paces: dict[SessionId, Pace]) -> None:
    """Until the next one is due or somebody stirred one; with none, for as long as it takes."""
    first = min((pace.due for pace in paces.values()), default=None)
    wait = None if first is None else max(0.0, first - monotonic())
    with suppress(TimeoutError):
        await asyncio.wait_for(hub.part(Desk).stir.wait(), wait)
        for pace in paces.values():
            pace.factor = 1.0
