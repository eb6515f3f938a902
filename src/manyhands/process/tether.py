"""A child that dies with its parent, without a program in between; on Linux, by its kernel.

What is done between fork and exec is no more than two system calls, all looked up beforehand:
other threads may hold any lock at that moment.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
CUT = 1
"""The exit code of a child whose parent was gone before it could be tied to it."""


def tether(parent: int) -> Callable[[], None]:
    """What a child of `parent` does before it becomes another program."""
    prctl, killed = ctypes.CDLL(None).prctl, int(signal.SIGKILL)

    def tie() -> None:
        prctl(PR_SET_PDEATHSIG, killed)
        # The parent may have died before the kernel was asked.
        if os.getppid() != parent:
            os._exit(CUT)

    return tie
