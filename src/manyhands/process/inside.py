"""Who still works in a directory: processes whose current directory lies in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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
        while above.name().startswith("git"):
            parent = above.parent()
            if parent is None:
                break
            if parent.pid == os.getpid():
                return True
            above = parent
    except psutil.Error:
        pass  # it or one above it ended meanwhile
    return not process.is_running()
