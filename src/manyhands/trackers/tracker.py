"""The seam to trackers: few calls over neutral values, and which state of an issue is meant.

Writes are sent once. Where no clear answer came, whoever asked looks at what is there before
anything is sent again: `made` finds what was created under a mark, `issue` has the comments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from manyhands.errors import NotPossible
from manyhands.model.landing.events import IssueComment
from manyhands.model.landing.tracking_events import Stage

StateKind = Literal["todo", "started", "review", "done", "cancelled"]
ORDER: tuple[StateKind, ...] = ("todo", "started", "review", "done")
"""The way of an issue; one that was cancelled has left it."""
KIND_OF: dict[Stage, StateKind] = {"in_progress": "started", "in_review": "review", "done": "done"}
MOST_COMMENTS = 100


class TrackerState(msgspec.Struct, frozen=True):
    id: str
    """What the tracker sets it by."""
    name: str
    kind: StateKind


class ListedIssue(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    """What people call it: ENG-123, #12, or the number of an item."""
    title: str
    url: str
    state: TrackerState
    author: str = ""
    assignee: str = ""
    labels: tuple[str, ...] = ()
    comments: int | None = None
    """None where a list does not tell."""
    origin: str = ""
    """Where it is kept, as its quotation says."""


class WholeIssue(ListedIssue, frozen=True, kw_only=True):
    body: str
    said: tuple[IssueComment, ...] = ()
    left_out: int = 0
    """Comments beyond the limit."""


class IssuesAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which issues are to be listed: open ones, newest first."""

    search: str = ""
    mine: bool = False
    most: int = 100


class NewIssue(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    body: str = ""


class Tracker(Protocol):
    @property
    def place(self) -> str:
        """Where its issues are, in a person's words."""

    async def issues(self, wanted: IssuesAsked) -> list[ListedIssue]: ...

    async def issue(self, key: str) -> WholeIssue:
        """As it is now, with its comments; `NotFound` where there is none."""

    async def states(self, key: str) -> list[TrackerState]:
        """Those that the issue can be brought into."""

    async def set_state(self, key: str, state: TrackerState) -> None: ...

    async def comment(self, key: str, text: str) -> None: ...

    async def create(self, issue: NewIssue) -> ListedIssue: ...

    async def made(self, mark: str) -> ListedIssue | None:
        """The issue, made lately, whose text holds the mark."""


def named_kind(name: str, kind: StateKind) -> StateKind:
    """Trackers know work as begun or not; that it is under review is told by the name alone."""
    return "review" if kind == "started" and "review" in name.casefold() else kind


def state_for(stage: Stage, states: Sequence[TrackerState], named: str) -> TrackerState | None:
    """The state that stands for a stage: the one that is `named`, else the first of its kind; for a
    review, where the tracker knows none, nothing."""
    if named:
        found = next((s for s in states if s.name.casefold() == named.casefold()), None)
        if found is None:
            known = ", ".join(s.name for s in states) or "none"
            raise NotPossible(
                f"there is no state called {named!r} that it can be brought into",
                hint=f"it can become: {known}; see [trackers] in config.toml",
            )
        return found
    return next((s for s in states if s.kind == KIND_OF[stage]), None)


def is_ahead(state: TrackerState, stage: Stage) -> bool:
    """Whether the issue is already as far as the stage, or somebody has given it up."""
    return state.kind == "cancelled" or ORDER.index(state.kind) >= ORDER.index(KIND_OF[stage])
