"""Become another program that dies with the process that asked for it.

A stand-alone script of the standard library only: `launcher.py PARENT [FLAG] COMMAND…`. On Linux
the kernel kills the program when its parent dies, elsewhere a guard does that watches both. With
`TERMINAL` standard input becomes the controlling terminal. With `GROUP` there is a guard in any
case, and the whole process group goes with the program too: an agent that is itself a wrapper,
such as a script that starts the real program, would leave that behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import sys
import termios
from collections.abc import Callable, Sequence

TERMINAL, GROUP = "--terminal", "--group"
PR_SET_PDEATHSIG = 1
CUT = 1
"""The exit code of a child whose parent was gone before it could be tied to it."""


def launched(command: Sequence[str], *flags: str) -> list[str]:
    """The command by way of this script, tied to this process."""
    return [sys.executable, "-IS", __file__, str(os.getpid()), *flags, *command]


def tether(parent: int) -> Callable[[], None]:
    """What a child of `parent` does before it becomes another program: it dies with its parent.

    On Linux, by its kernel. No more than two system calls, all looked up beforehand: other
    threads may hold any lock at that moment.
    """
    prctl, killed = ctypes.CDLL(None).prctl, int(signal.SIGKILL)

    def tie() -> None:
        prctl(PR_SET_PDEATHSIG, killed)
        # The parent may have died before the kernel was asked.
        if os.getppid() != parent:
            os._exit(CUT)

    return tie


def main(parent: int, command: list[str]) -> None:
    flag = command.pop(0) if command[0] in (TERMINAL, GROUP) else ""
    if flag == TERMINAL:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if sys.platform == "linux":
        tether(parent)()
    program = os.getpid()
    if (flag == GROUP or sys.platform != "linux") and os.fork() == 0:
        guard(parent, program, whole_group=flag == GROUP)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


def guard(parent: int, program: int, *, whole_group: bool) -> None:
    """Wait until one of them has ended, then end what must not go on."""
    # Out of the group that it may have to kill, and holding none of the program's pipes open.
    os.setpgid(0, 0)
    os.closerange(0, 3)
    ended = parent
    with contextlib.suppress(ProcessLookupError):
        ended = await_end_of_one(parent, program)
    if whole_group or ended == parent:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program, signal.SIGKILL)
    os._exit(0)


def await_end_of_one(*pids: int) -> int:
    if sys.platform == "darwin":
        exits = [
            select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            for pid in pids
        ]
        return select.kqueue().control(exits, 1)[0].ident
    handles = {os.pidfd_open(pid): pid for pid in pids}
    ready, _, _ = select.select(handles, [], [])
    return handles[ready[0]]


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
