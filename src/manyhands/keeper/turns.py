"""What the keeper does around a turn: watch while it runs, settle the diff, make a checkpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from manyhands.keeper.checkpoint import Checkpoints
from manyhands.keeper.watcher import Watcher

WATCH_SECONDS = 5.0


class Turns:
    def __init__(
        self,
        watcher: Watcher,
        checkpoints: Checkpoints,
        tasks: asyncio.TaskGroup,
        stir: Callable[[], None],
        note: Callable[[], None] = lambda: None,
    ) -> None:
        """`note` is called, in a thread, once a turn is over."""
        self._watcher = watcher
        self._checkpoints = checkpoints
        self._tasks = tasks
        self._stir = stir
        self._note = note
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        return bool(self._ending)

    def began(self, turn: int) -> None:
        # Watched on after the turn's end, so that the next checkpoint knows what changed.
        self._watcher.want("turns", True)

    async def prepare(self, turn: int) -> None:
        """Before an agent that was just started gets its first word."""
        self._watcher.want("turns", True)
        if await self._watcher.begun(WATCH_SECONDS):
            await self._checkpoints.prepare(turn)

    def _work(self, work: Coroutine[None, None, None]) -> None:
        task = self._tasks.create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._forget)

    def ended(self, turn: int, release: Callable[[], None]) -> None:
        """The turn is over; `release` tells of it, once the diff is up to date."""
        work = self._end(turn, release)
        try:
            self._work(work)
        except RuntimeError:  # the keeper is going down with an error: tell it while we can
            work.close()
            release()

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        self._stir()

    async def _end(self, turn: int, release: Callable[[], None]) -> None:
        try:
            await self._watcher.flush()
        finally:
            release()
        await asyncio.to_thread(self._note)
        await self._checkpoints.make(turn)

    async def finish(self, seconds: float) -> None:
        """Wait for what the last turn's end still does."""
        if self._ending:
            await asyncio.wait(self._ending, timeout=seconds)


class TurnsBeside(Turns):
    """Around turns of a conversation beside the main one, whose checkpoints hold its work too."""

    async def prepare(self, turn: int) -> None:
        self._watcher.want("turns", True)
        await self._watcher.begun(WATCH_SECONDS)

    async def _end(self, turn: int, release: Callable[[], None]) -> None:
        try:
            await self._watcher.flush()
        finally:
            release()
