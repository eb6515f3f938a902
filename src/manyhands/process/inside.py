"""Who still works in a directory: processes whose current directory lies in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Occupant:
    pid: int
    name: str


def processes_inside(directory: Path) -> list[Occupant]:
    """Processes of this user with their working directory inside; never ourselves."""
    import psutil

    top = directory.resolve()
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            inside = Path(process.cwd()).is_relative_to(top)
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's
        if inside and process.pid != os.getpid():
            found.append(Occupant(process.pid, str(process.info["name"])))
    return found
