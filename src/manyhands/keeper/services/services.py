"""All services of a session: what is to run is made so, one wish after the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from manyhands.keeper.premises import Premises
from manyhands.keeper.services.output import ServiceOutput
from manyhands.keeper.services.run import ServiceRun, Tell
from manyhands.model import wire
from manyhands.model.redaction import Redactor
from manyhands.model.service.spec import ServiceSpec
from manyhands.process.identity import Identity
from manyhands.workspace.service_log import log_folder

log = logging.getLogger(__name__)
KEEPER_ENDS = "what keeps the session ended it"


class Services:
    def __init__(
        self,
        spec: wire.KeeperSpec,
        premises: Callable[[], Awaitable[Premises]],
        redactor: Redactor,
        tasks: asyncio.TaskGroup,
        tell: Tell,
        stir: Callable[[], None],
    ) -> None:
        self._spec = spec
        self._premises = premises
        self._redactor = redactor
        self._tasks = tasks
        self._tell = tell
        self._stir = stir
        self._runs: dict[str, ServiceRun] = {}
        """The last of each name."""
        self._closed = False

    @property
    def busy(self) -> bool:
        return any(not run.over.is_set() for run in self._runs.values())

    @property
    def leaders(self) -> dict[str, Identity]:
        """The process that leads each one that runs, under its mark."""
        return {run.mark: run.leader for run in self._runs.values() if run.leader is not None}

    def serve(self, command: wire.Serve) -> None:
        """Start what is new and stop what is not wanted any more; returns at once."""
        wanted = {one.spec.name: one for one in command.services}
        for name, run in self._runs.items():
            if name not in wanted:
                run.stop()
        if self._closed:
            return
        for name, one in wanted.items():
            before = self._runs.get(name)
            if before is None or before.ask != one.ask:
                self._begin(one, before)

    async def close(self) -> None:
        """Nothing of them runs after this."""
        self._closed = True
        for run in self._runs.values():
            run.stop(KEEPER_ENDS)
        for run in list(self._runs.values()):
            await run.over.wait()

    def _begin(self, one: wire.WantedService, before: ServiceRun | None) -> None:
        folder = log_folder(Path(self._spec.spool), one.spec.name)
        run = ServiceRun(
            one.spec,
            one.ask,
            self._spec.session,
            self._premises,
            ServiceOutput(folder, self._redactor),
            self._tell,
        )
        self._runs[one.spec.name] = run
        self._tasks.create_task(self._run(run, before))

    async def _run(self, run: ServiceRun, before: ServiceRun | None) -> None:
        if before is not None:
            before.stop()
        try:
            await run.run(partial(self._needs, run.spec, before))
        except Exception as error:
            # A mistake in one service must not take the keeper, and the agent, along.
            log.exception("service %s", run.spec.name)
            run.give_up(f"{type(error).__name__}: {error}")
        finally:
            self._stir()

    async def _needs(self, spec: ServiceSpec, before: ServiceRun | None) -> str:
        """Waits for the run before it to end, and for what it depends on to be well; what of that
        there is not."""
        if before is not None:
            await before.over.wait()
        for name in spec.depends_on:
            other = self._runs.get(name)
            if other is None or not await other.well():
                is_there = other is not None and other.stage == "unhealthy"
                return f"it needs {name!r}, which {'is not well' if is_there else 'does not run'}"
        return ""
