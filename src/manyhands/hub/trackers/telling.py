"""Tells trackers how far the work on an issue is, where the user allows it.

What is recorded is compared with what the session's state asks for, so a hub that was killed
neither forgets nor repeats: the issue is looked at before it is changed, and a comment carries a
mark by which it is found again. An issue never goes back, and one that a person has closed or
given up is left alone. Where a tracker refuses, a person is told and the session goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manyhands.errors import ForgeFailed, ManyhandsError
from manyhands.hub.core import Hub, Reactor, Rounds, fresh_item, require_session
from manyhands.hub.trackers.stages import evidence, is_further, stage_of
from manyhands.hub.trackers.trackers import may_write, open_tracker, require_config
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option, Resolution
from manyhands.model.ids import SessionId
from manyhands.model.landing import events as le
from manyhands.model.landing import merge_events as m
from manyhands.model.landing import tracking_events as te
from manyhands.model.session.session import Session
from manyhands.trackers.tracker import Tracker, WholeIssue, is_ahead, state_for

LIMITED = 429
WORDS: dict[te.Stage, str] = {
    "in_progress": "in progress",
    "in_review": "in review",
    "done": "done",
}
OPTIONS = (Option("retry", "Try again"), Option("skip", "Leave the issue as it is"))


class TrackerTelling(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._rounds = Rounds(hub, self._wanted, self._tell)
        for kind in (e.TurnStarted, le.IssueLinked, le.PrChanged, m.SessionMerged):
            hub.on(kind, self._moved)
        hub.on(te.IssueStageRetried, self._moved)

    async def run(self) -> None:
        """What an earlier hub was not able to tell."""
        for id in list(self._hub.state.all_sessions()):
            self._rounds.consider(id)

    def _moved(self, event: e.Event) -> None:
        self._rounds.consider(event.session)

    def _wanted(self, id: SessionId) -> bool:
        s = self._hub.state.session(id)
        return s is not None and any(True for _ in untold(self._hub, s))

    async def _tell(self, id: SessionId) -> None:
        s = require_session(self._hub.state, id)
        for issue, stage in list(untold(self._hub, s)):
            try:
                await self._hub.record(await _told(self._hub, s, issue, stage))
            except ManyhandsError as error:
                if isinstance(error, ForgeFailed) and (error.unsure or error.status == LIMITED):
                    raise  # it is tried again, later each time, and the doctor tells of it
                await self._hub.record(*_failed(s, issue, stage, error))


def untold(hub: Hub, s: Session) -> Iterator[tuple[le.Issue, te.Stage]]:
    """What trackers are still to be told of. Of a session that is archived only what goes on from
    what they know, so that permission given late does not reach far back."""
    stage = stage_of(s)
    if stage is None or s.life.gone:
        return
    for issue in s.landing.issues:
        told = s.tracking.written_of(issue.id)
        is_news = is_further(stage, told.stage) if told else not s.life.archived
        if is_news and issue.ref and may_write(hub, s.repo, issue.tracker):
            yield issue, stage


@dataclass(frozen=True)
class FoundIssue:
    """An issue as it was found, and the way to it."""

    tracker: Tracker
    key: str
    found: WholeIssue

    async def again(self) -> WholeIssue:
        return await self.tracker.issue(self.key)


async def _told(hub: Hub, s: Session, issue: le.Issue, stage: te.Stage) -> te.IssueStageAnnounced:
    config = require_config(hub, s.repo, issue.tracker)
    named = str(getattr(config, stage)) if config else ""
    async with open_tracker(hub, s.repo, issue.tracker) as tracker:
        key = f"{issue.origin}#{issue.number}" if issue.number else issue.key
        look = FoundIssue(tracker, key, await tracker.issue(key))
        name = await _moved(look, stage, named)
        if stage != "in_progress":
            await _linked(s, look, stage)
    return te.IssueStageAnnounced(session=s.id, issue=issue.id, stage=stage, state=name)


async def _moved(look: FoundIssue, stage: te.Stage, named: str) -> str:
    """The state that the issue was brought into; empty where it was left as it is."""
    if is_ahead(look.found.state, stage):
        return ""
    state = state_for(stage, await look.tracker.states(look.key), named)
    if state is None or state.name == look.found.state.name:
        return ""
    try:
        await look.tracker.set_state(look.key, state)
    except ForgeFailed as error:
        if not error.unsure or (await look.again()).state.name != state.name:
            raise
    return state.name


async def _linked(s: Session, look: FoundIssue, stage: te.Stage) -> None:
    """Said once: where no clear answer came, the issue itself tells."""
    mark = f"(Manyhands, session {s.id}: {WORDS[stage]})"
    if _is_said(look.found, mark):
        return
    shown = evidence(s)
    text = f"{WORDS[stage].capitalize()}{f': {shown}' if shown else ''}\n\n{mark}"
    try:
        await look.tracker.comment(look.key, text)
    except ForgeFailed as error:
        if not error.unsure or not _is_said(await look.again(), mark):
            raise


def _is_said(found: WholeIssue, mark: str) -> bool:
    return any(mark in comment.body for comment in found.said)


def _failed(
    s: Session, issue: le.Issue, stage: te.Stage, error: ManyhandsError
) -> tuple[e.AnyEvent, ...]:
    failed = te.IssueStageFailed(
        session=s.id, issue=issue.id, stage=stage, error=str(error.message)
    )
    item = _item(s, issue, stage, error)
    raised = e.AttentionRaised(session=s.id, turn=s.main.turn, item=item)
    return failed, raised


def _item(s: Session, issue: le.Issue, stage: te.Stage, error: ManyhandsError) -> Attention:
    summary = f"could not tell {issue.ref} that it is {WORDS[stage]}: {error.message}"
    detail = {"text": summary, "issue": issue.id, "url": issue.url, "hint": error.hint}
    return fresh_item(s, "issues", summary, detail, OPTIONS)


def after_answer(s: Session, item: Attention, settled: Resolution) -> Iterator[e.AnyEvent]:
    if settled.option == "retry" and (issue := str(item.detail.get("issue", ""))):
        yield te.IssueStageRetried(session=s.id, issue=issue)
