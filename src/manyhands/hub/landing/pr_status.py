"""What became of a session's pull request: its state, reviews, threads and checks.

Open ones are looked at from time to time, less and less often while nothing moves.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from manyhands.contract.landing import CheckView, FailedStep, PrReviewView, PrStatus, ThreadView
from manyhands.errors import ForgeFailed, ManyhandsError, NotFound, NotPossible
from manyhands.forges import values as v
from manyhands.forges.forge import GONE, ForgeRepo
from manyhands.hub.core import Hub, Reactor, require_session
from manyhands.hub.forge.forge import Forge, open_forge
from manyhands.hub.landing.desk import Desk
from manyhands.hub.landing.pr import seen
from manyhands.hub.landing.remarks import Remarks, check_id
from manyhands.hub.landing.review_drafts import Imported, comment_view, imported
from manyhands.hub.landing.watch import heed, watch_view
from manyhands.model.clock import monotonic
from manyhands.model.ids import SessionId
from manyhands.model.landing import events as le
from manyhands.model.session.session import Session

log = logging.getLogger(__name__)
SLOWER = 1.5
SLOWEST = 20.0
"""How many times the first pause a quiet pull request waits at most."""
BUSY_SLOWEST = 3.0
"""The same while checks run."""


async def pr_status(hub: Hub, ref: str) -> PrStatus:
    s = require_session(hub.state, ref)
    async with open_forge(hub, s.repo) as forge:
        status = await fetch_status(hub, s, forge)
    hub.part(Desk).stir.set()
    await heed(hub, s.id, status)
    s = require_session(hub.state, s.id)
    return msgspec.structs.replace(status, drafts=s.landing.drafts, watch=watch_view(hub, s))


async def fetch_status(hub: Hub, s: Session, forge: Forge, known: str = "") -> PrStatus:
    """Ask the forge, and record what is new; threads and logs only if the stamp is not `known`."""
    repo, pull = await find_pull(s, forge)
    reviews = await repo.reviews(pull.number)
    checks = await repo.checks(pull)
    thorough = pull.stamp != known
    said = await _remarks(repo, pull, reviews) if thorough else None
    pr = msgspec.structs.replace(
        seen(pull, repo.slug, s), checks=overall(checks), review=verdict(reviews)
    )
    with_logs = thorough or pr != s.landing.pr or _has_unknown(s, checks)
    status = PrStatus(
        session=s.id,
        pr=pr,
        mergeable=pull.mergeable,
        stamp=pull.stamp,
        reviews=tuple(map(_review, reviews)),
        threads=tuple(said.threads if said else ()),
        checks=tuple([await _viewed(repo, check, with_logs) for check in checks]),
        drafts=(),
        comments=tuple(said.comments if said else ()),
    )
    await _record(hub, s, status, said, with_logs)
    return msgspec.structs.replace(status, drafts=require_session(hub.state, s.id).landing.drafts)


async def _remarks(repo: ForgeRepo, pull: v.Pull, reviews: list[v.Review]) -> Remarks:
    return Remarks(
        threads=[_thread(t) for t in await repo.threads(pull.number)],
        reviews=list(map(_review, reviews)),
        comments=list(map(comment_view, await repo.conversation(pull.number))),
    )


def _has_unknown(s: Session, checks: list[v.Check]) -> bool:
    """Whether a check failed of which there is no draft yet."""
    known = {draft.id for draft in s.landing.drafts}
    return any(c.state == "failed" and check_id(c.name, c.url) not in known for c in checks)


async def find_pull(s: Session, forge: Forge) -> tuple[ForgeRepo, v.Pull]:
    """The session's pull request as it is now, ours or one that somebody opened by hand."""
    known = s.landing.pr
    if known is not None:
        repo = forge.repo.of(known.repo)
        try:
            return repo, await repo.pull(known.number)
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotPossible(
                f"{known.called} is not to be seen in {known.repo} any more",
                hint="the repository moved, or the token lost its right to see it",
            ) from error
    pulls = (
        await forge.repo.pulls_from(forge.repo.slug, s.workspace.branch)
        if s.workspace.branch
        else []
    )
    if not pulls:
        raise NotFound(f"{s.slug} has no pull request", hint=f"`manyhands pr {s.slug}` opens one")
    return forge.repo, await forge.repo.pull(pulls[0].number)


def overall(checks: list[v.Check]) -> le.ChecksState:
    states = {check.state for check in checks} - {"skipped"}
    for state in ("failed", "running", "passed"):
        if state in states:
            return state
    return "passed" if checks else "none"


def verdict(reviews: list[v.Review]) -> le.PrReview:
    """The last word of each reviewer counts; a mere comment is none."""
    last: dict[str, str] = {}
    for review in reviews:
        if review.verdict in ("approved", "changes_requested", "dismissed"):
            last[review.author] = review.verdict
    if "changes_requested" in last.values():
        return "changes"
    return "approved" if "approved" in last.values() else "none"


def _review(review: v.Review) -> PrReviewView:
    told = (review.author, review.verdict, review.body, review.url, review.bot, review.id)
    return PrReviewView(*told)


async def _viewed(repo: ForgeRepo, check: v.Check, with_logs: bool) -> CheckView:
    steps = await repo.failed_steps(check) if with_logs else ()
    return CheckView(
        id=check.id,
        name=check.name,
        state=check.state,
        url=check.url,
        summary=check.summary,
        steps=tuple(FailedStep(step.name, step.log) for step in steps),
    )


def _thread(thread: v.Thread) -> ThreadView:
    comments = thread.comments
    return ThreadView(
        id=thread.id,
        path=thread.path,
        line=thread.line,
        resolved=thread.resolved,
        outdated=thread.outdated,
        comment=comments[0].id if comments else 0,
        url=comments[0].url if comments else "",
        comments=tuple(le.IssueComment(author=c.author, body=c.body) for c in comments),
        bot=comments[0].bot if comments else False,
    )


async def _record(
    hub: Hub, s: Session, status: PrStatus, said: Remarks | None, with_logs: bool
) -> None:
    events: list[Imported] = []
    if status.pr != s.landing.pr:
        events.append(le.PrChanged(session=s.id, pr=status.pr))
    if with_logs:
        events += await asyncio.to_thread(imported, hub, s, said, status.checks)
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
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        hub.on(le.WatchRenewed, lambda event: hub.part(Desk).stir.set())

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
        await heed(hub, s.id, status)
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
