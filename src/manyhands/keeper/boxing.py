"""The box of a living session: made before what it holds, and its git kept the same as ours.

What the agent did there comes over as soon as it is done: told by the twin's own reflog, and in any
case before a turn is over, so that its checkpoint has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from manyhands.box.limits import remove_group
from manyhands.box.making import make_ready
from manyhands.box.network.way_out import WayOut
from manyhands.box.twins import bring_in_twin, has_twin, mend_twin, sync_twin, with_twin
from manyhands.errors import AgentFailed, ManyhandsError
from manyhands.git.repository import TICK_SECONDS
from manyhands.git.twin.place import Synced
from manyhands.keeper.host import KeeperHost
from manyhands.keeper.network import make_way_out
from manyhands.keeper.premises import Premises
from manyhands.keeper.watch.inotify import Inotify
from manyhands.model.box import NO_BOX, Box
from manyhands.model.events import AnyEvent, BoxEntered, NoteMade
from manyhands.model.wire import KeeperSpec

log = logging.getLogger(__name__)

GATHER_SECONDS = 1.5 * TICK_SECONDS


class BoxKeeping:
    def __init__(
        self, spec: KeeperSpec, tell: Callable[[AnyEvent], None], tasks: asyncio.TaskGroup
    ) -> None:
        self._tasks = tasks
        self._way_out: WayOut | None = None
        self._spec = spec
        self._own = Path(spec.spool)
        self._tell = tell
        self._box: Box = NO_BOX
        self._told = self._mended = ""
        self._fresh = False
        """Whether the twin was only just made."""
        self._one_at_a_time = asyncio.Lock()
        self._entering = asyncio.Lock()
        self._entered = asyncio.Event()

    async def enter(self, host: KeeperHost) -> None:
        """Before an agent is started: what it is started in is there."""
        async with self._entering:
            host.box = self._box = await self._made(host)
            host.way_out = self._lead_out(host, host.box)
            self._tell_entered(host.box)

    async def premises(self, host: KeeperHost) -> Premises:
        """The same for what is no agent, which `host` is not told of."""
        async with self._entering:
            box = await self._made(host)
            way_out = self._lead_out(host, box)
            if not self._entered.is_set():
                self._box = box
                self._tell_entered(box)
        if host.turn_over.is_set():
            await self.sync()
        spec = self._spec
        return Premises(Path(spec.worktree), host.spec.agent.env, box, way_out)

    async def _made(self, host: KeeperHost) -> Box:
        try:
            return await asyncio.to_thread(self._make, host.spec.agent.box)
        except (ManyhandsError, OSError) as error:
            without = f"`manyhands set {self._spec.session} --box none` works without it"
            hint = getattr(error, "hint", "") or without
            raise AgentFailed(f"its box could not be made: {error}", hint=hint) from error

    def _tell_entered(self, box: Box) -> None:
        if self._mended:
            self._note(self._mended)
        self._tell(
            BoxEntered(
                level=box.level,
                by=box.by,
                network=box.network,
                reason=box.reason,
                apart=bool(box.twin),
            )
        )
        self._entered.set()

    def _lead_out(self, host: KeeperHost, box: Box) -> WayOut | None:
        """One way for all that the session runs, which asks in the name of who came first."""
        if self._way_out is None:
            env, remotes = host.spec.agent.env, self._spec.remotes
            self._way_out = make_way_out(
                box, host, self._tasks, remotes=remotes, env=env, say=self._note
            )
        return self._way_out

    def _note(self, text: str) -> None:
        self._tell(NoteMade(text=text))

    async def close(self) -> None:
        """Nothing of the session runs any more."""
        await self.bring_in()
        if self._way_out is not None:
            await self._way_out.close()
        if self._box.group:
            await asyncio.to_thread(remove_group, Path(self._box.group))

    def _make(self, box: Box) -> Box:
        spec = self._spec
        if not spec.in_place and box.level != "none":
            self._fresh = not has_twin(self._own)
            box = with_twin(box, self._own, spec.session, spec.branch)
            if not self._entered.is_set():
                self._mended = mend_twin(box, self._own, spec.session, spec.branch)
        make_ready(box)
        return box

    async def sync(self) -> None:
        """Both sides as one; whatever hinders it is told once, and tried again with the next."""
        if self._fresh:
            self._fresh = False  # it was made of how things are here, a moment ago
        else:
            await self._sync(sync_twin)

    async def bring_in(self) -> None:
        """What was done in the box; where something was done here too, that comes first."""
        self._fresh = False
        if await self._sync(bring_in_twin) == "waits":
            await self._sync(sync_twin)

    async def _sync(self, way: Callable[[Box, Path, str, str], Synced]) -> str:
        if not self._box.twin:
            return ""
        async with self._one_at_a_time:
            spec = self._spec
            try:
                done = await asyncio.to_thread(way, self._box, self._own, spec.session, spec.branch)
            except (ManyhandsError, OSError) as error:
                log.warning("the twin could not be synced: %s", error)
                self._say(f"What the agent committed could not be taken over yet: {error}")
                return ""
            if way is sync_twin or done.way != "waits":
                self._say(_words(done))
            return done.way

    def _say(self, text: str) -> None:
        if text and text != self._told:
            self._tell(NoteMade(text=text))
        self._told = text

    async def run(self) -> None:
        """Follow what is done in the twin, as far as the system tells of it."""
        await self._entered.wait()
        if not self._box.twin:
            return
        logs = Path(self._box.twin) / "logs"
        try:
            notices = await asyncio.to_thread(Inotify, logs, ())
        except OSError as error:
            log.info("the twin is looked at when a turn ends: %s", error)
            return
        try:
            while True:
                await notices.next()
                # One commit writes several files, and what has only just changed would have to be
                # looked at once more.
                await asyncio.sleep(GATHER_SECONDS)
                await self.bring_in()
        except OSError as error:
            log.info("the twin is looked at when a turn ends: %s", error)
        finally:
            notices.close()


def _words(done: Synced) -> str:
    ways = f" Any of: {'; '.join(done.commands)}" if done.commands else ""
    return f"{done.note}{ways}" if done.note else ""
