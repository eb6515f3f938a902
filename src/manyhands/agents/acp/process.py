"""The process of an ACP agent and the line to it, from its start to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from manyhands.agents.acp.connection import LARGEST_MESSAGE, Handler, Line, LoginMissing
from manyhands.agents.acp.memory import Memory
from manyhands.agents.acp.program import (
    ended_at_start,
    exit_code,
    not_logged_in,
    require_program,
    silent_at_start,
)
from manyhands.agents.acp.quirks import NONE
from manyhands.agents.known import KnownAgent
from manyhands.errors import AgentFailed, ManyhandsError
from manyhands.model.wire import AgentSpec
from manyhands.process.group_guard import guarded
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import stop_child

START_SECONDS = 120.0


class Process:
    def __init__(self, child: Child, handler: Handler) -> None:
        self.child = child
        self.line = Line(child, handler)

    @property
    def last_words(self) -> str:
        lines = self.child.errors.text().splitlines()
        return lines[-1] if lines else ""

    async def end(self) -> None:
        """However it is: when this returns, nothing of it is left running."""
        await stop_child(self.child)
        await self.line.close()


@asynccontextmanager
async def starting(
    spec: AgentSpec, known: KnownAgent | None, cwd: Path, handler: Handler
) -> AsyncIterator[Process]:
    """The program until it is ready; one that fails is ended, and one sentence says why."""
    quirks = known.quirks if known else NONE
    command = await asyncio.to_thread(require_program, spec, known)
    alone = Memory(spec.memory).alone(START_SECONDS) if quirks.starts_alone else nullcontext()
    env = {**spec.env, **quirks.env, "PWD": str(cwd)}
    async with alone:
        child = await spawn(
            guarded(command), cwd=cwd, env=env, limit=LARGEST_MESSAGE, tethered=True
        )
        process = Process(child, handler)
        try:
            async with asyncio.timeout(START_SECONDS):
                yield process
        except BaseException as error:
            await _give_up(process, spec, known, error)
            raise


async def _give_up(
    process: Process, spec: AgentSpec, known: KnownAgent | None, error: BaseException
) -> None:
    code = process.child.returncode
    if not process.child.alive or isinstance(error, AgentFailed):
        # A program that ends closes its output a moment before it is gone.
        code = await exit_code(process.child)
    await process.end()
    match error:
        case LoginMissing():
            raise not_logged_in(spec, known) from error
        case TimeoutError():
            raise silent_at_start(spec, START_SECONDS) from error
        case ManyhandsError() if code is not None:
            raise ended_at_start(spec, code, process.last_words) from error
