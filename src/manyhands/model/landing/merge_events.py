"""Events of merges and updates made here: what landed where, and what came in from the base."""

from __future__ import annotations

from typing import Literal

from manyhands.model.envelope import Event
from manyhands.model.ids import Oid, SessionId

MergeMethod = Literal["merge", "squash", "rebase"]
UpdateMethod = Literal["merge", "rebase"]


class MergeStarted(Event, frozen=True, kw_only=True):
    """Recorded before anything is done; nothing but what it names is ever merged."""

    merge: str
    into: str
    method: MergeMethod
    tip: Oid
    target: Oid


class MergePrepared(Event, frozen=True, kw_only=True):
    """The commit that the target is to be moved to; `tree` is what the checks ran on."""

    merge: str
    commit: Oid
    tree: Oid


class ChecksStarted(Event, frozen=True, kw_only=True):
    merge: str
    commands: tuple[str, ...]
    tree: Oid


class ChecksReported(Event, frozen=True, kw_only=True):
    command: str
    text: str


class ChecksFinished(Event, frozen=True, kw_only=True):
    merge: str
    tree: Oid
    passed: bool
    failed: str = ""
    error: str = ""
    seconds: float = 0.0


class TargetForwarded(Event, frozen=True, kw_only=True):
    """A target that was behind its remote's branch was brought forward to it, before the merge."""

    merge: str
    into: str
    before: Oid
    commit: Oid
    checkout: str = ""


class SessionMerged(Event, frozen=True, kw_only=True):
    merge: str
    into: str
    method: MergeMethod
    tip: Oid
    commit: Oid
    before: Oid
    checkout: str = ""
    """Where the target is checked out and was brought along."""


class MergeFailed(Event, frozen=True, kw_only=True):
    """Nothing was moved."""

    merge: str
    error: str
    hint: str = ""


class UpdateStarted(Event, frozen=True, kw_only=True):
    """The base is about to come into the session."""

    base: str
    onto: Oid
    method: UpdateMethod


class UpdateSecured(Event, frozen=True, kw_only=True):
    """The checkpoint that an abort goes back to."""

    checkpoint: str


class UpdateApplied(Event, frozen=True, kw_only=True):
    """It is in; with `conflicts`, the session's agent has them to settle."""

    base: str
    onto: Oid
    method: UpdateMethod
    conflicts: tuple[str, ...] = ()


class UpdateFinished(Event, frozen=True, kw_only=True):
    """The conflicts of it are settled."""

    onto: Oid


class UpdateAborted(Event, frozen=True, kw_only=True):
    """The session is as it was before."""

    checkpoint: str
    base_commit: Oid


class BaseLanded(Event, frozen=True, kw_only=True):
    """The session that this one was stacked on has landed: it stands on what that went into."""

    base: str
    was: str
    by: SessionId
    """The session that landed."""
    tip: Oid = Oid("")
    """The new base as it was then."""
    landed: Oid = Oid("")
    """What the base has of the one that landed."""
    moves: bool = False
    """Its own commits are still to be put on top: what landed is not what they stand on."""
    pushes: bool = False
    """Its branch is to be pushed then, since all of it was."""


class RestackEnded(Event, frozen=True, kw_only=True):
    """Its own commits stand on the new base, or a person was told why not."""

    moved: bool
    pushed: bool = False
    note: str = ""


MergeEvent = (
    MergeStarted
    | MergePrepared
    | ChecksStarted
    | ChecksReported
    | ChecksFinished
    | TargetForwarded
    | SessionMerged
    | MergeFailed
)
UpdateEvent = UpdateStarted | UpdateSecured | UpdateApplied | UpdateFinished | UpdateAborted
StackEvent = BaseLanded | RestackEnded
