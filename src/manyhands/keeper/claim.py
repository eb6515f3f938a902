"""A keeper's claim to its session: a lock that is held for its whole life, and its socket.

The lock alone says whether a keeper lives; the kernel lets go of it with the process. The
file tells who holds it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from manyhands.errors import NotPossible
from manyhands.git.locks import is_held
from manyhands.model import clock
from manyhands.model.wire import KeeperSpec
from manyhands.process.holder import holds
from manyhands.process.peer import peer_pid

PROBE_SECONDS = 1.0
"""For so long a held lock may be nothing but the hub, looking whether anyone holds it."""
LONGEST_SOCKET = 103


class Holder(msgspec.Struct):
    pid: int = 0
    epoch: int = 0


class SessionTaken(NotPossible):
    """Another keeper drives the session."""

    code = "session_taken"
    exit_code = 75

    def __init__(self, spec: KeeperSpec, holder: Holder) -> None:
        super().__init__(
            f"session {spec.session} has a keeper already (pid {holder.pid}, epoch {holder.epoch})"
        )
        self.pid = holder.pid
        self.epoch = holder.epoch


@contextlib.contextmanager
def claim_session(spec: KeeperSpec) -> Iterator[None]:
    """Hold the session's lock; raises `SessionTaken`."""
    path = Path(spec.lock)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    deadline = clock.monotonic() + PROBE_SECONDS
    while (held := _try(path)) is None:
        if clock.monotonic() > deadline:
            raise SessionTaken(spec, _holder(path))
        time.sleep(0.01)
    try:
        os.pwrite(held, msgspec.json.encode(Holder(os.getpid(), spec.epoch)).ljust(80), 0)
        yield
    finally:
        os.close(held)


def is_claimed(lock: Path) -> bool:
    """Whether a keeper of the session lives."""
    return is_held(lock)


def answering(link: socket.socket) -> int:
    """The process that listens where we have connected; 0 where the system does not tell."""
    return peer_pid(link)


def is_claimed_by(pid: int, lock: Path) -> bool:
    """Whether this process is the session's keeper, as the kernel has it."""
    return holds(pid, lock)


def keeper_pid(lock: Path) -> int:
    """Of the keeper that lives; 0 where none does."""
    return _holder(lock).pid if is_claimed(lock) else 0


def _try(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever held it before may have removed the file: then ours locks nothing.
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None


def _holder(path: Path) -> Holder:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Holder)
    except (OSError, msgspec.MsgspecError):
        return Holder()


def clear_socket(spec: KeeperSpec) -> str:
    """The path to listen on, free of what a dead keeper left; call it with the lock held."""
    path = Path(spec.socket)
    if len(os.fsencode(path)) > LONGEST_SOCKET:
        raise NotPossible(f"{path} is too long for a socket: {LONGEST_SOCKET} bytes at most")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return str(path)
