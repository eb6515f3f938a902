"""What a person asks of a train: on, off, elsewhere in the lane, stand still, go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manyhands.contract.train import Boarding, CarView, Lane, Leaving, Moving, TrainView
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub, require_session
from manyhands.hub.train.boarding import boarded
from manyhands.hub.train.conductor import Conductor
from manyhands.hub.train.departure import settled
from manyhands.hub.train.lanes import (
    Key,
    all_trains,
    car_view,
    find_car,
    find_train,
    of_car,
    train_view,
)
from manyhands.hub.train.track import load_tips
from manyhands.model import events as e
from manyhands.model.ids import CommandId, Oid, SessionId
from manyhands.model.state import State
from manyhands.model.train import events as t
from manyhands.model.train.train import Car, Train


async def trains(hub: Hub, *, repo: str = "") -> list[TrainView]:
    """Every lane that has cars, or had some."""
    progress = hub.part(Conductor).progress
    found = [(key, train) for key, train in all_trains(hub.state, repo) if train.cars or train.left]
    return [
        train_view(hub, key, train, (await load_tips(hub, key, train)).target or Oid(""), progress)
        for key, train in found
    ]


async def all_cars(hub: Hub, *, repo: str = "") -> list[CarView]:
    """Those on their way, then those that left."""
    lanes = await trains(hub, repo=repo)
    return [car for lane in lanes for car in lane.cars] + [c for lane in lanes for c in lane.left]


async def add_cars(
    hub: Hub, boarding: Boarding, *, command: CommandId | None = None
) -> list[CarView]:
    """In the order in which they are named; one that is on its way stays where it is."""
    sessions = await board(hub, boarding, command=command)
    await hub.decide(lambda state: settled(state, sessions))
    return _views(hub, sessions)


async def board(
    hub: Hub, boarding: Boarding, *, command: CommandId | None = None
) -> list[SessionId]:
    if not boarding.sessions:
        raise BadInput("no session is named")
    named = (require_session(hub.state, ref) for ref in boarding.sessions)
    sessions = list({s.id: s for s in named}.values())
    plans = [await boarded(hub, s, boarding) for s in sessions]
    await hub.decide(lambda state: _new(state, plans), command=command)
    return [s.id for s in sessions]


def _new(state: State, plans: Sequence[t.CarAdded]) -> Iterator[e.AnyEvent]:
    for added in plans:
        known = find_car(state, added.session)
        if known is None:
            _require_same_way(find_train(state, (added.path, added.into)), added)
            yield added
        elif known[0][1] != added.into:
            s = require_session(state, added.session)
            raise NotPossible(
                f"{s.slug} is on its way into {known[0][1]} already",
                hint=f"`manyhands train rm {s.slug}` first",
            )


def _require_same_way(train: Train | None, added: t.CarAdded) -> None:
    if train is not None and train.cars and train.via != added.via:
        raise NotPossible(
            f"the train to {added.into} lands by {train.via}, not by {added.via}, while it has cars"
        )


async def remove_cars(
    hub: Hub, leaving: Leaving, *, command: CommandId | None = None
) -> list[CarView]:
    """Off the train; one that its agent mends does not rejoin."""
    sessions = [require_session(hub.state, ref).id for ref in leaving.sessions]

    def gone(state: State) -> Iterator[e.AnyEvent]:
        for session in sessions:
            key, car = _require_car(state, session, mending=True)
            if car.landing:
                raise NotPossible("it is landing at this very moment")
            yield of_car(t.CarLeft, key, car, why="removed", error="a person took it off")

    await hub.decide(gone, command=command)
    return _views(hub, sessions)


async def move_car(hub: Hub, moving: Moving, *, command: CommandId | None = None) -> list[CarView]:
    """The lane as it is then."""
    session = require_session(hub.state, moving.session).id

    def ordered(state: State) -> Iterator[e.AnyEvent]:
        key, car = _require_car(state, session)
        train = find_train(state, key)
        assert train is not None
        yield from _moved(key, train, car, moving.position)

    await hub.decide(ordered, command=command)
    key, _ = _require_car(hub.state, session)
    train = find_train(hub.state, key)
    assert train is not None
    return [car_view(hub, key, train, car) for car in train.cars]


def _moved(key: Key, train: Train, car: Car, position: int) -> Iterator[e.AnyEvent]:
    """What was tested keeps its place: what it stands on would not be what it was tested on."""
    if car.state == "tested":
        raise NotPossible(
            "it is tested and lands as soon as those ahead have", hint="take it off instead"
        )
    others = [other for other in train.cars if other.id != car.id]
    tested = [n for n, other in enumerate(others, 1) if other.state == "tested"]
    place = max(position - 1, *tested, 0)
    ids = [other.id for other in others]
    ids.insert(place, car.id)
    if tuple(ids) != tuple(other.id for other in train.cars):
        yield t.TrainOrdered(path=key[0], into=key[1], cars=tuple(ids))


async def pause_train(hub: Hub, lane: Lane, *, command: CommandId | None = None) -> list[TrainView]:
    """Nothing new is begun; what runs goes on and is recorded."""
    await _each(hub, lane, t.TrainPaused, paused=False, command=command)
    return await trains(hub, repo=lane.repo)


async def resume_train(
    hub: Hub, lane: Lane, *, command: CommandId | None = None
) -> list[TrainView]:
    await _each(hub, lane, t.TrainResumed, paused=True, command=command)
    return await trains(hub, repo=lane.repo)


async def _each(
    hub: Hub,
    lane: Lane,
    kind: type[t.TrainPaused | t.TrainResumed],
    *,
    paused: bool,
    command: CommandId | None,
) -> None:
    def changed(state: State) -> Iterator[e.AnyEvent]:
        found = list(all_trains(state, lane.repo, lane.into))
        if not found:
            raise NotFound(f"there is no train in {lane.repo}", hint="`manyhands train add` S")
        for (path, into), train in found:
            if train.paused == paused:
                yield kind(path=path, into=into)

    await hub.decide(changed, command=command)


def _require_car(state: State, session: SessionId, *, mending: bool = False) -> tuple[Key, Car]:
    found = find_car(state, session)
    if found is None and mending:
        left = ((key, car) for key, train in all_trains(state) for car in train.menders)
        found = next((pair for pair in left if pair[1].session == session), None)
    if found is None:
        slug = require_session(state, session).slug
        raise NotFound(f"{slug} is not on a train", hint="`manyhands train ls` shows who is")
    return found


def _views(hub: Hub, sessions: Sequence[SessionId]) -> list[CarView]:
    """Of each its car, on its way or the last one."""
    found: list[CarView] = []
    for session in sessions:
        for key, train in all_trains(hub.state):
            own = [car for car in (*train.cars, *train.left) if car.session == session]
            found += [car_view(hub, key, train, car) for car in own[:1]]
    return found
