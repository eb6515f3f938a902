"""A child in a terminal of its own: its screen comes out, keys go in, and its exit is known.

The child leads a session whose controlling terminal is a fresh pseudo-terminal. It dies with this
process. What it writes is read no faster than it is taken, so the kernel holds a flood back.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import signal
import struct
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from manyhands.process.identity import alive, program_inside
from manyhands.process.inflow import LIMIT
from manyhands.process.launcher import TERMINAL, launched
from manyhands.process.spawn import Child, Handed

READ_BYTES = 64 * 1024
"""More than a kernel gives at once."""


class TerminalChild(Child):
    def __init__(self, limit: int, *, boxed: bool = False) -> None:
        super().__init__(limit, boxed=boxed)
        self._master = -1
        self._reading: asyncio.ReadTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    @property
    def unwritten(self) -> int:
        """Bytes that the program has not taken."""
        return self._writing.get_write_buffer_size() if self._writing else 0

    def read(self) -> bytes | None:
        """What is there, without waiting; b"" where nothing is, None at the end."""
        try:
            return os.read(self._master, READ_BYTES) or None
        except BlockingIOError:
            return b""
        except OSError:  # nobody has the other end any more
            return None

    def deafen(self) -> None:
        """At the end of what there is to read, which would be told of for ever."""
        asyncio.get_running_loop().remove_reader(self._master)

    def hang_up(self) -> None:
        """As when a terminal's window is closed: to what has the terminal and what leads it."""
        with contextlib.suppress(OSError):
            front = os.tcgetpgrp(self._master)
            if front not in (0, os.getpgid(0)):
                os.killpg(front, signal.SIGHUP)
        leader = (program_inside(self.pid) if self.boxed else None) or self.identity
        if alive(leader):
            with contextlib.suppress(OSError):
                os.kill(leader.pid, signal.SIGHUP)

    async def write(self, data: bytes) -> None:
        if self._writing is None or not self.alive or self._writing.is_closing():
            raise BrokenPipeError(f"process {self.pid} takes no more input")
        self._writing.write(data)

    def resize(self, rows: int, columns: int) -> None:
        """The kernel tells the program of it by SIGWINCH."""
        if self._master >= 0:
            set_size(self._master, rows, columns)

    @property
    def in_front(self) -> bool:
        """Whether the program itself has the terminal, and not a command that it runs."""
        program = program_inside(self.pid) if self.boxed else None
        try:
            return os.tcgetpgrp(self._master) == os.getpgid(program.pid if program else self.pid)
        except OSError:
            return True

    def close(self) -> None:
        for transport in (self._writing, self._reading):
            if transport is not None:
                transport.close()
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1
        super().close()


class _Screen(asyncio.Protocol):
    """What arrives at our end of the terminal."""

    def __init__(self, child: TerminalChild) -> None:
        self.child = child

    def data_received(self, data: bytes) -> None:
        self.child.output.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.child.output.end()


async def spawn_terminal(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    rows: int,
    columns: int,
    boxed: bool = False,
    handed: Handed = Handed(),
    readable: Callable[[], None] | None = None,
) -> TerminalChild:
    """Start a program in a terminal of this size, with exactly `env`. Where `readable` is given,
    it is called whenever there is something for `read`; else all goes to `output`."""
    loop = asyncio.get_running_loop()
    child = TerminalChild(LIMIT, boxed=boxed)
    master, slave = pty.openpty()
    child._master = master
    try:
        set_size(master, rows, columns)
        await loop.subprocess_exec(
            lambda: child,
            *launched(argv, TERMINAL),
            cwd=cwd,
            env=dict(env),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            pass_fds=handed.kept,
            preexec_fn=handed.before(),
        )
        await _attach(child, readable)
    except BaseException:
        child.close()
        raise
    finally:
        os.close(slave)
    return child


async def _attach(child: TerminalChild, readable: Callable[[], None] | None) -> None:
    """Each transport closes its own descriptor; `_master` is a third, for the size."""
    loop = asyncio.get_running_loop()
    if readable is not None:
        os.set_blocking(child._master, False)
        loop.add_reader(child._master, readable)
    else:
        child._reading, _ = await loop.connect_read_pipe(
            lambda: _Screen(child), os.fdopen(os.dup(child._master), "rb", 0)
        )
        child.output.attach(child._reading)
    child._writing, _ = await loop.connect_write_pipe(
        asyncio.BaseProtocol, os.fdopen(os.dup(child._master), "wb", 0)
    )


def set_size(descriptor: int, rows: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
