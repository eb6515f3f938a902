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
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from manyhands.process.identity import Identity, identify
from manyhands.process.inflow import LIMIT, Inflow, Tail
from manyhands.process.launcher import launched, tether
from manyhands.process.namespaces import entering

QUIET = 0.05
LONGEST_TAIL = 2.0


@dataclass(frozen=True)
class Handed:
    """Descriptors for a child: namespaces that it enters, and what stays open in it."""

    namespaces: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()

    def before(self, tie: Callable[[], None] | None = None) -> Callable[[], None] | None:
        """What the child does before it becomes another program."""
        if not self.namespaces:
            return tie
        enter = entering(self.namespaces)

        def both() -> None:
            enter()
            if tie is not None:
                tie()

        return both


class Child(asyncio.SubprocessProtocol):
    """A running child: lines in, lines out, and when it ended."""

    def __init__(self, limit: int, *, boxed: bool = False) -> None:
        self.boxed = boxed
        """Whether it is what holds a box, and the program itself runs inside."""
        self.output = Inflow(limit)
        self.errors = Tail()
        self.returncode: int | None = None
        self.identity = Identity(0, 0)
        self._exited = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._outlets = {1, 2}
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

    # What the event loop tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = made = cast("asyncio.SubprocessTransport", transport)
        self.identity = identify(made.get_pid()) or Identity(made.get_pid(), 0)
        if (pipe := made.get_pipe_transport(1)) is not None:
            self.output.attach(cast("asyncio.ReadTransport", pipe))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        (self.output if fd == 1 else self.errors).feed(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.resume_writing()
        if fd == 1:
            self.output.end()
        self._outlets.discard(fd)
        if not self._outlets and not self.alive:
            self.close()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def process_exited(self) -> None:
        self.returncode = self._transport.get_returncode() if self._transport else None
        self._exited.set()
        self.resume_writing()
        if self._outlets:
            self._close_once_quiet(LONGEST_TAIL)
        else:
            self.close()

    def _close_once_quiet(self, left: float, seen: int = -1) -> None:
        """What was written before the exit is still read; who writes after it is a stranger."""
        later = asyncio.get_running_loop().call_later
        if self.output.paused:
            # A reader that takes its time is not quiet: once it goes on, there may be more.
            later(QUIET, self._close_once_quiet, left)
        elif self.output.received != seen and left > 0:
            later(QUIET, self._close_once_quiet, left - QUIET, self.output.received)
        else:
            self.close()


async def spawn(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limit: int = LIMIT,
    tethered: bool = False,
    boxed: bool = False,
    handed: Handed = Handed(),
) -> Child:
    """Start a child with exactly `env`; a tethered one is killed when this process dies."""
    command = [os.fspath(part) for part in argv]
    child = Child(limit, boxed=boxed)
    start = partial(_start, child, cwd=cwd, env=env, handed=handed)
    if not tethered:
        return await start(command)
    if sys.platform == "linux":
        # A program that cannot be run is the launcher's to tell of, in words.
        with contextlib.suppress(OSError):
            return await start(command, tie=tether(os.getpid()))
    return await start(launched(command))


async def _start(
    child: Child,
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    handed: Handed,
    tie: Callable[[], None] | None = None,
) -> Child:
    await asyncio.get_running_loop().subprocess_exec(
        lambda: child,
        *command,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
        pass_fds=handed.kept,
        preexec_fn=handed.before(tie),
    )
    return child
