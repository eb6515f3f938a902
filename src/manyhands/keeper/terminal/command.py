"""One command that a person runs in the session: its output goes to them as it comes, and it ends
when they go."""

from __future__ import annotations

import asyncio
import contextlib

from manyhands.box.starting import start_boxed
from manyhands.errors import ManyhandsError
from manyhands.keeper.life import part_processes
from manyhands.keeper.premises import Premises
from manyhands.keeper.terminal.terminal import found_program
from manyhands.model import clock
from manyhands.model.ids import fresh_id
from manyhands.model.terminal import stream
from manyhands.process.identity import Identity, alive
from manyhands.process.spawn import Child
from manyhands.process.stop import Patience, end_processes, stop_child

PATIENCE = Patience(term=2.0, kill=3.0)
JOINED = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh")
"""Both outputs in one, in the order in which they were written."""


class RunningCommand:
    def __init__(self, writer: asyncio.StreamWriter, tasks: asyncio.TaskGroup) -> None:
        self._tasks = tasks
        self.part = f"command-{fresh_id()}"
        self._writer = writer
        self._child: Child | None = None

    @property
    def leader(self) -> Identity | None:
        return self._child.identity if self._child is not None and self._child.alive else None

    async def run(
        self, premises: Premises, program: tuple[str, ...], reader: asyncio.StreamReader
    ) -> None:
        began = clock.monotonic()
        env = premises.environment(self.part)
        try:
            argv = (*JOINED, *found_program(program, env, premises.worktree))
            child = self._child = await start_boxed(
                premises.box,
                argv,
                cwd=premises.worktree,
                env=env,
                group=True,
                way_out=premises.way_out,
            )
        except (ManyhandsError, OSError) as error:
            self._tell(stream.ErrorWord(message=str(error)))
            await self._writer.drain()
            return
        child.close_input()
        watch = self._tasks.create_task(self._until_left(reader))
        try:
            await self._pass_on(child)
            code = await child.wait()
            seconds = round(clock.monotonic() - began, 3)
            self._tell(stream.ExitWord(exit_code=128 - code if code < 0 else code, seconds=seconds))
            await self._writer.drain()
        finally:
            watch.cancel()
            await self.end()

    async def _pass_on(self, child: Child) -> None:
        while (data := await child.output.chunk()) is not None:
            with contextlib.suppress(OSError):  # its reader is gone, and so is it in a moment
                self._writer.write(stream.frame(stream.BYTES, data))
                await self._writer.drain()

    async def _until_left(self, reader: asyncio.StreamReader) -> None:
        while await reader.read(4096):
            pass
        await self.end()

    def _tell(self, word: stream.ToViewer) -> None:
        self._writer.write(stream.frame(stream.WORDS, stream.said(word)))

    async def end(self) -> None:
        """The command, and whatever it left."""
        if (child := self._child) is None:
            return
        found = await asyncio.to_thread(part_processes, self.part, child.identity)
        await stop_child(child, patience=PATIENCE)
        if left := [one for one in dict.fromkeys(found) if alive(one)]:
            await asyncio.to_thread(end_processes, left)
