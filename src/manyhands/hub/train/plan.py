"""What is to be done next for a train: a pure function of what is on record and what is seen.

The cars form a chain: each is built upon the nearest one ahead that may still land, the first upon
the branch itself. What a car was found to be counts for good only once nothing is between it and
the branch any more: whoever failed on top of others may be innocent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from manyhands.model.ids import Oid
from manyhands.model.train.events import Departure
from manyhands.model.train.train import Car, Train


@dataclass(frozen=True)
class Outlook:
    """How things are right now, for the cars of one train."""

    target: Oid
    tips: Mapping[str, Oid | None]
    """Where each car's branch is; None where it is gone."""
    busy: Collection[str] = ()
    """Cars whose agents are at work."""
    gone: Mapping[str, str] = field(default_factory=dict)
    """Cars whose sessions have ended, and how."""


@dataclass(frozen=True)
class Requeue:
    car: Car
    tip: Oid


@dataclass(frozen=True)
class Leave:
    car: Car
    why: Departure
    error: str
    hint: str = ""


@dataclass(frozen=True)
class Build:
    car: Car
    onto: Oid


@dataclass(frozen=True)
class Try:
    car: Car


@dataclass(frozen=True)
class Halt:
    """A run whose result nobody needs any more."""

    car: str


@dataclass(frozen=True)
class Land:
    car: Car


@dataclass(frozen=True)
class AlreadyIn:
    car: Car


Deed = Requeue | Leave | Build | Try | Halt | Land | AlreadyIn


def plan(
    train: Train, sight: Outlook, running: Mapping[str, Oid], *, window: int, reruns: int
) -> list[Deed]:
    """`running`: which tree is tested for which car. At most `window` are tested at once."""
    if changed := list(_changed(train, sight)):
        return changed
    wanted: dict[str, Oid] = {}
    deeds = [] if train.paused else _chain(train, sight, wanted, window, reruns)
    kept = running if train.paused else wanted
    stale = [Halt(car) for car, tree in running.items() if _is_stale(train, car, tree, kept)]
    free = window - (len(running) - len(stale))
    starts = {d.car.tree: d for d in reversed(deeds) if isinstance(d, Try)}
    fresh = [d for tree, d in reversed(starts.items()) if tree not in running.values()][
        : max(0, free)
    ]
    # Last, since it may have to wait. Whether the branch was moved, where that was begun, is found
    # by looking.
    lands = [d for d in deeds if isinstance(d, Land)]
    lands += [Land(car) for car in train.cars if car.landing]
    return [*stale, *(d for d in deeds if not isinstance(d, Try | Land)), *fresh, *lands]


def _is_stale(train: Train, id: str, tree: Oid, wanted: Mapping[str, Oid]) -> bool:
    car = train.car(id)
    return car is None or car.tree != tree or wanted.get(id) != tree


def _changed(train: Train, sight: Outlook) -> Iterator[Deed]:
    """Cars that are not what they were when they were pinned."""
    for place, car in enumerate(train.cars):
        tip = sight.tips.get(car.id)
        if car.landing:
            continue
        if car.id in sight.gone:
            yield Leave(car, "removed", sight.gone[car.id])
        elif tip is None:
            yield Leave(car, "removed", "its branch is gone")
        elif tip != car.tip:
            yield Requeue(car, tip)
        elif car.id in sight.busy and any(c.id not in sight.busy for c in train.cars[place + 1 :]):
            # Nobody waits for a car that its agent has taken up again.
            yield Requeue(car, tip)


def _chain(
    train: Train, sight: Outlook, wanted: dict[str, Oid], window: int, reruns: int
) -> list[Deed]:
    """From the front on, as far as there is anything to be known; fills in which trees are worth a
    test."""
    base, is_real = sight.target, True
    deeds: list[Deed] = []
    for car in train.cars:
        if car.landing:
            base, is_real = car.commit, False
            continue
        if car.id in sight.busy:
            continue
        if car.onto != base:
            return [*deeds, Build(car, base)]
        if (parting := _parting(car, reruns)) is not None:
            deeds += [parting] if is_real else []
        else:
            if car.state != "tested":
                wanted[car.id] = car.tree
                deeds.append(Try(car))
            elif is_real:
                deeds.append(Land(car))
            base, is_real = car.commit, False
        if len(wanted) >= window:
            break
    return deeds


def _parting(car: Car, reruns: int) -> Leave | AlreadyIn | None:
    """How it ends, if it stays as it was found to be."""
    if car.state == "conflicted":
        return Leave(car, "conflicted", car.error, car.hint)
    if car.empty:
        return AlreadyIn(car)
    if car.state == "failed" and car.attempts > reruns:
        return Leave(car, "failed", car.error, car.hint)
    return None
