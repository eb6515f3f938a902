"""Ignored files that a snapshot is asked to hold, such as a `.env` that was copied along."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from manyhands.git.contents import holds
from manyhands.git.ignored import ignored_paths


def load_listed(worktree: Path, listed: Iterable[str]) -> dict[str, int]:
    """Those that are there, plain files, and ignored still; with their permission bits."""
    there = {path: mode for path in listed if (mode := _mode(worktree, path)) is not None}
    hidden = ignored_paths(worktree, map(os.fsencode, there))
    return {path: mode for path, mode in there.items() if os.fsencode(path) in hidden}


def _mode(worktree: Path, path: str) -> int | None:
    if not holds(worktree, os.fsencode(path)):
        return None
    mode = (worktree / path).lstat().st_mode
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None
