"""How a train moves its branch: here, or on the remote by a push with lease.

Either way it is a swap: from exactly the commit that the car was tested on, to exactly the one that
was tested.
"""

from __future__ import annotations

import msgspec

from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, agent_environment, require_session, worktree_of
from manyhands.hub.landing.hooks import require_trusted_filters
from manyhands.hub.train.lanes import Key
from manyhands.model.ids import Oid
from manyhands.model.landing.merges import Merge
from manyhands.model.session.session import Session
from manyhands.model.train.train import Car, Train
from manyhands.station.landing import merge as merging
from manyhands.station.landing import train as station
from manyhands.station.landing.train import Tips


def merge_of(key: Key, car: Car, onto: Oid) -> Merge:
    """A car as a merge: the same at any time, so that it makes the same commit."""
    return Merge(id=car.id, into=key[1], method=car.method, tip=car.tip, target=onto, at=car.at)


async def load_tips(hub: Hub, key: Key, train: Train) -> Tips:
    branches = {
        car.id: s.workspace.branch for car in train.cars if (s := hub.state.session(car.session))
    }
    return await station.load_tips(key[0], key[1], "", branches)


async def require_target(hub: Hub, key: Key, train: Train) -> Oid:
    tips = await load_tips(hub, key, train)
    if tips.target is None:
        raise NotPossible(
            f"the branch {key[1]}, to which the train goes, is not there",
            hint="make it again, or take the cars off: `manyhands train rm`",
        )
    return tips.target


async def move_branch(hub: Hub, key: Key, train: Train, car: Car) -> str:
    """Swap; the checkout that came along. Raises where the branch is not moved."""
    s = require_session(hub.state, car.session)
    merge = msgspec.structs.replace(merge_of(key, car, car.onto), commit=car.commit)
    return await _move_here(hub, s, merge)


async def _move_here(hub: Hub, s: Session, merge: Merge) -> str:
    await require_trusted_filters(hub, s, "merged")
    env = await agent_environment(hub, s)
    return await merging.move_target(worktree_of(hub, s), merge, env)
