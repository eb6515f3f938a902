"""The doctor's look at the machine: processes and ports that were left, and the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from manyhands.config import Home
from manyhands.errors import NotPossible
from manyhands.hub.finding import FIX, Finding, Oddity, odd
from manyhands.model.clock import monotonic
from manyhands.model.session import Session
from manyhands.process.identity import Identity
from manyhands.process.marks import marked_processes
from manyhands.process.stop import end_processes
from manyhands.workspace.ports import is_free

DISK_SECONDS = 2.0


def look_for_processes(home: Home, living: Iterable[Session]) -> Iterator[Finding | Oddity]:
    """Started for a session of this home that is archived, removed or unknown."""
    ids = {s.id for s in living}
    for found in marked_processes(home.worktrees):
        if found.session not in ids:
            detail = f"{found.name} (pid {found.identity.pid}) is left of session {found.session}"
            yield Oddity(odd("process", detail, f"{FIX} ends it"), partial(_end, found.identity))


def _end(identity: Identity) -> None:
    if end_processes([identity]):
        raise NotPossible(f"process {identity.pid} does not end")


def look_at_ports(living: Iterable[Session]) -> Iterator[Finding]:
    for s in living:
        heard = {listening.port for listening in s.listening}
        for name, port in s.ports.items():
            if port not in heard and not s.in_turn and not is_free(port):
                detail = f"port {port} ({name}) of {s.slug} is in use by something else"
                fix = "end what listens there, or archive and restore the session for other ports"
                yield odd("port", detail, fix)


def look_at_disk(home: Home) -> Finding:
    places = {"worktrees": home.worktrees, "trash": home.trash, "sessions": home.sessions}
    sizes = [f"{name} {_size(place)}" for name, place in places.items()]
    return Finding("disk", True, ", ".join(sizes))


def _size(place: Path) -> str:
    """In megabytes; for a big tree at least so many, as far as a short look goes."""
    deadline, total = monotonic() + DISK_SECONDS, 0
    for folder, _, names in os.walk(place):
        total += sum(_bytes(f"{folder}/{name}") for name in names)
        if monotonic() > deadline:
            return f"more than {total >> 20} MB"
    return f"{total >> 20} MB"


def _bytes(path: str) -> int:
    try:
        return os.lstat(path).st_blocks * 512
    except OSError:
        return 0
