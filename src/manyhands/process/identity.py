"""Who a process is: its pid together with its start, because pids are used again."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LINUX = sys.platform == "linux"
PROC = Path("/proc")
SETUP_MARK = "MANYHANDS_SETUP"
SHELLS = ("sh", "dash", "bash", "ash", "busybox")


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
    fields = _load_fields(pid)
    return Identity(pid, int(fields[STARTED])) if fields else None


STATE, PARENT, STARTED = 0, 1, 19


def _load_fields(pid: int) -> list[bytes]:
    """What the kernel tells of a living process after its name, which may itself hold anything."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
    return [] if not fields or fields[STATE] in (b"Z", b"X") else fields


def alive(identity: Identity) -> bool:
    return identify(identity.pid) == identity


FIRST_INSIDE = "2"
"""The pid that a box's program has for itself: 1 is whoever buries the others."""


def program_inside(holder: int) -> Identity | None:
    """The program that a box was made for, by the process that holds the box."""
    for init in _children(holder):
        for pid in _children(init):
            if _own_pid(pid) == FIRST_INSIDE:
                return identify(pid)
    return None


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in (PROC / f"{pid}/task/{pid}/children").read_bytes().split()]
    except OSError:
        return []


def _own_pid(pid: int) -> str:
    """What a process calls itself, in its own namespace."""
    with suppress(OSError, IndexError):
        for line in (PROC / f"{pid}/status").read_text("utf-8", "replace").splitlines():
            if line.startswith("NSpid:"):
                return line.split()[-1]
    return ""


def is_shell(pid: int) -> bool:
    import psutil

    with suppress(psutil.Error):
        return psutil.Process(pid).name() in SHELLS
    return False


def nudge(identity: Identity) -> None:
    """Send a hang-up to a process that is known to take it as a word and not as its end."""
    with suppress(ProcessLookupError, PermissionError):
        if alive(identity):
            os.kill(identity.pid, signal.SIGHUP)


def descendants(identity: Identity) -> list[Identity]:
    """Children, their children, and so on, as long as the chain of parents is unbroken."""
    if not alive(identity):
        return []
    return _below(identity.pid) if LINUX else _below_by_psutil(identity.pid)


def _below(top: int) -> list[Identity]:
    """One look at every process: what each is, and whose child."""
    children: dict[int, list[Identity]] = {}
    for entry in os.scandir(PROC):
        if entry.name.isdigit() and (fields := _load_fields(int(entry.name))):
            one = Identity(int(entry.name), int(fields[STARTED]))
            children.setdefault(int(fields[PARENT]), []).append(one)
    found: list[Identity] = []
    pending = [top]
    while pending:
        own = children.pop(pending.pop(), [])
        found += own
        pending += [one.pid for one in own]
    return found


def _below_by_psutil(top: int) -> list[Identity]:
    import psutil

    try:
        below = psutil.Process(top).children(recursive=True)
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
    known = {pid for pid, variables in environments(below) if mark in variables}
    return [found for pid, found in below.items() if pid not in known]


def _ancestors() -> list[int]:
    """As far up as they live: one that ends meanwhile has handed us on."""
    import psutil

    found: list[int] = []
    with suppress(psutil.Error):
        above = psutil.Process().parent()
        while above is not None:
            found.append(above.pid)
            above = above.parent()
    return found


def environments(pids: Iterable[int] | None = None) -> Iterator[tuple[int, set[str]]]:
    """Each process, or each of these, whose environment we may read, as NAME=value."""
    import psutil

    for pid in psutil.pids() if pids is None else pids:
        try:
            yield pid, variables_of(pid)
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's


def variables_of(pid: int) -> set[str]:
    """What a process was started with, as NAME=value; raises where it may not be read."""
    if LINUX:
        return set(os.fsdecode((PROC / f"{pid}/environ").read_bytes()).split("\0"))
    import psutil

    return {f"{k}={v}" for k, v in psutil.Process(pid).environ().items()}


@dataclass(frozen=True)
class Marked:
    session: str
    identity: Identity
    name: str


def processes_below(worktrees: Path) -> list[Marked]:
    """Those whose session works below `worktrees`; never ourselves."""
    import psutil

    found = []
    for pid, variables in environments():
        said = dict(v.split("=", 1) for v in variables if v.startswith("MANYHANDS_") and "=" in v)
        session, worktree = said.get("MANYHANDS_SESSION"), said.get("MANYHANDS_WORKTREE", "")
        if not session or pid == os.getpid() or not Path(worktree).is_relative_to(worktrees):
            continue
        identity = identify(pid)
        if identity is not None:
            with suppress(psutil.Error):  # it may end meanwhile
                found.append(Marked(session, identity, psutil.Process(pid).name()))
    return found
