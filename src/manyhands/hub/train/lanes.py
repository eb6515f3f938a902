"""The trains there are: found, and shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from manyhands.contract.train import CarView, TrainView
from manyhands.hub.core import Hub
from manyhands.model.ids import Oid, SessionId
from manyhands.model.state import State
from manyhands.model.train.events import CarFact
from manyhands.model.train.train import Car, Train

F = TypeVar("F", bound=CarFact)
Key = tuple[str, str]
"""The repository's path, and the branch."""


def of_car(kind: Callable[..., F], key: Key, car: Car, **facts: Any) -> F:
    """A fact about a car."""
    return kind(session=car.session, path=key[0], into=key[1], car=car.id, **facts)


def find_train(state: State, key: Key) -> Train | None:
    repo = state.repo(key[0])
    return repo.trains.get(key[1]) if repo else None


def all_trains(state: State, repo: str = "", into: str = "") -> Iterator[tuple[Key, Train]]:
    for path, known in sorted(state.all_repos().items()):
        for name, train in sorted(known.trains.items()):
            if repo in ("", path) and into in ("", name):
                yield (path, name), train


def find_car(state: State, session: SessionId) -> tuple[Key, Car] | None:
    """The car in which a session's work is on its way."""
    for key, train in all_trains(state):
        if (car := train.of_session(session)) is not None:
            return key, car
    return None


def window_of(hub: Hub) -> int:
    return hub.last_settings.train.window or os.cpu_count() or 1


def train_view(
    hub: Hub, key: Key, train: Train, target: Oid, progress: Mapping[str, str]
) -> TrainView:
    landed = next((car for car in train.left if car.state == "landed"), None)
    cars = tuple(car_view(hub, key, train, car, progress) for car in train.cars)
    again = {car.session for car in train.cars}
    last: dict[SessionId, Car] = {}
    for car in train.left:
        last.setdefault(car.session, car)
    left = (car for car in last.values() if car.session not in again)
    return TrainView(
        repo=key[0],
        into=key[1],
        via=train.via,
        paused=train.paused,
        reason=train.reason,
        hint=train.hint,
        target=target,
        moved_at=landed.ended_at if landed else "",
        moved_by=_title(hub, landed.session) if landed else "",
        window=window_of(hub),
        cars=cars,
        left=tuple(car_view(hub, key, train, car, progress) for car in left),
    )


def car_view(
    hub: Hub, key: Key, train: Train, car: Car, progress: Mapping[str, str] = {}
) -> CarView:
    s = hub.state.session(car.session)
    place = next((n for n, other in enumerate(train.cars, 1) if other.id == car.id), 0)
    return CarView(
        car=car.id,
        session=car.session,
        slug=s.slug if s else "",
        title=s.title if s else "",
        repo=key[0],
        into=key[1],
        method=car.method,
        via=train.via,
        position=place,
        state=car.state,
        commit=car.commit,
        tip=car.tip,
        onto=car.onto,
        ahead=tuple(_title(hub, other.session) for other in _under(train, car)) if place else (),
        error=car.error,
        hint=car.hint,
        note=car.note,
        paths=car.paths,
        round=car.round,
        rounds=car.rounds,
        mending=car.mending,
        checks=car.commands,
        progress=progress.get(car.id, ""),
        started_at=car.started_at if car.state == "testing" else "",
        expected=train.seconds,
        added_at=car.added_at,
        ended_at=car.ended_at,
    )


def _under(train: Train, car: Car) -> list[Car]:
    """The cars that it was built upon, the first one first."""
    found: list[Car] = []
    by_commit = {other.commit: other for other in train.cars if other.commit}
    while (below := by_commit.get(car.onto)) is not None and below not in found:
        found.insert(0, below)
        car = below
    return found


def _title(hub: Hub, session: SessionId) -> str:
    s = hub.state.session(session)
    return s.title if s else ""
