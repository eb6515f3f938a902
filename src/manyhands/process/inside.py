"""Who still works in a directory: processes whose current directory lies in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.config import KEEPER_MARK

if TYPE_CHECKING:
    import psutil


@dataclass(frozen=True)
class Occupant:
    pid: int
    name: str


def processes_inside(directory: Path) -> list[Occupant]:
    """Processes of this user with their working directory inside; never ourselves, nor a git that
    we or a keeper run: it reads for a moment only, and whoever asks here holds the place or ends
    the keeper first."""
    import psutil

    top = directory.resolve()
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            inside = Path(process.cwd()).is_relative_to(top)
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's
        if inside and process.pid != os.getpid() and not _is_our_git(process):
            found.append(Occupant(process.pid, str(process.info["name"])))
    return found


def _is_our_git(process: psutil.Process) -> bool:
    """Whether a keeper runs it for itself, which its mark tells, or there is nothing but git
    between it and us. An agent's process is below us too, and has no such mark."""
    import psutil

    try:
        return bool(process.environ().get(KEEPER_MARK)) or _is_by_git(process) or _ends(process)
    except psutil.Error:
        return _ends(process)


def _is_by_git(process: psutil.Process) -> bool:
    for above in (process, *process.parents()):
        if above.pid == os.getpid():
            return True
        if not _is_git(above):
            return False
    return False


def _is_git(process: psutil.Process) -> bool:
    """A child of ours is a copy of us, already in its place, for the moment before it is git."""
    import psutil

    if process.name().startswith("git"):
        return True
    return process.cmdline() in ([], psutil.Process().cmdline())


def _ends(process: psutil.Process) -> bool:
    """Whether its memory is gone, so that it tells nothing of itself any more."""
    import psutil

    try:
        return not process.cmdline()
    except psutil.NoSuchProcess:
        return True
