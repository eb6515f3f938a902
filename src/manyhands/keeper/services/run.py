"""One wish that a service runs: it waits for what it depends on, runs, and perhaps runs again."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Literal

from manyhands.box.starting import start_boxed
from manyhands.errors import ManyhandsError
from manyhands.keeper.life import part_processes
from manyhands.keeper.premises import Premises
from manyhands.keeper.services.health import Health, held_by_another
from manyhands.keeper.services.output import ServiceOutput
from manyhands.model import events as e
from manyhands.model.clock import monotonic
from manyhands.model.ids import CommandId
from manyhands.model.service.backoff import WELL_SECONDS, again_in
from manyhands.model.service.spec import ServiceSpec
from manyhands.process.identity import Identity, descendants, is_shell, program_inside
from manyhands.process.spawn import Child
from manyhands.process.stop import Patience, end_processes, signal_process, stop_child

log = logging.getLogger(__name__)
Tell = Callable[[e.AnyEvent], None]
Stage = Literal["waiting", "starting", "healthy", "unhealthy", "over"]
STOP = Patience(ask=5.0, term=5.0, kill=5.0)
HELD = 64 * 1024
NOT_FOUND, NOT_RUNNABLE = 127, 126


class ServiceRun:
    def __init__(
        self,
        spec: ServiceSpec,
        ask: CommandId,
        session: str,
        premises: Callable[[], Awaitable[Premises]],
        output: ServiceOutput,
        tell: Tell,
    ) -> None:
        self.spec = spec
        self.ask = ask
        self.stage: Stage = "waiting"
        self.leader: Identity | None = None
        self.over = asyncio.Event()
        self._session = session
        self._premises = premises
        self._output = output
        self._tell = tell
        self._settled = asyncio.Event()
        self._stopping = asyncio.Event()
        self._why_stopped = ""
        self._well_since: float | None = None

    @property
    def mark(self) -> str:
        """Its processes are found by it, so it is no other session's."""
        return f"service-{self.spec.name}@{self._session}"

    def stop(self, why: str = "") -> None:
        """Returns at once; `over` is set when nothing of it runs any more."""
        if not self._stopping.is_set():
            self._why_stopped = why
            self._stopping.set()

    async def well(self) -> bool:
        """Returns once it is, or will not be."""
        await self._settled.wait()
        return self.stage == "healthy"

    def give_up(self, why: str) -> None:
        self._exited("crashed", None, why)

    async def run(self, needs: Callable[[], Coroutine[object, object, str]]) -> None:
        """`needs` waits for what it depends on, and tells what of that there is not."""
        try:
            lacks = await self._unless_stopped(needs())
            if self._stopping.is_set():
                self._exited("stopped", None, self._why_stopped)
            elif lacks:
                self._exited("crashed", None, lacks)
            else:
                await self._run_again_and_again()
        finally:
            self._enter("over")
            self.over.set()

    async def _run_again_and_again(self) -> None:
        failures = 0
        while True:
            code, reason = await self._run_once()
            if self._stopping.is_set():
                self._exited("stopped", code, self._why_stopped)
                return
            failures = 1 if self._was_well else failures + 1
            pause = again_in(self.spec.restart, code, failures)
            if pause is None and self.spec.restart != "never" and code != 0:
                reason += f"; it was started {failures} times and is given up"
            self._exited("stopped" if code == 0 else "crashed", code, reason, pause)
            if pause is None:
                return
            self._enter("waiting")
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
                    self._exited("stopped", code, self._why_stopped)
                    return

    @property
    def _was_well(self) -> bool:
        since = self._well_since
        return since is not None and monotonic() - since > WELL_SECONDS

    async def _run_once(self) -> tuple[int | None, str]:
        """The exit code, and what is to be said of it."""
        self._well_since = None
        self._output.begin(f"{self.spec.name} starts")
        try:
            premises = await self._premises()
            child = await self._start(premises)
        except (ManyhandsError, OSError) as error:
            said = error.message if isinstance(error, ManyhandsError) else error.strerror
            self._output.end(f"it cannot be started: {said}")
            return None, f"it cannot be started: {said}"
        self.leader = child.identity
        self._enter("starting")
        self._tell(e.ServiceStarted(name=self.spec.name, ask=self.ask, pid=child.pid))
        try:
            await self._attend(child, premises)
        finally:
            code = await stop_child(child, patience=STOP)
            # What left the group is found by its mark; in a box it is gone already.
            await asyncio.to_thread(end_processes, self._processes(child.identity))
            self.leader = None
        reason = "" if self._stopping.is_set() else await asyncio.to_thread(self._why, code)
        self._output.end(_ended(code))
        return code, reason

    async def _start(self, premises: Premises) -> Child:
        # The command itself leads the group where it is a single one, and is asked to end.
        argv = ["/bin/sh", "-c", 'exec 2>&1; exec /bin/sh -c "$1"', "sh", self.spec.command]
        child = await start_boxed(
            premises.box,
            argv,
            cwd=premises.worktree,
            env={**premises.environment(self.mark), **self.spec.variables},
            limit=HELD,
            group=True,
            way_out=premises.way_out,
        )
        child.close_input()
        return child

    async def _attend(self, child: Child, premises: Premises) -> None:
        """Until it has ended, by itself or because it was to."""
        pids = partial(self._pids, child.identity)
        health = Health(self.spec, self._session, pids, premises.way_out)
        async with asyncio.TaskGroup() as tasks:
            heard = tasks.create_task(self._hear(child))
            watched = tasks.create_task(health.watch(self._is_well, self._is_ill))
            stopper = tasks.create_task(self._stop_when_told(child))
            await child.wait()
            watched.cancel()
            if not self._stopping.is_set():
                stopper.cancel()
            await heard

    async def _hear(self, child: Child) -> None:
        while (data := await child.output.chunk()) is not None:
            self._output.feed(data)
            await asyncio.sleep(0)

    async def _stop_when_told(self, child: Child) -> None:
        await self._stopping.wait()
        await stop_child(child, partial(_ask, child), STOP)

    def _is_well(self) -> None:
        self._well_since = monotonic()
        self._enter("healthy")
        self._tell(e.ServiceHealthy(name=self.spec.name, ask=self.ask))

    def _is_ill(self, reason: str) -> None:
        self._well_since = None
        self._enter("unhealthy")
        self._tell(e.ServiceUnhealthy(name=self.spec.name, ask=self.ask, reason=reason))

    def _enter(self, stage: Stage) -> None:
        self.stage = stage
        if stage in ("healthy", "unhealthy", "over"):
            self._settled.set()
        else:
            self._settled.clear()

    async def _unless_stopped(self, work: Coroutine[object, object, str]) -> str:
        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(work)
            stopping = tasks.create_task(self._stopping.wait())
            await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            stopping.cancel()
        return "" if waiting.cancelled() else waiting.result()

    def _processes(self, leader: Identity) -> list[Identity]:
        return part_processes(self.mark, leader)

    def _pids(self, leader: Identity) -> list[int]:
        return [one.pid for one in self._processes(leader)]

    def _why(self, code: int | None) -> str:
        said = _ended(code)
        last = self._output.tail.splitlines()[-1:]
        if code in (NOT_FOUND, NOT_RUNNABLE) and last:
            return f"its command cannot be run: {last[0]}"
        if code != 0 and self._well_since is None and self.spec.port:
            held = held_by_another(self.spec.port, self._session)
            return f"{said}: {held}" if held else said
        return said

    def _exited(
        self, end: e.ServiceEnd, code: int | None, reason: str, again: float | None = None
    ) -> None:
        tail = self._output.tail if end == "crashed" else ""
        self._tell(
            e.ServiceExited(
                name=self.spec.name,
                ask=self.ask,
                end=end,
                exit_code=code,
                reason=reason,
                tail=tail,
                again_in=again,
            )
        )


def _ended(code: int | None) -> str:
    if code is None:
        return "it could not be ended"
    if code < 0:
        with suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
    return "it ended by itself" if code == 0 else f"it ended with exit code {code}"


async def _ask(child: Child) -> None:
    """TERM for the program, and not for a shell that only waits for it: that would end at once,
    and take a program that is still about to end along. What holds a box is not asked at all."""
    for one in await asyncio.to_thread(_programs, child):
        signal_process(one, signal.SIGTERM)
    await child.wait()


def _programs(child: Child) -> list[Identity]:
    leader = program_inside(child.pid) if child.boxed else child.identity
    if leader is None:
        return []
    below = descendants(leader)
    return below if below and is_shell(leader.pid) else [leader, *below]
