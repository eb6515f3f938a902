"""Sessions that a person approved join the train by themselves, where the config says so: cheapest
first, and off again where the approval lapses."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.contract.landing import Commit
from manyhands.contract.train import Boarding
from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, Reactor, Rounds, require_session, worktree_of
from manyhands.hub.landing.commit import commit
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.radar.order import cheapest_order
from manyhands.hub.train.boarding import boarded
from manyhands.hub.train.departure import settled, unable
from manyhands.hub.train.lanes import Key, all_trains, find_car, find_train, of_car
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.review import events as r
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.model.train import events as t
from manyhands.model.train.train import Car, Train
from manyhands.station.landing import merge as merging


class Joining(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._rounds = Rounds(hub, self._is_wanted, self._join)
        hub.on(r.VerdictGiven, lambda event: self._rounds.consider(event.session))
        hub.on(e.TurnFinished, lambda event: self._rounds.consider(event.session))
        hub.on(r.VerdictLapsed, lambda event: hub.spawn(_lapse(hub, event.session)))

    async def run(self) -> None:
        for session in list(self._hub.state.all_sessions()):
            self._rounds.consider(session)

    def _is_wanted(self, session: SessionId) -> bool:
        s, config = self._hub.state.session(session), self._hub.last_settings.train
        return s is not None and config.join == "approved" and _may_join(self._hub.state, s)

    async def _join(self, session: SessionId) -> None:
        hub, s = self._hub, require_session(self._hub.state, session)
        if is_at_work(s):
            return
        try:
            if (await merging.load_ends(worktree_of(hub, s), "")).changed:
                await commit(hub, s.id, Commit())
            added = await boarded(hub, s, Boarding(sessions=(s.id,)), "approval")
        except ManyhandsError as error:
            refused = error
            await hub.decide(lambda state: unable(state, s.id, refused))
            return
        await hub.decide(lambda state: _joined(state, added))
        await _order(hub, (added.path, added.into))


def _may_join(state: State, s: Session) -> bool:
    """Approved, on no train, and not once before as it is now."""
    if s.review.verdict != "approved" or s.life.archived or find_car(state, s.id) is not None:
        return False
    left = (car for _, train in all_trains(state, s.repo) for car in train.left)
    tried = any(car.session == s.id and car.added_at > _approved_at(s) for car in left)
    return not tried and (s.merges.last is None or s.merges.last.at < _approved_at(s))


def _approved_at(s: Session) -> str:
    made = s.history.checkpoint(s.review.checkpoint)
    return made.at if made else ""


def _joined(state: State, added: t.CarAdded) -> Iterator[e.AnyEvent]:
    s = state.session(added.session)
    if s is not None and _may_join(state, s):
        yield added
        yield from settled(state, [s.id])


async def _order(hub: Hub, key: Key) -> None:
    """Those that joined by themselves and wait go as the radar finds cheapest, in the places that
    they have; where a person put a car, it stays."""
    train = find_train(hub.state, key)
    waiting = [car.session for car in train.cars if _is_free(car)] if train else []
    wanted = await cheapest_order(hub, waiting)

    def ordered(state: State) -> Iterator[e.AnyEvent]:
        now = find_train(state, key)
        if now is not None and [c.session for c in now.cars if _is_free(c)] == waiting != wanted:
            yield t.TrainOrdered(path=key[0], into=key[1], cars=_placed(now, wanted))

    await hub.decide(ordered)


def _is_free(car: Car) -> bool:
    return car.by == "approval" and car.state == "waiting"


def _placed(train: Train, wanted: list[SessionId]) -> tuple[str, ...]:
    cars = {car.session: car.id for car in train.cars}
    turn = iter(wanted)
    return tuple(cars[next(turn)] if _is_free(car) else car.id for car in train.cars)


async def _lapse(hub: Hub, session: SessionId) -> None:
    def off(state: State) -> Iterator[e.AnyEvent]:
        found, s = find_car(state, session), state.session(session)
        is_judged = s is not None and s.review.verdict == "approved"
        if found is None or is_judged or found[1].by != "approval" or found[1].landing:
            return
        key, car = found
        yield of_car(t.CarLeft, key, car, why="removed", error="the approval lapsed")

    await hub.decide(off)
