"""How many files a process may have open: each session, reader and running git needs some."""

from __future__ import annotations

import sys
from contextlib import suppress

ENOUGH = 65_536


def raise_open_files() -> None:
    """As far as the machine allows; what a shell starts with is 256 on some."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # some kernels take less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def open_files() -> tuple[int, int] | None:
    """How many this process has, and may have; None where no such thing is known."""
    if sys.platform == "win32":
        return None
    import resource

    import psutil

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        return psutil.Process().num_fds(), soft
    except OSError:  # to count them takes one
        return soft, soft
