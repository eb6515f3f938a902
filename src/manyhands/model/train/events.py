"""Events of the merge train. Each names the repository, the branch and, but for the train's own,
the car; the session of the envelope is the car's."""

from __future__ import annotations

from typing import Literal

from manyhands.model.envelope import Event
from manyhands.model.ids import Oid
from manyhands.model.landing.merge_events import MergeMethod

Via = Literal["local", "push", "pr"]
"""How the branch is moved: here, on the remote by a push with lease, or by pull requests."""
Departure = Literal["failed", "conflicted", "removed"]
JoinedBy = Literal["person", "approval"]


class TrainFact(Event, frozen=True, kw_only=True):
    path: str
    """The repository's."""
    into: str


class CarFact(TrainFact, frozen=True, kw_only=True):
    car: str


class CarAdded(CarFact, frozen=True, kw_only=True):
    """It is pinned to `tip`: nothing else of the session ever lands with it."""

    tip: Oid
    method: MergeMethod = "merge"
    via: Via = "local"
    remote: str = ""
    """Whose branch it is, where that is not moved here."""
    rounds: int = 0
    """How often its agent may mend it."""
    round: int = 0
    """How often it has done so."""
    untested: bool = False
    """A person said that it may land although nothing tests it."""
    by: JoinedBy = "person"


class CarRequeued(CarFact, frozen=True, kw_only=True):
    """Its branch has moved: it is another car now, at the end."""

    tip: Oid


class CarBuilt(CarFact, frozen=True, kw_only=True):
    """What the branch would go to, made on what is ahead of it; nothing new where it is `empty`."""

    onto: Oid
    commit: Oid
    tree: Oid
    empty: bool = False


class CarConflicted(CarFact, frozen=True, kw_only=True):
    """It does not go onto what is ahead of it."""

    onto: Oid
    paths: tuple[str, ...]
    error: str


class CarTestStarted(CarFact, frozen=True, kw_only=True):
    tree: Oid
    commands: tuple[str, ...]


class CarTested(CarFact, frozen=True, kw_only=True):
    """`attempt` counts the runs on that very tree; `untested`: nothing ran, and a person said that
    it may land so."""

    tree: Oid
    passed: bool
    attempt: int
    untested: bool = False
    error: str = ""
    hint: str = ""
    tail: str = ""
    """The end of what a failed check said."""
    seconds: float = 0.0


class CarLandingStarted(CarFact, frozen=True, kw_only=True):
    """On record before the branch is moved from `onto` to `commit`."""

    onto: Oid
    commit: Oid


class CarLanded(CarFact, frozen=True, kw_only=True):
    """`already`: the branch had all of it before, and was not moved."""

    commit: Oid
    before: Oid
    already: bool = False
    note: str = ""


class CarHeld(CarFact, frozen=True, kw_only=True):
    """It could not go on for a reason that is not its own; it is tried again."""

    error: str
    hint: str = ""
    unmoved: bool = False
    """It was looked: the branch is where it was."""


class CarLeft(CarFact, frozen=True, kw_only=True):
    """Alone; with `mending` its agent has it, and it rejoins by itself."""

    why: Departure
    error: str = ""
    hint: str = ""
    mending: bool = False


class MendAsked(CarFact, frozen=True, kw_only=True):
    """The agent of a car that left has been told."""


class TrainOrdered(TrainFact, frozen=True, kw_only=True):
    cars: tuple[str, ...]


class TrainPaused(TrainFact, frozen=True, kw_only=True):
    """Nothing new is begun; empty where a person wants it so, else why it cannot go on."""

    reason: str = ""
    hint: str = ""


class TrainResumed(TrainFact, frozen=True, kw_only=True):
    pass


TrainEvent = (
    CarAdded
    | CarRequeued
    | CarBuilt
    | CarConflicted
    | CarTestStarted
    | CarTested
    | CarLandingStarted
    | CarLanded
    | CarHeld
    | CarLeft
    | MendAsked
    | TrainOrdered
    | TrainPaused
    | TrainResumed
)
