"""Entering namespaces that others made: what a child does before it becomes another program.

Where nothing can be done before, it is a stand-alone script of the standard library only:
`namespaces.py PATH… -- COMMAND…`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence

REFUSED = 1
"""The exit code of a child that could not enter."""
NOT_ENTERED = "the network of the box could not be entered"


def entering(descriptors: Sequence[int]) -> Callable[[], None]:
    """Enters them one after the other; a child that cannot never runs its program.

    The one of the users comes first, since only there are we allowed to enter the others. Looked up
    beforehand: other threads may hold any lock at that moment.
    """
    setns, given, sentence = (
        ctypes.CDLL(None).setns,
        tuple(descriptors),
        f"{NOT_ENTERED}\n".encode(),
    )

    def enter() -> None:
        for descriptor in given:
            if setns(descriptor, 0) != 0:
                os.write(2, sentence)
                os._exit(REFUSED)

    return enter


def entered(descriptors: Sequence[int]) -> list[str]:
    """Words before a command that enter what this process has open, for as long as it has."""
    paths = [f"/proc/{os.getpid()}/fd/{descriptor}" for descriptor in descriptors]
    return [sys.executable, "-IS", __file__, *paths, "--"]


def main(words: list[str]) -> None:
    at = words.index("--")
    paths, command = words[:at], words[at + 1 :]
    try:
        # All of them before the first is entered: from inside they may be out of reach.
        spaces = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in paths]
    except OSError as error:
        sys.exit(f"{NOT_ENTERED}: {error.strerror}")
    entering(spaces)()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
