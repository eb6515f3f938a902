"""Events of the radar and of merges made here: who is in whose way, what landed where."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.envelope import Event
from manyhands.model.ids import Oid, SessionId

ClashKind = Literal["conflict", "overlap"]
MergeMethod = Literal["merge", "squash", "rebase"]
UpdateMethod = Literal["merge", "rebase"]


class Meet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A path that two sides changed: they would conflict there, or merely overlap."""

    path: str
    kind: ClashKind
    reason: str = ""


class ConflictChanged(Event, frozen=True, kw_only=True):
    """The session against another, or against its base; no paths: nothing is left of it."""

    other: SessionId = SessionId("")
    base: str = ""
    paths: tuple[Meet, ...] = ()
    first: SessionId = SessionId("")
    """Who touched a path of it first; empty for the base."""
    suggestion: str = ""


class BaseMoved(Event, frozen=True, kw_only=True):
    """The branch that the session started from is elsewhere now."""

    base: str
    commit: Oid
    by: SessionId = SessionId("")
    """The session whose merge moved it, if it was one."""


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


MergeEvent = (
    MergeStarted
    | MergePrepared
    | ChecksStarted
    | ChecksReported
    | ChecksFinished
    | SessionMerged
    | MergeFailed
)
UpdateEvent = UpdateStarted | UpdateSecured | UpdateApplied | UpdateFinished | UpdateAborted
RadarEvent = ConflictChanged | BaseMoved | MergeEvent | UpdateEvent
