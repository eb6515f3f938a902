"""The merge train over HTTP: its lanes, its cars, and what can be asked of them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing.merge_events import MergeMethod
from manyhands.model.train.events import Via
from manyhands.model.train.train import CarState


class Boarding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sessions: tuple[str, ...]
    into: str = ""
    """Empty: the branch that each session's base stands for."""
    method: MergeMethod | None = None
    via: Via | None = None
    mend: Annotated[int, msgspec.Meta(ge=0, le=10)] | None = None
    """How often its agent may mend a car that left; None: as configured."""
    untested: bool = False
    """Although no checks are configured."""


class Leaving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sessions: tuple[str, ...]


class Moving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    session: str
    position: int
    """Counted from one; a car that was tested is not overtaken."""


class Lane(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    repo: str
    into: str = ""
    """Empty: every branch of the repository that has one."""


class CarView(msgspec.Struct, frozen=True, kw_only=True):
    car: str
    session: SessionId
    slug: str
    title: str
    repo: str
    into: str
    method: MergeMethod
    via: Via
    position: int
    """From one; 0 for those that left."""
    state: CarState
    commit: Oid
    """What the branch would go to, or went to."""
    tip: Oid
    onto: Oid
    ahead: tuple[str, ...]
    """Titles of the cars that it was put on top of."""
    error: str
    hint: str
    note: str
    paths: tuple[str, ...]
    """Where it is in conflict."""
    round: int
    rounds: int
    mending: bool
    """It left, its agent has it, and it rejoins by itself."""
    checks: tuple[str, ...]
    progress: str
    started_at: Instant
    expected: float
    """How many seconds the last run that passed took."""
    added_at: Instant
    ended_at: Instant


class TrainView(msgspec.Struct, frozen=True, kw_only=True):
    repo: str
    into: str
    via: Via
    paused: bool
    reason: str
    hint: str
    target: Oid
    moved_at: Instant
    moved_by: str
    """The title of what the train landed last."""
    window: int
    cars: tuple[CarView, ...]
    left: tuple[CarView, ...]
