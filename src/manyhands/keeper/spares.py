"""The nursery where fork is not safe: one keeper process is always started ahead of need."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import msgspec

from manyhands.config import child_environment
from manyhands.keeper.birth import Answer
from manyhands.model.wire import KeeperSpec
from manyhands.process.spawn import Child, spawn

LONGEST_SPEC = 16 * 1024 * 1024


def serve() -> None:
    """Until the hub closes our input."""
    asyncio.run(_serve())


async def _serve() -> None:
    specs = asyncio.StreamReader(limit=LONGEST_SPEC)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(specs), sys.stdin
    )
    spare = await _start_spare()
    async with asyncio.TaskGroup() as tasks:
        while line := await specs.readline():
            tasks.create_task(_hand_over(spare, line))
            spare = await _start_spare()
        # Leaving in order would close the transports, and with them kill the keepers.
        os._exit(0)


async def _start_spare() -> Child:
    argv = [sys.executable, "-m", "manyhands.keeper", "--spec-from-stdin"]
    return await spawn(argv, cwd=Path("/"), env=child_environment())


async def _hand_over(spare: Child, line: bytes) -> None:
    """Give the spare its spec and pass its answer on; hold it, and so let it live, to its end."""
    try:
        await spare.write(line)
        answer = await spare.output.line()
        while await spare.output.line():
            pass  # it lets go of us once it has answered
    except BrokenPipeError:
        answer = None
    if answer is None:
        spec = msgspec.json.decode(line, type=KeeperSpec)
        problem = f"the keeper ended before it was ready: {spare.errors.text()[-500:]}"
        answer = msgspec.json.encode(Answer(spec.session, spec.epoch, error=problem)) + b"\n"
    os.write(1, answer)
    await spare.wait()
