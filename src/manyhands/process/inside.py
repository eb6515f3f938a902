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
    """Processes of this user with their working directory inside; never ourselves, nor what we
    started: that reads for a moment only, and whoever asks here holds the place."""
    import psutil

    top = directory.resolve()
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            inside = Path(process.cwd()).is_relative_to(top)
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's
        if inside and not _is_ours(process):
            found.append(Occupant(process.pid, str(process.info["name"])))
    return found


def _is_ours(process: psutil.Process) -> bool:
    import psutil

    try:
        return os.getpid() in (process.pid, *(above.pid for above in process.parents()))
    except psutil.NoSuchProcess:
        return True  # ended meanwhile: nobody is inside
