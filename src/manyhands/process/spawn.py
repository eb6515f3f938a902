"""Children of ours: each leads its own session, and its exit is learnt from the exit itself.

A left-over grandchild may hold a dead child's pipes open for ever. So `Child.wait` answers at
the exit, and the output ends when the pipe closes or, after the exit, once it has gone quiet.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from manyhands.process import launcher
from manyhands.process.identity import Identity, identify
from manyhands.process.inflow import LIMIT, Inflow, Tail
from manyhands.process.tether import tether

QUIET = 0.05
LONGEST_TAIL = 2.0


class Child:
    """A running child: lines in, lines out, and when it ended."""

    def __init__(self, limit: int) -> None:
        self.output = Inflow(limit)
        self.errors = Tail()
        self.returncode: int | None = None
        self.identity = Identity(0, 0)
        self._exited = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def pid(self) -> int:
        return self.identity.pid

    @property
    def alive(self) -> bool:
        return not self._exited.is_set()

    async def wait(self) -> int:
        """The exit code, negative for a signal, as soon as the child itself is gone."""
        await self._exited.wait()
        return -1 if self.returncode is None else self.returncode

    async def write(self, data: bytes) -> None:
        """Hand over `data`; waits while the child does not read."""
        pipe = self._input()
        if pipe is None or not self.alive or pipe.is_closing():
            raise BrokenPipeError(f"process {self.pid} takes no more input")
        pipe.write(data)
        await self._writable.wait()

    def close_input(self) -> None:
        if (pipe := self._input()) is not None:
            pipe.close()

    def close(self) -> None:
        """Let go of the pipes; the child itself is not touched."""
        if self._transport is not None:
            for number in (0, 1, 2):
                if (pipe := self._transport.get_pipe_transport(number)) is not None:
                    pipe.close()
        self.output.end()
        # Closing the whole transport would kill a child that still runs.
        if self._transport is not None and not self.alive:
            self._transport.close()

    def _input(self) -> asyncio.WriteTransport | None:
        if self._transport is None:
            return None
        return cast("asyncio.WriteTransport | None", self._transport.get_pipe_transport(0))


class _Wiring(asyncio.SubprocessProtocol):
    def __init__(self, child: Child, *, pipes: bool = True) -> None:
        self.child = child
        self.open = {1, 2} if pipes else {1}
        self.pipes = pipes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        made = cast("asyncio.SubprocessTransport", transport)
        self.child._transport = made
        self.child.identity = identify(made.get_pid()) or Identity(made.get_pid(), 0)
        if self.pipes:
            self.child.output.attach(cast("asyncio.ReadTransport", made.get_pipe_transport(1)))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        (self.child.output if fd == 1 else self.child.errors).feed(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.resume_writing()
        if fd == 1:
            self.child.output.end()
        self.open.discard(fd)
        if not self.open and not self.child.alive:
            self.child.close()

    def pause_writing(self) -> None:
        self.child._writable.clear()

    def resume_writing(self) -> None:
        self.child._writable.set()

    def process_exited(self) -> None:
        transport = self.child._transport
        self.child.returncode = transport.get_returncode() if transport else None
        self.child._exited.set()
        self.resume_writing()
        if self.open:
            self._look_again(LONGEST_TAIL)
        else:
            self.child.close()

    def _look_again(self, left: float) -> None:
        later = asyncio.get_running_loop().call_later
        later(QUIET, self._end_when_quiet, self.child.output.received, left - QUIET)

    def _end_when_quiet(self, seen: int, left: float) -> None:
        """What was written before the exit is still read; who writes after it is a stranger."""
        output = self.child.output
        if output.paused or (output.received != seen and left > 0):
            self._look_again(left)
        else:
            self.child.close()


async def spawn(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limit: int = LIMIT,
    tethered: bool = False,
) -> Child:
    """Start a child with exactly `env`; a tethered one is killed when this process dies."""
    command = [os.fspath(part) for part in argv]
    if not tethered:
        return await _start(command, cwd, env, limit)
    if sys.platform == "linux":
        # A program that cannot be run is the launcher's to tell of, in words.
        with contextlib.suppress(OSError):
            return await _start(command, cwd, env, limit, tether(os.getpid()))
    own = [sys.executable, "-IS", launcher.__file__, str(os.getpid())]
    return await _start([*own, *command], cwd, env, limit)


async def _start(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    limit: int,
    before: Callable[[], None] | None = None,
) -> Child:
    child = Child(limit)
    await asyncio.get_running_loop().subprocess_exec(
        lambda: _Wiring(child),
        *command,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
        preexec_fn=before,
    )
    return child
