"""Which files of a checkout were changed and when, by git's status and their times."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.diff import shown
from manyhands.git.runner import Git


@dataclass(frozen=True)
class Touched:
    path: str
    at: float
    """In seconds of the wall clock."""


def load_touched(checkout: Path) -> list[Touched]:
    """Uncommitted and untracked paths, and when each was changed last."""
    argv = ("status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty")
    records = Git(checkout).run(*argv, "--untracked-files=normal").records
    paths = [record.split(b" ", _FIELDS[record[:1]])[-1] for record in records]
    return [Touched(shown(path), _changed(checkout, path)) for path in paths]


_FIELDS = {b"1": 8, b"u": 10, b"?": 1}


def _changed(checkout: Path, path: bytes) -> float:
    """A deleted file leaves its time on the folder that it was in."""
    file = checkout / os.fsdecode(path.rstrip(b"/"))
    for place in (file, *file.parents):
        try:
            return place.lstat().st_ctime
        except OSError:
            continue
    return 0.0
