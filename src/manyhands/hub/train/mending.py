"""Cars that left for their agents to mend them: brought up to date, told once, and put on again.

Level-triggered like all of the train: what is to be done next follows from what is on record and
from the session as it is.
"""

from __future__ import annotations

from manyhands.contract.landing import Commit
from manyhands.contract.train import Boarding
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.landing.commit import commit
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.landing.update import settle_update, update
from manyhands.hub.train.boarding import boarded
from manyhands.hub.train.departure import mending_words, raised
from manyhands.hub.train.lanes import Key, of_car
from manyhands.model import events as e
from manyhands.model.ids import MessageId, fresh_id
from manyhands.model.session.session import Session
from manyhands.model.train import events as t
from manyhands.model.train.train import Car, Train
from manyhands.station.landing import merge as merging


async def attend(hub: Hub, key: Key, train: Train) -> None:
    for car in train.menders:
        s = hub.state.session(car.session)
        if s is None or s.life.archived or s.life.gone:
            await _give_up(hub, key, car, "its session was put away")
        elif not is_at_work(s):
            await (_rejoin if car.asked else _ask)(hub, key, car)


async def _ask(hub: Hub, key: Key, car: Car) -> None:
    """The base first, so that the agent sees what it meets; then the words, once."""
    s = require_session(hub.state, car.session)
    stands = s.workspace.base == key[1] or s.workspace.base.endswith(f"/{key[1]}")
    try:
        brought = await update(hub, s.id) if stands and s.merges.update is None else None
    except NotPossible as error:
        await _give_up(hub, key, car, f"{key[1]} could not be brought in: {error.message}")
        return
    asked = of_car(t.MendAsked, key, car)
    if brought is not None and brought.conflicts:
        await hub.record(asked)  # the update has told it both sides already
        return
    text = mending_words(key, car, brought_in=stands)
    said = e.UserMessage(session=s.id, message=MessageId(fresh_id()), text=text, by="hub")
    await hub.record(asked, said)


async def _rejoin(hub: Hub, key: Key, car: Car) -> None:
    """Its agent is done: whatever it did is committed, and is the car of the next round."""
    await settle_update(hub, car.session)
    s = require_session(hub.state, car.session)
    if s.merges.update is not None:
        await _give_up(hub, key, car, "its agent left conflicts unsettled")
        return
    try:
        if (await merging.load_ends(worktree_of(hub, s), key[1])).changed:
            await commit(hub, s.id, Commit())
        ends = await merging.load_ends(worktree_of(hub, s), key[1])
        if ends.tip == car.tip:
            await _give_up(hub, key, car, "its agent changed nothing")
            return
        added = await boarded(hub, s, _again(key, car), car.by, round=car.round + 1)
    except ManyhandsError as error:
        await _give_up(hub, key, car, error.message)
        return
    await hub.record(added)


def _again(key: Key, car: Car) -> Boarding:
    return Boarding(
        sessions=(car.session,),
        into=key[1],
        method=car.method,
        mend=car.rounds,
        untested=car.untested,
    )


async def _give_up(hub: Hub, key: Key, car: Car, reason: str) -> None:
    why: t.Departure = "conflicted" if car.state == "conflicted" else "failed"
    error = f"{car.error}; {reason}"
    hint = _way(hub.state.session(car.session))
    left = of_car(t.CarLeft, key, car, why=why, error=error, hint=hint)
    s = hub.state.session(car.session)
    alive = s is not None and not s.life.archived
    await hub.record(left, *([raised(s, key, car, error)] if s is not None and alive else []))


def _way(s: Session | None) -> str:
    return f"mend it, then `manyhands train add {s.slug}`" if s else ""
