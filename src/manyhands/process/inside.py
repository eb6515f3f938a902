"""Who still works in a directory: processes whose current directory lies in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.process.identity import identify

if TYPE_CHECKING:
    import psutil


@dataclass(frozen=True)
class Occupant:
    pid: int
    name: str


def processes_inside(directory: Path) -> list[Occupant]:
    """Processes of this user with their working directory inside; never ourselves, nor a git that
    we run: it reads for a moment only, and whoever asks here holds the place."""
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
    """Whether there is nothing but git between it and us. An agent's process is below us too."""
    import psutil

    try:
        above = process
        while _is_git(above):
            parent = above.parent()
            if parent is None:
                return False
            if parent.pid == os.getpid():
                return True
            above = parent
        return False
    except psutil.Error:
        return identify(process.pid) is None  # it ended meanwhile, or only one above it


def _is_git(process: psutil.Process) -> bool:
    """A child of ours is a copy of us, already in its place, for the moment before it is git."""
    import psutil

    if process.name().startswith("git"):
        return True
    return process.cmdline() in ([], psutil.Process().cmdline())
