"""The merges and updates of a session: what is under way, and what was merged last."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model.clock import Instant
from manyhands.model.ids import Oid
from manyhands.model.landing import merge_events as m


class Merge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    into: str
    method: m.MergeMethod
    tip: Oid
    target: Oid
    at: Instant
    commit: Oid = Oid("")
    """What the target goes to, once that is made."""
    behind: Oid = Oid("")
    """Where the target is until it is brought forward to `target`; empty: it is there."""
    others: tuple[Oid, ...] = ()
    """What these hold is not the session's own."""
    message: str = ""
    """A person's own, for its commit."""


class Prepared(msgspec.Struct, frozen=True):
    """What a target is to go to."""

    commit: Oid
    tree: Oid


class Update(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    base: str
    onto: Oid
    method: m.UpdateMethod
    before: Oid
    """The session's base until then."""
    checkpoint: str = ""
    conflicts: tuple[str, ...] = ()


class Restack(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Own commits on their way to what the session below has landed in."""

    landed: Oid
    """Without which no base is the new one: what stood below would be missing."""
    pushes: bool = False
    moved: bool = False
    """They are there."""


class Merges(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    running: Merge | None = None
    last: Merge | None = None
    update: Update | None = None
    """The base on its way into the session, or its conflicts there."""
    restack: Restack | None = None


MergesEvent = m.MergeEvent | m.UpdateEvent | m.StackEvent


def fold(merges: Merges, event: MergesEvent, base_commit: Oid) -> Merges:
    """`base_commit` is what the session stands on until the event."""
    running, update = merges.running, merges.update
    match event:
        case m.MergeStarted():
            return replace(merges, running=_merge(event, event.target))
        case m.MergePrepared():
            if running is None or running.id != event.merge:
                return merges
            return replace(merges, running=replace(running, commit=event.commit))
        case m.SessionMerged():
            return replace(merges, running=None, last=_merge(event, event.before, event.commit))
        case m.MergeFailed():
            return replace(merges, running=None)
        case m.UpdateStarted():
            begun = Update(
                base=event.base, onto=event.onto, method=event.method, before=base_commit
            )
            return replace(merges, update=begun)
        case m.UpdateSecured():
            secured = replace(update, checkpoint=event.checkpoint) if update else None
            return replace(merges, update=secured)
        case m.UpdateApplied():
            held = replace(update, conflicts=event.conflicts) if update else None
            restack = replace(merges.restack, moved=True) if merges.restack else None
            kept = held if event.conflicts else None
            return replace(merges, update=kept, restack=restack)
        case m.UpdateFinished():
            return replace(merges, update=None)
        case m.UpdateAborted():
            return replace(merges, update=None, restack=None)
        case m.BaseLanded():
            due = Restack(landed=event.landed, pushes=event.pushes) if event.moves else None
            return replace(merges, restack=due)
        case m.RestackEnded():
            return replace(merges, restack=None)
        case m.ChecksStarted() | m.ChecksReported() | m.ChecksFinished() | m.TargetForwarded():
            return merges
        case _:
            assert_never(event)


def _merge(event: m.MergeStarted | m.SessionMerged, target: Oid, commit: Oid = Oid("")) -> Merge:
    return Merge(
        id=event.merge,
        into=event.into,
        method=event.method,
        tip=event.tip,
        target=target,
        at=event.at,
        commit=commit,
    )
