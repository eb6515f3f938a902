"""Become a program whose whole process group dies with it, and with the process that asked for it.

A stand-alone script of the standard library only: `group_guard.py PARENT COMMAND…`. An agent that
is itself a wrapper, such as a script that starts the real program, would leave that behind.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Sequence


def guarded(command: Sequence[str]) -> list[str]:
    """The command under a guard that watches over it and over this process."""
    return [sys.executable, "-IS", __file__, str(os.getpid()), *command]


def main(parent: int, command: list[str]) -> None:
    program = os.getpid()
    if os.fork() == 0:
        # Out of the group that it may have to kill, and holding none of the program's pipes open.
        os.setpgid(0, 0)
        os.closerange(0, 3)
        with contextlib.suppress(ProcessLookupError):
            await_end_of_one(parent, program)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program, signal.SIGKILL)
        os._exit(0)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


def await_end_of_one(*pids: int) -> None:
    if sys.platform == "linux":
        select.select([os.pidfd_open(pid) for pid in pids], [], [])
    elif sys.platform == "darwin":
        ends = [
            select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            for pid in pids
        ]
        select.kqueue().control(ends, 1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
