"""Events of trackers: what they were told of a session's work, and issues it was split into."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.envelope import Event

Stage = Literal["in_progress", "in_review", "done"]
"""How far a session's work on an issue is, as the issue's tracker is told."""


class Written(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far the tracker of an issue was told, or why it could not be."""

    issue: str
    stage: Stage
    error: str = ""


class ProposedIssue(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    body: str = ""


class MadeIssue(msgspec.Struct, frozen=True, kw_only=True):
    index: int
    """Which one of the proposal it is, counted from 0."""
    key: str
    title: str
    url: str


class IssuesProposal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Issues that an agent would split its work into; a person decides which are made."""

    id: str
    tracker: str
    """The configured one; empty for the repository's own forge."""
    place: str
    """Where they would be made, in a person's words."""
    issues: tuple[ProposedIssue, ...]
    made: tuple[MadeIssue, ...] = ()


class IssueStageAnnounced(Event, frozen=True, kw_only=True):
    """The issue's tracker was told how far the work is."""

    issue: str
    stage: Stage
    state: str = ""
    """What the issue is in now, in the tracker's words; empty where that was left as it was."""


class IssueStageFailed(Event, frozen=True, kw_only=True):
    """It could not be told, and is not tried again before a person says so."""

    issue: str
    stage: Stage
    error: str


class IssueStageRetried(Event, frozen=True, kw_only=True):
    issue: str


class IssuesProposed(Event, frozen=True, kw_only=True):
    proposal: IssuesProposal


class ProposedIssueCreated(Event, frozen=True, kw_only=True):
    """One of a proposal's issues is there."""

    proposal: str
    issue: MadeIssue


TrackingEvent = (
    IssueStageAnnounced
    | IssueStageFailed
    | IssueStageRetried
    | IssuesProposed
    | ProposedIssueCreated
)
