"""How a train moves its branch: here, on the remote by a push with lease, or by pull requests.

It is always a swap: from exactly the commit that the car was tested on, to exactly the one that was
tested.
"""

from __future__ import annotations

from contextlib import suppress

import msgspec

from manyhands.errors import ForgeDenied, ManyhandsError, NotPossible, NotTrusted
from manyhands.hub.core import (
    Hub,
    agent_environment,
    agent_surroundings,
    require_session,
    worktree_of,
)
from manyhands.hub.landing.hooks import require_trusted_filters, require_trusted_push
from manyhands.hub.landing.merge import load_others
from manyhands.hub.landing.push import findings_of, require_accepted
from manyhands.hub.repos.bases import Bases
from manyhands.hub.repos.fetches import Fetches
from manyhands.hub.repos.pins import require_main_remote
from manyhands.hub.train.boarding import require_abreast
from manyhands.hub.train.lanes import Key
from manyhands.model.ids import Oid
from manyhands.model.landing.merges import Merge
from manyhands.model.session.session import Session
from manyhands.model.train.train import Car, Train
from manyhands.station.landing import merge as merging
from manyhands.station.landing import train as station
from manyhands.station.landing.push import Destination, push_landing
from manyhands.station.landing.train import Tips


async def load_merge(hub: Hub, key: Key, car: Car, onto: Oid) -> Merge:
    """A car as a merge onto a commit."""
    s = require_session(hub.state, car.session)
    others = await load_others(hub, s, car.tip, await hub.part(Bases).now(*key))
    return msgspec.structs.replace(merge_of(key, car, onto), others=others)


def merge_of(key: Key, car: Car, onto: Oid) -> Merge:
    return Merge(id=car.id, into=key[1], method=car.method, tip=car.tip, target=onto, at=car.at)


async def load_tips(hub: Hub, key: Key, train: Train) -> Tips:
    branches = {
        car.id: s.workspace.branch for car in train.cars if (s := hub.state.session(car.session))
    }
    return await station.load_tips(key[0], key[1], train.remote, branches)


async def require_target(hub: Hub, key: Key, train: Train) -> Oid:
    tips = await load_tips(hub, key, train)
    if tips.target is None:
        name = f"{train.remote}/{key[1]}" if train.remote else key[1]
        raise NotPossible(
            f"the branch {name}, to which the train goes, is not there",
            hint="make it again, or take the cars off: `manyhands train rm`",
        )
    return tips.target


async def move_branch(hub: Hub, key: Key, train: Train, car: Car) -> str:
    """Swap; the checkout that came along. Raises where the branch is not moved."""
    s = require_session(hub.state, car.session)
    merge = msgspec.structs.replace(merge_of(key, car, car.onto), commit=car.commit)
    if train.via == "local":
        require_abreast(await hub.part(Bases).now(key[0], key[1]))
        return await _move_here(hub, s, merge)
    await _push(hub, s, merge)
    with suppress(ManyhandsError):
        # What the person has here follows where nothing is in the way; it is theirs otherwise.
        return await _follow(hub, s, merge)
    return ""


async def _move_here(hub: Hub, s: Session, merge: Merge) -> str:
    await require_trusted_filters(hub, s, "merged")
    env = await agent_environment(hub, s)
    return await merging.move_target(worktree_of(hub, s), merge, env)


async def _push(hub: Hub, s: Session, merge: Merge) -> None:
    name, address = await require_main_remote(hub, s.repo, s.workspace.worktree)
    token = (await hub.part(Fetches).load_tokens(s.repo)).get(name, "")
    await require_trusted_push(hub, s)
    require_accepted(await findings_of(hub, s, name, token), ())
    to = Destination(remote=name, urls=address.push, slug=name)
    await push_landing(
        worktree_of(hub, s),
        to,
        merge,
        token=token,
        within=await agent_surroundings(hub, s),
        seconds=hub.last_settings.landing.push_seconds,
    )


async def _follow(hub: Hub, s: Session, merge: Merge) -> str:
    base = await hub.part(Bases).now(s.repo, merge.into)
    if base.relation != "behind":
        return ""
    forward = msgspec.structs.replace(merge, target=base.upstream, behind=base.local)
    await require_trusted_filters(hub, s, "brought forward")
    env = await agent_environment(hub, s)
    return await merging.forward_target(worktree_of(hub, s), forward, env)


def is_final(train: Train, error: ManyhandsError) -> bool:
    """Whether trying again by itself would only meet the same: a person has to do something."""
    return isinstance(error, NotTrusted | ForgeDenied) or (
        train.via != "local" and isinstance(error, NotPossible)
    )


def way_out(error: ManyhandsError) -> str:
    again = "then `manyhands train resume`"
    return f"{error.hint}; {again}" if error.hint else again
