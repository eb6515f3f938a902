"""How far a session's work has landed: a fold of the events of landing."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model.ids import Oid
from manyhands.model.landing import events as le


class CommitUnderWay(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A commit that is on record as begun, and not yet as ended."""

    id: str
    head: Oid
    message: str
    paths: tuple[str, ...] = ()
    amend: bool = False


class LastCommit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    commit: Oid
    message: str


class Pushed(msgspec.Struct, frozen=True):
    commit: Oid
    forced: bool
    output: str
    """What the hooks and the remote said; empty where there was nothing to push."""


class Watch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of the pull request came to the agent by itself."""

    fix_checks: int | None = None
    send_reviews: int | None = None
    """What holds for this session, in place of the config."""
    rounds: int = 0
    review_rounds: int = 0
    sent: tuple[str, ...] = ()
    """Failed checks that were sent, by commit and name; those of the last commit."""
    stopped: Oid = Oid("")
    """The commit at which no round was left for its checks."""
    reviews_stopped: bool = False


class Landing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    issues: tuple[le.Issue, ...] = ()
    committing: CommitUnderWay | None = None
    commit: LastCommit | None = None
    pushed: Oid = Oid("")
    pr: le.Pr | None = None
    drafts: tuple[le.ReviewDraft, ...] = ()
    watch: Watch = Watch()


def fold(landing: Landing, event: le.LandingEvent) -> Landing:
    match event:
        case le.IssueLinked():
            return replace(landing, issues=(*landing.issues, event.issue))
        case le.CommitStarted() | le.CommitMade() | le.CommitFailed():
            return _committed(landing, event)
        case le.BranchPushed():
            return replace(landing, pushed=event.commit)
        case le.PrChanged():
            return replace(landing, pr=event.pr)
        case le.ReviewDraftImported():
            drafts = {d.id: d for d in landing.drafts} | {event.draft.id: event.draft}
            return replace(landing, drafts=tuple(drafts.values()))
        case le.ReviewDraftEnded():
            id, end = event.draft, event.end
            ended = (replace(d, ended=end) if d.id == id else d for d in landing.drafts)
            return replace(landing, drafts=tuple(ended))
        case le.WatchChanged() | le.WatchDelivered() | le.WatchStopped() | le.WatchRenewed():
            return replace(landing, watch=_watched(landing.watch, event))
        case _:
            assert_never(event)


def _committed(
    landing: Landing, event: le.CommitStarted | le.CommitMade | le.CommitFailed
) -> Landing:
    match event:
        case le.CommitStarted():
            under_way = msgspec.convert(event, CommitUnderWay, from_attributes=True)
            return replace(landing, committing=under_way)
        case le.CommitMade():
            made = LastCommit(id=event.id, commit=event.commit, message=event.message)
            return replace(landing, committing=None, commit=made)
        case le.CommitFailed():
            return replace(landing, committing=None)
        case _:
            assert_never(event)


def sent_key(head: Oid, draft: str) -> str:
    return f"{head} {draft}"


def _watched(
    watch: Watch, event: le.WatchChanged | le.WatchDelivered | le.WatchStopped | le.WatchRenewed
) -> Watch:
    match event:
        case le.WatchChanged():
            return Watch(
                fix_checks=event.fix_checks, send_reviews=event.send_reviews, sent=watch.sent
            )
        case le.WatchDelivered(reason="checks"):
            sent = tuple(sent_key(event.head, draft) for draft in event.drafts)
            same = tuple(key for key in watch.sent if key.startswith(f"{event.head} "))
            return replace(watch, rounds=watch.rounds + 1, sent=(*same, *sent))
        case le.WatchDelivered():
            return replace(watch, review_rounds=watch.review_rounds + 1)
        case le.WatchStopped(reason="checks"):
            return replace(watch, stopped=event.head)
        case le.WatchStopped():
            return replace(watch, reviews_stopped=True)
        case le.WatchRenewed(reason="checks"):
            return replace(watch, rounds=0, stopped=Oid(""))
        case le.WatchRenewed():
            return replace(watch, review_rounds=0, reviews_stopped=False)
        case _:
            assert_never(event)
