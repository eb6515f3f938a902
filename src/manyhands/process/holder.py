"""Which process holds a lock: as the kernel tells it, or else as the holder wrote into it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from manyhands.process.identity import PROC, Identity, alive, identify


class _Written(msgspec.Struct):
    pid: int = 0
    started: int = 0


def write_holder(descriptor: int) -> None:
    """Say in a lock's own file who holds it, for those whom the kernel does not tell."""
    own = identify(os.getpid())
    said = _Written(os.getpid(), own.started if own else 0)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, msgspec.json.encode(said), 0)


def load_holder(path: Path) -> Identity | None:
    """Who says of itself to hold the lock, if it lives."""
    said = _written(path)
    found = Identity(said.pid, said.started)
    return found if said.pid and alive(found) else None


def holds(pid: int, path: Path) -> bool:
    """Whether this process, which lives, has the lock for itself now."""
    told = _told_by_kernel(path)
    return pid in told if told is not None else _written(path).pid == pid


def _written(path: Path) -> _Written:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Written)
    except (OSError, msgspec.MsgspecError):
        return _Written()


def _told_by_kernel(path: Path) -> set[int] | None:
    """None where the kernel keeps no list, or none that names this file."""
    with suppress(OSError, ValueError, IndexError):
        file = path.stat()
        device = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}"
        found: dict[bool, set[int]] = {True: set(), False: set()}
        for line in (PROC / "locks").read_text("ascii").splitlines():
            words = line.split()
            if words[1] == "->" or words[1] != "FLOCK" or words[3] != "WRITE":
                continue
            place, _, inode = words[5].rpartition(":")
            if int(inode) == file.st_ino:
                found[place == device].add(int(words[4]))
        # Some file systems tell another device than they have: then the number has to do.
        return found[True] or found[False] or None
    return None
