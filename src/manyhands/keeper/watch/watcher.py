"""Keeps the hub told how the worktree differs from its base while somebody wants to know.

Wanted while a turn runs or someone looks. A watch begins with a whole scan, after that only
changed paths are compared. A failed scan asserts nothing and is tried again; without watches
left in the system it says so in the log and polls.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from manyhands.keeper.watch.drawing import Patches
from manyhands.keeper.watch.inotify import Inotify
from manyhands.keeper.watch.notices import OpenNotices, WatchFailed, Watchfiles
from manyhands.keeper.watch.sight import Sight
from manyhands.keeper.watch.sightings import Outcome, Sightings, Trail, Wanted, in_time
from manyhands.keeper.watch.told import Told
from manyhands.model.events import AnyEvent, NoteMade
from manyhands.model.ids import Oid

log = logging.getLogger(__name__)

FLUSH_SECONDS = 20.0
"""A turn that changed thousands of files ends when they are counted, but not later than this."""
HEAR_SECONDS = 2.0
LAST_SECONDS = 5.0
RETRY_SECONDS = 2.0
MEMORY = "diff.json"
BELLS = "bells"
HAS_INOTIFY = sys.platform == "linux"


class Watcher:
    def __init__(
        self,
        worktree: Path,
        base: Oid,
        memory: Path,
        tell: Callable[[AnyEvent], None],
        patches: Patches | None = None,
        *,
        inotify: bool = HAS_INOTIFY,
    ) -> None:
        self._worktree = worktree
        self._base = base
        self._memory = memory / MEMORY
        self._watch_by: OpenNotices | None = (
            Inotify if inotify else partial(Watchfiles, bell=memory / BELLS)
        )
        """None once that failed: then changes are polled for."""
        self._tell = tell
        self._patches = patches or Patches()
        self._diff_told = Told(base)
        self.trail = Trail()
        self._wanted_by: set[str] = set()
        self._wanted = asyncio.Event()
        self._unwanted = asyncio.Event()
        self._told: set[str] = set()
        self._sightings: Sightings | None = None
        self._asked: Wanted | None = None
        self._watching = asyncio.Event()
        self._tried = asyncio.Event()
        """A watch is on, or there can be none now: nobody waits for more."""

    def want(self, who: str, on: bool) -> None:
        """`who` wants the diff to be told from now on, or no longer does."""
        (self._wanted_by.add if on else self._wanted_by.discard)(who)
        now, then = self._wanted, self._unwanted
        if not self._wanted_by:
            now, then = then, now
        now.set()
        then.clear()

    async def run(self) -> None:
        self._diff_told.load(self._memory)
        try:
            while True:
                await self._wanted.wait()
                # What a watch that broke off has missed is owed even if nobody wants more.
                while not await self._watch():
                    pass
                if self._asked:
                    self._asked.answer(None)
        finally:
            self._diff_told.save(self._memory)

    async def begun(self, seconds: float) -> bool:
        """Whether a watch is on, or comes up in time."""
        return await in_time(self._watching, seconds)

    async def scan_by(self, make: Callable[[], Oid], seconds: float) -> Oid | None:
        """The snapshot of everything that is made: where a watch has only just begun, it is
        its first scan too. None where no watch comes up in time, or one breaks off."""
        asked = self._asked = Wanted(make, asyncio.get_running_loop().create_future())
        if self._sightings:
            self._sightings.ask(asked)
        return await asked.made if await self.begun(seconds) else None

    async def flush(self) -> None:
        """Tell what changed until now; the trail lacks nothing then."""
        await self._hear()
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                while await self._tell_now() == "ended":
                    pass  # another watch takes over
        except TimeoutError:
            log.info("the diff was not up to date in time")

    async def _tell_now(self) -> Outcome:
        await self._tried.wait()
        return await self._sightings.tell_now() if self._sightings else "failed"

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
            sight = await asyncio.to_thread(Sight, self._worktree, self._base, self._watch_by)
            if sight.notices:
                self.trail.begin()
            try:
                ended = await self._follow(sight)
            finally:
                # However it ended, nobody must ask a watch that is closed.
                self._sightings = None
                self._watching.clear()
                self._tried.clear()
                self.trail.end()
                sight.close()
        except* WatchFailed as problems:
            self._watch_by = None
            self._note(f"{problems.exceptions[0]}; changes are polled for")
        except* Exception as problems:
            log.exception("the watch broke off")
            self._note(f"the worktree cannot be watched: {problems.exceptions[0]}")
            self._tried.set()
            await in_time(self._unwanted, RETRY_SECONDS)
            ended = True
        return ended

    async def _follow(self, sight: Sight) -> bool:
        """Whether it ended because nobody wants it."""
        async with asyncio.TaskGroup() as tasks:
            sightings = self._sightings = Sightings(
                sight, self._diff_told, self.trail, self._patches, self._tell
            )
            if self._asked and not self._asked.made.done():
                sightings.ask(self._asked)
            self._watching.set()
            self._tried.set()
            listening = tasks.create_task(sightings.listen())
            following = tasks.create_task(sightings.follow())
            ending = tasks.create_task(self._until_unwanted(sightings))
            await asyncio.wait([following, ending], return_when=asyncio.FIRST_COMPLETED)
            ended = ending.done()
            for task in (listening, following, ending):
                task.cancel()
        return ended

    async def _until_unwanted(self, sightings: Sightings) -> None:
        await self._unwanted.wait()
        try:
            async with asyncio.timeout(LAST_SECONDS):
                await self._settle()
                await sightings.tell_now()
        except TimeoutError:
            log.info("the diff may lack the last changes")

    async def _settle(self) -> None:
        """Hear of every change made before."""
        if self._sightings is None:
            self.trail.lose()
        else:
            await self._sightings.hear_all()

    def _note(self, text: str) -> None:
        """Say it in the log, once."""
        log.warning("%s", text)
        if text not in self._told:
            self._told.add(text)
            self._tell(NoteMade(text=text))
