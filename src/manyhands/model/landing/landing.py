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


class Landing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    issues: tuple[le.Issue, ...] = ()
    committing: CommitUnderWay | None = None
    commit: LastCommit | None = None
    pushed: Oid = Oid("")
    pr: le.Pr | None = None
    drafts: tuple[le.ReviewDraft, ...] = ()


def fold(landing: Landing, event: le.LandingEvent) -> Landing:
    match event:
        case le.IssueLinked():
            return replace(landing, issues=(*landing.issues, event.issue))
        case le.CommitStarted():
            under_way = msgspec.convert(event, CommitUnderWay, from_attributes=True)
            return replace(landing, committing=under_way)
        case le.CommitMade():
            made = LastCommit(id=event.id, commit=event.commit, message=event.message)
            return replace(landing, committing=None, commit=made)
        case le.CommitFailed():
            return replace(landing, committing=None)
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
        case _:
            assert_never(event)
