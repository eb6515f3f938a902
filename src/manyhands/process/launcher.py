"""Become another program that dies with the process that asked for it.

A stand-alone script of the standard library only: `launcher.py PARENT [--terminal] COMMAND…`;
with the flag, standard input becomes the controlling terminal. On Linux the
kernel kills the program when its parent dies; elsewhere this script stays and watches both.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import sys
import termios

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    if command[0] == "--terminal":
        command = command[1:]
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # The parent may have died before the kernel was asked.
        if os.getppid() != parent:
            sys.exit(f"the parent {parent} is gone")
        become(command)
    else:
        watch(parent, command)


def become(command: list[str]) -> None:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


def watch(parent: int, command: list[str]) -> None:
    """Run the command as a child, end with its exit code, and kill it when `parent` dies."""
    import select
    import threading

    child = os.fork()
    if child == 0:
        become(command)
    # The group is signalled as a whole; the watcher must outlive its child.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def guard() -> None:
        if sys.platform == "darwin":
            gone = select.kevent(
                parent, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT
            )
            if os.getppid() == parent:
                select.kqueue().control([gone], 1)
        os.kill(child, signal.SIGKILL)

    threading.Thread(target=guard, daemon=True).start()
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
