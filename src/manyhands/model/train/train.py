"""A merge train as a pure fold of its events: the cars in order, and those that left.

A verdict belongs to a tree. A green one holds for whoever comes to that very tree, since the checks
are part of it; a red one is the car's own.
"""

from __future__ import annotations

from typing import Literal, assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model.clock import Instant
from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing.merge_events import MergeMethod
from manyhands.model.train import events as t

CarState = Literal["waiting", "testing", "tested", "landed", "failed", "conflicted", "removed"]
MOST_LEFT = 30
MOST_PASSED = 200
AGAIN = "passed only when it was run again: a check is flaky"


class Car(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    session: SessionId
    tip: Oid
    at: Instant
    """When it was pinned there; part of what makes its commit the same each time."""
    method: MergeMethod = "merge"
    rounds: int = 0
    round: int = 0
    untested: bool = False
    by: t.JoinedBy = "person"
    added_at: Instant = ""
    ended_at: Instant = ""

    state: CarState = "waiting"
    onto: Oid = Oid("")
    commit: Oid = Oid("")
    tree: Oid = Oid("")
    empty: bool = False
    paths: tuple[str, ...] = ()
    attempts: int = 0
    """How often the checks ran to an end on that tree."""
    landing: bool = False
    """The branch may have been moved already."""
    mending: bool = False
    asked: bool = False
    """Its agent has been told what to mend."""
    tail: str = ""
    commands: tuple[str, ...] = ()
    started_at: Instant = ""
    error: str = ""
    hint: str = ""
    note: str = ""

    @property
    def stands(self) -> bool:
        """Whether those behind can be built upon it."""
        return bool(self.commit) and not self.empty and self.state in _STANDING


_STANDING = ("waiting", "testing", "tested")


class Train(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    into: str
    via: t.Via = "local"
    remote: str = ""
    paused: bool = False
    reason: str = ""
    hint: str = ""
    cars: tuple[Car, ...] = ()
    left: tuple[Car, ...] = ()
    """The last ones, the newest first."""
    passed: tuple[Oid, ...] = ()
    """Trees that were found green, the newest last."""
    seconds: float = 0.0
    """How long the last run that passed took."""

    def car(self, id: str) -> Car | None:
        return next((car for car in self.cars if car.id == id), None)

    def of_session(self, session: SessionId) -> Car | None:
        return next((car for car in self.cars if car.session == session), None)

    @property
    def menders(self) -> tuple[Car, ...]:
        """Those that left for their agents to mend them."""
        return tuple(car for car in self.left if car.mending)


def fold_train(train: Train, event: t.TrainEvent) -> Train:
    """Total: what concerns a car that is not there changes nothing."""
    match event:
        case t.CarAdded():
            return _added(train, event)
        case t.TrainOrdered():
            return replace(train, cars=_ordered(train, event.cars))
        case t.TrainPaused():
            return replace(train, paused=True, reason=event.reason, hint=event.hint)
        case t.TrainResumed():
            return replace(train, paused=False, reason="", hint="")
        case t.CarLanded() | t.CarLeft():
            return _gone(train, event)
        case t.MendAsked():
            return replace(train, left=_with(train.left, event.car, asked=True))
        case t.CarTested() if event.passed and not event.untested and train.car(event.car):
            green = dict.fromkeys((*(o for o in train.passed if o != event.tree), event.tree))
            known = {"passed": tuple(green)[-MOST_PASSED:], "seconds": event.seconds}
            train = replace(train, cars=tuple(_shared(car, event) for car in train.cars), **known)
        case t.CarRequeued():
            others = tuple(car.id for car in train.cars if car.id != event.car)
            train = replace(train, cars=_ordered(train, (*others, event.car)))
        case _:
            pass
    cars = tuple(_car(train, car, event) if car.id == event.car else car for car in train.cars)
    return replace(train, cars=cars)


def _added(train: Train, event: t.CarAdded) -> Train:
    """A session has one car; whatever it had on its way, or with its agent, is this one now."""
    known = train.of_session(event.session)
    if train.car(event.car) is not None or known is not None:
        return train
    car = Car(
        id=event.car,
        session=event.session,
        tip=event.tip,
        at=event.at,
        added_at=event.at,
        method=event.method,
        rounds=event.rounds,
        round=event.round,
        untested=event.untested,
        by=event.by,
    )
    way = (train.via, train.remote) if train.cars else (event.via, event.remote)
    left = tuple(
        replace(old, mending=False) if old.session == event.session else old for old in train.left
    )
    return replace(train, via=way[0], remote=way[1], cars=(*train.cars, car), left=left)


def _ordered(train: Train, ids: tuple[str, ...]) -> tuple[Car, ...]:
    """As named, those that are not named behind them in their old order."""
    place = {id: n for n, id in enumerate(ids)}
    return tuple(sorted(train.cars, key=lambda car: place.get(car.id, len(place))))


def _gone(train: Train, event: t.CarLanded | t.CarLeft) -> Train:
    car = train.car(event.car)
    if car is None:
        return _mended_no_more(train, event)
    ended = replace(car, ended_at=event.at, landing=False)
    if isinstance(event, t.CarLanded):
        note = event.note or car.note
        ended = replace(ended, state="landed", commit=event.commit, note=note, error="", hint="")
    else:
        told = {"error": event.error, "hint": event.hint, "mending": event.mending}
        ended = replace(ended, state=event.why, **told)
    cars = tuple(other for other in train.cars if other.id != car.id)
    return replace(train, cars=cars, left=(ended, *train.left)[:MOST_LEFT])


def _mended_no_more(train: Train, event: t.CarLanded | t.CarLeft) -> Train:
    """One that left is taken from its agent."""
    if not isinstance(event, t.CarLeft) or event.mending:
        return train
    known = next((car for car in train.left if car.id == event.car and car.mending), None)
    if known is None:
        return train
    told = {"error": event.error or known.error, "hint": event.hint, "state": event.why}
    return replace(train, left=_with(train.left, event.car, mending=False, **told))


def _with(cars: tuple[Car, ...], id: str, **change: object) -> tuple[Car, ...]:
    return tuple(replace(car, **change) if car.id == id else car for car in cars)


CarEvent = (
    t.CarRequeued
    | t.CarBuilt
    | t.CarConflicted
    | t.CarTestStarted
    | t.CarTested
    | t.CarLandingStarted
    | t.CarHeld
)


def _car(train: Train, car: Car, event: CarEvent) -> Car:
    match event:
        case t.CarRequeued():
            return _unbuilt(car, tip=event.tip, at=event.at)
        case t.CarBuilt():
            return _built(train, car, event)
        case t.CarConflicted():
            found = {"state": "conflicted", "paths": event.paths, "error": event.error}
            return replace(_unbuilt(car), onto=event.onto, **found)
        case t.CarTestStarted():
            run = {"commands": event.commands, "started_at": event.at, "error": "", "hint": ""}
            return replace(car, state="testing", **run) if event.tree == car.tree else car
        case t.CarTested():
            return _tested(car, event)
        case t.CarLandingStarted():
            return replace(car, landing=event.commit == car.commit, error="", hint="")
        case t.CarHeld():
            landing = car.landing and not event.unmoved
            return replace(car, error=event.error, hint=event.hint, landing=landing)
        case _:
            assert_never(event)


def _shared(car: Car, event: t.CarTested) -> Car:
    """What was found of a tree holds for every car that comes to it."""
    same = car.tree == event.tree and car.state in ("waiting", "testing")
    return replace(car, state="tested") if same and car.id != event.car else car


def _unbuilt(car: Car, **change: object) -> Car:
    """As if nothing had been made of it yet."""
    fresh = Car(id=car.id, session=car.session, tip=car.tip, at=car.at)
    kept = {name: getattr(car, name) for name in ("method", "rounds", "round", "untested", "by")}
    return replace(fresh, added_at=car.added_at, **{**kept, **change})


def _built(train: Train, car: Car, event: t.CarBuilt) -> Car:
    made = {"onto": event.onto, "commit": event.commit, "empty": event.empty}
    if event.tree == car.tree:
        # What is known of the tree holds, whatever commit it is in.
        state = car.state if car.state in ("testing", "tested", "failed") else "waiting"
        return replace(car, state=state, landing=False, **made)
    state = "tested" if event.tree in train.passed else "waiting"
    return replace(_unbuilt(car), state=state, tree=event.tree, **made)


def _tested(car: Car, event: t.CarTested) -> Car:
    if event.tree != car.tree:
        return car
    run = {"attempts": event.attempt, "error": event.error, "hint": event.hint, "tail": event.tail}
    if event.passed:
        note = event.error if event.untested else AGAIN if event.attempt > 1 else car.note
        return replace(car, state="tested", attempts=event.attempt, note=note, error="", hint="")
    return replace(car, state="failed", **run)
