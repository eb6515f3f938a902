"""What the radar finds, and its events: who is in whose way and where, and whose base moved."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.envelope import Event
from manyhands.model.ids import Oid, SessionId

ClashKind = Literal["conflict", "overlap"]
Span = tuple[int, int]
"""First and last line, counted from one; the last before the first where lines were taken out."""


class Lines(msgspec.Struct, frozen=True):
    a: tuple[Span, ...] = ()
    b: tuple[Span, ...] = ()


class Clash(msgspec.Struct, frozen=True):
    """One path on which two sides meet."""

    path: str
    kind: ClashKind
    reason: str = ""
    lines: Lines = Lines()


Clashes = tuple[Clash, ...]
Names = tuple[str, str]
"""The two sides that meet."""


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


RadarEvent = ConflictChanged | BaseMoved
