"""What trackers know of a session's work, and which issues it was split into: a fold."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model.landing import tracking_events as te

MOST_PROPOSALS = 20


class Tracking(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    written: tuple[te.Written, ...] = ()
    """How far the trackers of its issues know of it."""
    proposals: tuple[te.IssuesProposal, ...] = ()

    def written_of(self, issue: str) -> te.Written | None:
        return next((w for w in self.written if w.issue == issue), None)

    def proposal(self, id: str) -> te.IssuesProposal | None:
        return next((p for p in self.proposals if p.id == id), None)


def fold(tracking: Tracking, event: te.TrackingEvent) -> Tracking:
    match event:
        case te.IssueStageAnnounced():
            return _written(tracking, te.Written(issue=event.issue, stage=event.stage))
        case te.IssueStageFailed():
            failed = te.Written(issue=event.issue, stage=event.stage, error=event.error)
            return _written(tracking, failed)
        case te.IssueStageRetried():
            known = (w for w in tracking.written if w.issue != event.issue or not w.error)
            return replace(tracking, written=tuple(known))
        case te.IssuesProposed():
            kept = tracking.proposals[1 - MOST_PROPOSALS :]
            return replace(tracking, proposals=(*kept, event.proposal))
        case te.ProposedIssueCreated():
            made = (_made(p, event) if p.id == event.proposal else p for p in tracking.proposals)
            return replace(tracking, proposals=tuple(made))
        case _:
            assert_never(event)


def _written(tracking: Tracking, written: te.Written) -> Tracking:
    others = (w for w in tracking.written if w.issue != written.issue)
    return replace(tracking, written=(*others, written))


def _made(proposal: te.IssuesProposal, event: te.ProposedIssueCreated) -> te.IssuesProposal:
    return replace(proposal, made=(*proposal.made, event.issue))
