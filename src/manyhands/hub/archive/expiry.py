"""The trash in time: what has lain there for its days is announced, then removed.

A clock that jumps removes nothing. A sweep runs only after an hour of steady running and then
once a day of it, where "steady" means that wall clock and monotonic clock went on together.
One sweep announces what is due; only a later one, a day on, removes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from manyhands.errors import ManyhandsError
from manyhands.hub.archive.plan import plan_removal
from manyhands.hub.archive.rm import remove
from manyhands.hub.core import Hub, Reactor
from manyhands.model import events as e
from manyhands.model.clock import Instant, later, monotonic, now, seconds_between
from manyhands.model.session.session import Session
from manyhands.station.shared import forget

log = logging.getLogger(__name__)

FIRST_SECONDS = 3600.0
DAY_SECONDS = 24 * 3600.0
DRIFT_SECONDS = 300.0
ANNOUNCED_SECONDS = 20 * 3600.0


class Expiry(Reactor):
    async def run(self) -> None:
        pause = FIRST_SECONDS
        while True:
            steady = await _steadily(pause)
            if steady:
                await sweep(self._hub, now())
            pause = DAY_SECONDS if steady else FIRST_SECONDS


async def _steadily(seconds: float) -> bool:
    """Wait; false where the wall clock did not go the same way meanwhile."""
    began, wall = monotonic(), now()
    await asyncio.sleep(seconds)
    return abs(seconds_between(wall, now()) - (monotonic() - began)) < DRIFT_SECONDS


async def sweep(hub: Hub, at: Instant) -> None:
    """Announce what is due, and remove what was announced long enough ago."""
    days = hub.last_settings.workspaces.trash_days
    for s in due(hub.state.all_sessions().values(), at, days):
        if not s.life.expiring:
            await hub.record(e.ExpiryAnnounced(session=s.id, at=at))
        elif later(s.life.expiring, ANNOUNCED_SECONDS) <= at:
            await _expire(hub, s)
    for repo in list(hub.state.repos):
        await _forget_shared(hub, repo, later(at, -days * DAY_SECONDS))


async def _forget_shared(hub: Hub, repo: str, before: Instant) -> None:
    """What was kept of branches, tags and stash lasts as long as the trash does."""
    try:
        await forget(hub.home, repo, before[:10])
    except (ManyhandsError, OSError) as error:
        log.warning("what was kept of %s stays: %s", repo, error)


def due(sessions: Iterable[Session], at: Instant, days: float) -> list[Session]:
    """Those that have been archived for so long, by their own record; none from the future."""
    return [
        s
        for s in sessions
        if s.life.archived
        and not s.life.gone
        and s.life.trash
        and s.life.step != "restore"
        and s.life.archived_at
        and later(s.life.archived_at, days * DAY_SECONDS) <= at
        and s.updated_at <= at
    ]


async def _expire(hub: Hub, s: Session) -> None:
    """Nothing unknown goes, and commits that no branch holds stay under the rescue ref."""
    try:
        plan = await plan_removal(hub, s)
        if plan.blocked_by:
            log.warning("the trash of %s stays: %s", s.id, "; ".join(plan.blocked_by))
            return
        only_here = any("commit" in lost.what for lost in plan.lost)
        await remove(hub, s, plan, rescue=not only_here)
    except (ManyhandsError, OSError):
        log.exception("the trash of %s stays", s.id)
