"""What a session remembers of conflicts, merges and updates: its part of the fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from manyhands.model import radar_events as r
from manyhands.model.clock import Instant
from manyhands.model.folds import Folds
from manyhands.model.ids import Oid

if TYPE_CHECKING:
    from manyhands.model.session import Session


class Merge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    into: str
    method: r.MergeMethod
    tip: Oid
    target: Oid
    at: Instant
    commit: Oid = Oid("")
    """What the target goes to, once that is made."""


class Update(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    base: str
    onto: Oid
    method: r.UpdateMethod
    before: Oid
    """The session's base until then."""
    checkpoint: str = ""
    conflicts: tuple[str, ...] = ()


def _collided(s: Session, ev: r.ConflictChanged) -> dict[str, object]:
    others = tuple(c for c in s.collisions if (c.other, c.base) != (ev.other, ev.base))
    return {"collisions": (*others, ev) if ev.paths else others}


def _merge_started(s: Session, ev: r.MergeStarted) -> dict[str, object]:
    begun = Merge(
        id=ev.merge, into=ev.into, method=ev.method, tip=ev.tip, target=ev.target, at=ev.at
    )
    return {"merging": begun}


def _merge_prepared(s: Session, ev: r.MergePrepared) -> dict[str, object]:
    if s.merging is None or s.merging.id != ev.merge:
        return {}
    return {"merging": msgspec.structs.replace(s.merging, commit=ev.commit)}


def _merged(s: Session, ev: r.SessionMerged) -> dict[str, object]:
    done = Merge(
        id=ev.merge,
        into=ev.into,
        method=ev.method,
        tip=ev.tip,
        target=ev.before,
        at=ev.at,
        commit=ev.commit,
    )
    return {"merging": None, "merged": done}


def _update_started(s: Session, ev: r.UpdateStarted) -> dict[str, object]:
    begun = Update(base=ev.base, onto=ev.onto, method=ev.method, before=s.base_commit)
    return {"updating": begun, "step": "update"}


def _update_secured(s: Session, ev: r.UpdateSecured) -> dict[str, object]:
    if s.updating is None:
        return {}
    return {"updating": msgspec.structs.replace(s.updating, checkpoint=ev.checkpoint)}


def _update_applied(s: Session, ev: r.UpdateApplied) -> dict[str, object]:
    held = msgspec.structs.replace(s.updating, conflicts=ev.conflicts) if s.updating else None
    left = held if ev.conflicts else None
    return {"updating": left, "step": "", "base_commit": ev.onto, "error": "", "hint": ""}


def _update_aborted(s: Session, ev: r.UpdateAborted) -> dict[str, object]:
    return {"updating": None, "step": "", "base_commit": ev.base_commit}


RADAR_FOLDS: Folds = {
    r.ConflictChanged: _collided,
    r.MergeStarted: _merge_started,
    r.MergePrepared: _merge_prepared,
    r.SessionMerged: _merged,
    r.MergeFailed: lambda s, ev: {"merging": None},
    r.UpdateStarted: _update_started,
    r.UpdateSecured: _update_secured,
    r.UpdateApplied: _update_applied,
    r.UpdateFinished: lambda s, ev: {"updating": None},
    r.UpdateAborted: _update_aborted,
}
