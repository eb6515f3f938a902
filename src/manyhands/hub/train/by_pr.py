"""Landing a car by its pull request: the forge's own checks, rules and queue have the last word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from manyhands.contract.landing import MergePr, OpenPr
from manyhands.hub.core import Hub, require_session
from manyhands.hub.forge.forge import open_forge
from manyhands.hub.landing.merge_pr import merge_pr
from manyhands.hub.landing.pr import pr
from manyhands.hub.landing.pr_status import fetch_status, find_pull
from manyhands.hub.repos.bases import Bases
from manyhands.hub.repos.fetches import Fetches
from manyhands.hub.train.lanes import Key
from manyhands.model.ids import Oid
from manyhands.model.train.train import Car, Train

FETCH_SECONDS = 60.0


@dataclass(frozen=True)
class LandedThere:
    commit: Oid


@dataclass(frozen=True)
class Waits:
    why: str


@dataclass(frozen=True)
class Refused:
    why: str


async def land_by_pr(
    hub: Hub, key: Key, train: Train, car: Car, begin: Callable[[], Awaitable[None]]
) -> LandedThere | Waits | Refused:
    """One look, and whatever can be done after it; safe to repeat. From `begin` on the forge may
    land it."""
    await _require_pr(hub, key, car)
    s = require_session(hub.state, car.session)
    async with open_forge(hub, s.repo) as forge:
        status = await fetch_status(hub, s, forge)
        repo, pull = await find_pull(s, forge)
        name = pull.called
        if status.pr.state == "merged":
            return await _merged(hub, key, train, Oid(pull.merge_commit))
        if status.pr.checks == "failed":
            failed = ", ".join(c.name for c in status.checks if c.state == "failed")
            return Refused(f"{name} has failed checks on the forge: {failed}")
        if status.pr.checks == "running":
            return Waits(f"waits for the checks of {name} on the forge")
        if status.mergeable == "unknown":
            return Waits(f"the forge still looks at {name}")
        if (await repo.protection(key[1])).has_queue:
            if not await repo.is_queued(pull):
                await begin()
                await repo.queue(pull, method=car.method)
            return Waits(f"{name} is in the forge's own queue")
    await begin()
    done = await merge_pr(hub, s.id, MergePr(method=car.method))
    return await _merged(hub, key, train, done.commit)


async def _require_pr(hub: Hub, key: Key, car: Car) -> None:
    """Open, and of exactly the commit that was tested."""
    known = require_session(hub.state, car.session).landing.pr
    if known is None or known.head != car.tip or known.state == "closed":
        await pr(hub, car.session, OpenPr(base=key[1], draft=False, again=True))


async def _merged(hub: Hub, key: Key, train: Train, commit: Oid) -> LandedThere:
    """Fetched at once, whatever the config says of fetching: the next car goes on top of it."""
    await hub.part(Fetches).fetch_anew(key[0], f"{train.remote}/{key[1]}", FETCH_SECONDS)
    base = await hub.part(Bases).now(*key)
    return LandedThere(commit or base.upstream)
