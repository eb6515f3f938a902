"""Care of the store: it is looked over, copied once a day, and tried again after a failure. A hub
whose whole home was deleted, and begun anew by another, ends."""

from __future__ import annotations

import asyncio
import logging

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, Reactor
from manyhands.model.clock import later, now
from manyhands.station.hub_lock import is_displaced
from manyhands.store.backup import backup_time, backups, stamp

SETTLED_SECONDS = 60.0
"""A hub that has just begun has better things to do."""
LOOK_SECONDS = 1800.0
RETRY_SECONDS = 1.0
GIVE_WAY_SECONDS = 5.0
DAY = 24 * 3600.0
WHERE = "the store's backup"
log = logging.getLogger(__name__)


class Care(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._in_trouble = asyncio.Event()

    def troubled(self) -> None:
        if self._hub.store.trouble is None:
            self._in_trouble.clear()
        else:
            self._in_trouble.set()

    async def run(self) -> None:
        await self._hub.store.check()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._try_again())
            tasks.create_task(self._give_way())
            await asyncio.sleep(SETTLED_SECONDS)
            while self._hub.store.damage is None:
                await self._hub.store.check()
                if is_due(self._hub):
                    await back_up(self._hub)
                await asyncio.sleep(LOOK_SECONDS)

    async def _give_way(self) -> None:
        while not is_displaced(self._hub.home):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(GIVE_WAY_SECONDS)
        log.error("another hub has the home now; this one ends")
        self._hub.stopping.set()

    async def _try_again(self) -> None:
        """Space on the disk, or a home that is back, tells nobody that it is there."""
        while True:
            await self._in_trouble.wait()
            if self._hub.store.damage is not None:
                return
            await asyncio.sleep(RETRY_SECONDS)
            try:
                await self._hub.store.try_again()
            except ManyhandsError:
                continue


def is_due(hub: Hub) -> bool:
    """Whether none is of the last day; one of a time to come was made by a clock that jumped."""
    if hub.store.damage is not None:
        return False
    yesterday, at = stamp(later(now(), -DAY)), stamp(now())
    return not any(yesterday <= backup_time(one) <= at for one in backups(hub.home.backups))


async def back_up(hub: Hub) -> None:
    """Where that fails it is a fault, which the doctor tells, until it works again."""
    try:
        await hub.store.make_backup(hub.home.backups)
    except (ManyhandsError, OSError) as error:
        hub.faults.note(WHERE, error)
    else:
        hub.faults.over(WHERE)
