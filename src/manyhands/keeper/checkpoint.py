"""Around a turn: the worktree is watched while it runs, and the diff settled at its end.

Then a checkpoint is made: the worktree's whole state, kept by a private ref.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from manyhands.git.collector import Collector
from manyhands.git.refs import delete_ref, put_ref, resolve
from manyhands.git.snapshot.private import FOLDER
from manyhands.git.snapshot.snapshot import SnapshotOptions, keep_snapshot, make_snapshot
from manyhands.git.snapshot.successor import forget_last
from manyhands.keeper.watch.sightings import Trail
from manyhands.keeper.watch.watcher import Watcher
from manyhands.model.events import AnyEvent, CheckpointFailed, CheckpointMade
from manyhands.model.ids import Oid, SessionId
from manyhands.model.wire import KeeperSpec

log = logging.getLogger(__name__)

WATCH_SECONDS = 5.0
FINISH_SECONDS = 30.0
KEPT = "checkpoint"
"""The directory, in the session's own, that makes every snapshot after the first quick."""
BEGINNING = "0"
"""The checkpoint before the first turn."""


def checkpoint_ref(session: SessionId, id: str) -> str:
    return f"refs/manyhands/checkpoints/{session}/{id}"


class Checkpoints:
    def __init__(self, spec: KeeperSpec, trail: Trail, tell: Callable[[AnyEvent], None]) -> None:
        self._session = spec.session
        self._worktree = Path(spec.worktree)
        self._base = Oid(spec.base_commit)
        self._kept = Path(spec.spool) / KEPT
        self._listed = spec.listed
        self._trail = trail
        self._tell = tell
        self._one_at_a_time = asyncio.Lock()

    async def make(self, turn: int) -> None:
        """At a turn's end, from what changed since the last one where that is known."""
        changed = self._trail.take()
        async with self._one_at_a_time:
            try:
                commit = await asyncio.to_thread(self._keep, turn, changed)
            except Exception as error:
                log.exception("no checkpoint of turn %d", turn)
                self._trail.lose()
                self._tell(CheckpointFailed(turn=turn, error=str(error)))
            else:
                self._tell(CheckpointMade(turn=turn, checkpoint=str(turn), commit=commit))

    async def prepare(self, turn: int, watcher: Watcher) -> None:
        """While a turn begins: take in everything once, so that its end need not; a watch that
        begins starts from the same.

        Before the first turn this is a checkpoint too, if nothing was changed meanwhile.
        """
        if self._trail.is_whole:
            return
        async with self._one_at_a_time:
            collector = Collector(self._worktree)
            commit = await watcher.scan_by(self._snapshot, WATCH_SECONDS)
            try:
                keep = partial(self._keep_beginning, collector)
                if commit and turn == 1 and await asyncio.to_thread(keep, commit):
                    self._tell(CheckpointMade(checkpoint=BEGINNING, commit=commit))
            except Exception:
                log.exception("no checkpoint before turn %d", turn)
                self._trail.lose()

    def _keep_beginning(self, collector: Collector, made: Oid) -> bool:
        """A fork has one already, and an agent that was quick has made it impossible."""
        ref = checkpoint_ref(self._session, BEGINNING)
        if resolve(self._worktree, ref) is not None or not self._trail.is_untouched:
            return False
        put_ref(self._worktree, ref, made)
        if not collector.spared(made):
            delete_ref(self._worktree, ref, made)
            forget_last(self._kept)
            self._trail.lose()
            return False
        return True

    def _keep(self, turn: int, changed: set[bytes] | None) -> Oid:
        ref = checkpoint_ref(self._session, str(turn))
        return keep_snapshot(self._worktree, ref, changed, **self._options())

    def _snapshot(self) -> Oid:
        return make_snapshot(self._worktree, **self._options())

    def _options(self) -> SnapshotOptions:
        self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        return SnapshotOptions(
            base=self._base,
            kept=self._kept,
            listed=self._listed,
            private=self._kept.with_name(FOLDER),
        )


class Around(Protocol):
    """What turns are lived in: its git is settled before one, and at its end, before it is told."""

    async def sync(self) -> None: ...

    async def bring_in(self) -> None: ...


class Turns:
    """`note` is called, in a thread, once a turn is over.
    There are no `checkpoints` beside the main conversation, whose own hold that work too; who is
    `beside` it waits for them all the same."""

    def __init__(
        self,
        watcher: Watcher,
        tasks: asyncio.TaskGroup,
        stir: Callable[[], None],
        checkpoints: Checkpoints | None = None,
        note: Callable[[], None] = lambda: None,
        *,
        around: Around | None = None,
        beside: Turns | None = None,
    ) -> None:
        self._watcher = watcher
        self._checkpoints = checkpoints
        self._tasks = tasks
        self._stir = stir
        self._note = note
        self._around: Around | None = beside._around if beside else around
        self._ending: set[asyncio.Task[None]] = beside._ending if beside else set()

    @property
    def busy(self) -> bool:
        return bool(self._ending)

    def began(self) -> None:
        # Watched on after the turn's end, so that the next checkpoint knows what changed.
        self._watcher.want("turns", True)

    async def prepare(self, turn: int) -> None:
        """Before an agent that was just started gets its first word."""
        self.began()
        await self.settle()
        if self._checkpoints:
            await self._checkpoints.prepare(turn, self._watcher)
        else:
            await self._watcher.begun(WATCH_SECONDS)

    def ended(self, turn: int, release: Callable[[], None]) -> None:
        """The turn is over; `release` tells of it, once the diff is up to date."""
        work = self._end(turn, release)
        try:
            task = self._tasks.create_task(work)
        except RuntimeError:  # the keeper is going down with an error: tell it while we can
            work.close()
            release()
        else:
            self._ending.add(task)
            task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        self._stir()

    async def _end(self, turn: int, release: Callable[[], None]) -> None:
        try:
            if self._around:
                await self._around.bring_in()
            await self._watcher.flush()
        finally:
            release()
        if self._checkpoints:
            await asyncio.to_thread(self._note)
            await self._checkpoints.make(turn)

    async def settle(self) -> None:
        """Before a turn: what was done outside meanwhile is seen in it."""
        if self._around:
            await self._around.sync()

    async def finish(self) -> None:
        """Wait for what the last turn's end still does: what is written before it is done would be
        taken for that turn's."""
        if not self._ending:
            return
        _, late = await asyncio.wait(self._ending, timeout=FINISH_SECONDS)
        if late:
            log.warning("a turn's checkpoint is not made after %d s", FINISH_SECONDS)
