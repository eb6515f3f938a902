"""How far a session's work has landed: a fold of the events of landing."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec

from manyhands.model import landing_events as le
from manyhands.model.folds import Folds
from manyhands.model.ids import Oid

if TYPE_CHECKING:
    from manyhands.model.session import Session


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


class Landing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    issues: tuple[le.Issue, ...] = ()
    committing: CommitUnderWay | None = None
    commit: LastCommit | None = None
    pushed: Oid = Oid("")
    pr: le.Pr | None = None
    drafts: tuple[le.ReviewDraft, ...] = ()


def _landing(s: Session, event: le.LandingEvent) -> dict[str, object]:
    return {"landing": msgspec.structs.replace(s.landing, **_change(s.landing, event))}


def _change(landing: Landing, event: le.LandingEvent) -> dict[str, object]:
    match event:
        case le.IssueLinked():
            return {"issues": (*landing.issues, event.issue)}
        case le.CommitStarted():
            under_way = CommitUnderWay(
                id=event.id,
                head=event.head,
                message=event.message,
                paths=event.paths,
                amend=event.amend,
            )
            return {"committing": under_way}
        case le.CommitMade():
            made = LastCommit(id=event.id, commit=event.commit, message=event.message)
            return {"committing": None, "commit": made}
        case le.CommitFailed():
            return {"committing": None}
        case le.BranchPushed():
            return {"pushed": event.commit}
        case le.PrChanged():
            return {"pr": event.pr}
        case le.ReviewDraftImported():
            drafts = {d.id: d for d in landing.drafts} | {event.draft.id: event.draft}
            return {"drafts": tuple(drafts.values())}
        case le.ReviewDraftEnded():
            return {"drafts": tuple(_ended(d, event) for d in landing.drafts)}


def _ended(draft: le.ReviewDraft, event: le.ReviewDraftEnded) -> le.ReviewDraft:
    same = draft.id == event.draft
    return msgspec.structs.replace(draft, ended=event.end) if same else draft


LANDING_FOLDS: Folds = dict.fromkeys(get_args(le.LandingEvent), _landing)
