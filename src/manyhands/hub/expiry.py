"""The trash in time: what has lain there for its days is announced, then removed.

A clock that jumps removes nothing. A sweep runs only after an hour of steady running and then
once a day of it, where "steady" means that wall clock and monotonic clock went on together.
One sweep announces what is due; only a later one, a day on, removes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.hub.rm import removal_plan, remove
from manyhands.model import events as e
from manyhands.model.clock import Instant, monotonic, now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)

FIRST_SECONDS = 3600.0
EVERY_SECONDS = 24 * 3600.0
DRIFT_SECONDS = 300.0
ANNOUNCED = timedelta(hours=20)


async def keep_sweeping(hub: Hub) -> None:
    pause = FIRST_SECONDS
    while True:
        steady = await _steadily(pause)
        if steady:
            await sweep(hub, now())
        pause = EVERY_SECONDS if steady else FIRST_SECONDS


async def _steadily(seconds: float) -> bool:
    """Wait; false where the wall clock did not go the same way meanwhile."""
    began, wall = monotonic(), _time(now())
    await asyncio.sleep(seconds)
    passed = (_time(now()) - wall).total_seconds()
    return abs(passed - (monotonic() - began)) < DRIFT_SECONDS


async def sweep(hub: Hub, at: Instant) -> None:
    """Announce what is due, and remove what was announced long enough ago."""
    days = hub.last_settings.workspaces.trash_days
    for s in due(hub.state.all_sessions().values(), at, days):
        if not s.expiring:
            await hub.record(e.ExpiryAnnounced(session=s.id, at=at))
        elif _time(s.expiring) + ANNOUNCED <= _time(at):
            await _expire(hub, s)


def due(sessions: Iterable[Session], at: Instant, days: float) -> list[Session]:
    """Those that have been archived for so long, by their own record; none from the future."""
    return [
        s
        for s in sessions
        if s.archived
        and not s.gone
        and s.trash
        and s.step != "restore"
        and s.archived_at
        and _time(s.archived_at) + timedelta(days=days) <= _time(at)
        and s.updated_at <= at
    ]


async def _expire(hub: Hub, s: Session) -> None:
    """Nothing unknown goes, and commits that no branch holds stay under the rescue ref."""
    try:
        plan = await removal_plan(hub, s)
        if plan.blocked_by:
            log.warning("the trash of %s stays: %s", s.id, "; ".join(plan.blocked_by))
            return
        only_here = any("commit" in lost.what for lost in plan.lost)
        await remove(hub, s, plan, rescue=not only_here)
    except (ManyhandsError, OSError):
        log.exception("the trash of %s stays", s.id)


def _time(at: Instant) -> datetime:
    return datetime.fromisoformat(at)
