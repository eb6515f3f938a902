"""Keeps the hub told how the worktree differs from its base while somebody wants to know.

Wanted while a turn runs or someone looks. A watch begins with a whole scan, after that only
changed paths are compared. A failed scan asserts nothing and is tried again; without watches
left in the system it says so in the log and polls.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from manyhands.keeper.ledger import Ledger
from manyhands.keeper.notices import NoWatches, WatchBroken
from manyhands.keeper.sight import Sight
from manyhands.keeper.sightings import Sightings
from manyhands.keeper.trail import Trail
from manyhands.model.events import AnyEvent, NoteMade
from manyhands.model.ids import Oid

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.2
HEAR_SECONDS = 2.0
LAST_SECONDS = 5.0
RETRY_SECONDS = 2.0
MEMORY = "diff.json"
BELLS = "bells"


class Watcher:
    def __init__(
        self, worktree: Path, base: Oid, memory: Path, tell: Callable[[AnyEvent], None]
    ) -> None:
        self._worktree = worktree
        self._base = base
        self._memory = memory / MEMORY
        self._bells = memory / BELLS
        self._tell = tell
        self._ledger = Ledger(base)
        self.trail = Trail(worktree)
        self._wanted_by: set[str] = set()
        self._wanted = asyncio.Event()
        self._unwanted = asyncio.Event()
        self._polling = False
        self._told: set[str] = set()
        self._sightings: Sightings | None = None
        self._watching = asyncio.Event()

    def want(self, who: str, on: bool) -> None:
        """`who` wants the diff to be told from now on, or no longer does."""
        (self._wanted_by.add if on else self._wanted_by.discard)(who)
        now, then = self._wanted, self._unwanted
        if not self._wanted_by:
            now, then = then, now
        now.set()
        then.clear()

    async def run(self) -> None:
        self._ledger.load(self._memory)
        try:
            while True:
                await self._wanted.wait()
                # What a watch that broke off has missed is owed even if nobody wants more.
                while not await self._watch():
                    pass
        finally:
            self._ledger.save(self._memory)

    async def begun(self, seconds: float) -> bool:
        """Whether a watch is on, or comes up in time."""
        try:
            async with asyncio.timeout(seconds):
                await self._watching.wait()
        except TimeoutError:
            return False
        return True

    async def flush(self) -> None:
        """Tell what changed until now, as far as that is quick; the trail lacks nothing then."""
        await self._hear()
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._watching.wait()
                if self._sightings:
                    await self._sightings.caught_up.wait()
        except TimeoutError:
            log.info("the diff was not up to date in time")

    async def _hear(self) -> None:
        try:
            async with asyncio.timeout(HEAR_SECONDS):
                await self._settle()
        except (TimeoutError, OSError) as error:
            log.info("not all changes were heard of in time: %s", error)
            self.trail.lose()

    async def _watch(self) -> bool:
        """Watch until nobody wants it, or until a new watch is needed: then False.

        A failure takes a pause.
        """
        ended = False
        try:
            polling = self._polling
            sight = await asyncio.to_thread(
                Sight, self._worktree, self._base, self._bells, polling=polling
            )
            try:
                ended = await self._follow(sight)
            finally:
                sight.close()
        except* NoWatches as problems:
            self._polling = True
            reason = problems.exceptions[0]
            self._note(f"the system has no file watches left ({reason}); changes are polled for")
        except* WatchBroken as problems:
            # Our own scans would break the next one too: they read the very file that did.
            self._polling = True
            self._note(f"{problems.exceptions[0]}; changes are polled for")
        except* Exception as problems:
            log.exception("the watch broke off")
            self._note(f"the worktree cannot be watched: {problems.exceptions[0]}")
            await self._pause()
            ended = True
        return ended

    async def _follow(self, sight: Sight) -> bool:
        """Whether it ended because nobody wants it."""
        if not self._polling:
            self.trail.begin()
        try:
            return await self._see(sight)
        finally:
            self.trail.end()

    async def _see(self, sight: Sight) -> bool:
        async with asyncio.TaskGroup() as tasks:
            sightings = self._sightings = Sightings(sight, self._ledger, self.trail, self._tell)
            self._watching.set()
            listening = [tasks.create_task(sightings.listen(n)) for n in sight.notices]
            looking = tasks.create_task(sightings.look())
            ending = tasks.create_task(self._until_unwanted(sightings))
            await asyncio.wait([looking, ending], return_when=asyncio.FIRST_COMPLETED)
            self._sightings = None
            self._watching.clear()
            ended = ending.done()
            for task in (*listening, looking, ending):
                task.cancel()
        return ended

    async def _until_unwanted(self, sightings: Sightings) -> None:
        await self._unwanted.wait()
        try:
            async with asyncio.timeout(LAST_SECONDS):
                await self._settle()
                await sightings.caught_up.wait()
        except TimeoutError:
            log.info("the diff may lack the last changes")

    async def _settle(self) -> None:
        """Hear of every change made before; polls come too seldom to wait for one."""
        if self._sightings is None:
            self.trail.lose()
        elif self._polling:
            self._sightings.look_at_all()
        else:
            await self._sightings.hear_all()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(RETRY_SECONDS):
                await self._unwanted.wait()
        except TimeoutError:
            pass

    def _note(self, text: str) -> None:
        """Say it in the log, once."""
        log.warning("%s", text)
        if text not in self._told:
            self._told.add(text)
            self._tell(NoteMade(text=text))
