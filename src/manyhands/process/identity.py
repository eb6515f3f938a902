"""Who a process is: its pid together with its start, because pids are used again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LINUX = sys.platform == "linux"
PROC = Path("/proc")
SETUP_MARK = "MANYHANDS_SETUP"


@dataclass(frozen=True)
class Identity:
    """`started` is in the system's own unit: clock ticks on Linux, microseconds elsewhere."""

    pid: int
    started: int


def identify(pid: int) -> Identity | None:
    """The process that has this pid now; None if there is none, or only its corpse."""
    if LINUX:
        return _identify_by_proc(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return Identity(pid, int(process.create_time() * 1_000_000))
    except psutil.Error:
        return None


def _identify_by_proc(pid: int) -> Identity | None:
    fields = _stat(pid)
    if fields is None or fields[0] in (b"Z", b"X"):
        return None
    return Identity(pid, int(fields[19]))


def _stat(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat after the name, which may itself hold spaces and brackets."""
    try:
        return (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None


def alive(identity: Identity) -> bool:
    return identify(identity.pid) == identity


def descendants(identity: Identity) -> list[Identity]:
    """Children, their children, and so on, as long as the chain of parents is unbroken."""
    import psutil

    if not alive(identity):
        return []
    try:
        below = psutil.Process(identity.pid).children(recursive=True)
    except psutil.Error:
        return []
    return [found for process in below if (found := identify(process.pid))]


def session_processes(session: str) -> list[Identity]:
    """Every process that a session's agents started, known by MANYHANDS_SESSION in its environment.

    It finds what has left its group, its session and its parent; never ourselves, and no setup,
    which is the hub's.
    """
    return marked_processes(f"MANYHANDS_SESSION={session}", without=f"{SETUP_MARK}={session}")


def marked_processes(mark: str, *, without: str = "") -> list[Identity]:
    """Every process with this NAME=value in its environment, but ourselves and who started us."""
    own = {os.getpid(), *_ancestors()}
    return [
        found
        for pid, variables in environments()
        if mark in variables
        and not (without and without in variables)
        and pid not in own
        and (found := identify(pid))
    ]


def unmarked_descendants(mark: str) -> list[Identity]:
    """What runs below this process without this NAME=value in its environment."""
    own = identify(os.getpid())
    below = {found.pid: found for found in descendants(own)} if own else {}
    known = {pid for pid, variables in environments() if pid in below and mark in variables}
    return [found for pid, found in below.items() if pid not in known]


def _ancestors() -> list[int]:
    """As far up as they live: one that ends meanwhile has handed us on."""
    import psutil

    found: list[int] = []
    try:
        above = psutil.Process().parent()
        while above is not None:
            found.append(above.pid)
            above = above.parent()
    except psutil.Error:
        pass
    return found


def environments() -> Iterator[tuple[int, set[str]]]:
    """Every process whose environment we may read, with its variables as NAME=value."""
    if LINUX:
        for entry in PROC.iterdir():
            if entry.name.isdigit():
                yield int(entry.name), set(_variables(entry))
        return
    import psutil

    for process in psutil.process_iter():
        try:
            yield process.pid, {f"{k}={v}" for k, v in process.environ().items()}
        except (psutil.Error, OSError):
            continue


def _variables(entry: Path) -> list[str]:
    try:
        return os.fsdecode((entry / "environ").read_bytes()).split("\0")
    except OSError:
        return []
