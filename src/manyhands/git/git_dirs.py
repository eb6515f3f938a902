"""The git directories of a checkout, read from disk: as git would tell, without a process."""

from __future__ import annotations

import os
from pathlib import Path


def load_git_dirs(checkout: Path) -> tuple[Path, Path]:
    """The checkout's own git directory and the one that all worktrees share; raises OSError."""
    own = checkout / ".git"
    if own.is_file():
        link = own.read_bytes().removeprefix(b"gitdir:").strip()
        own = checkout / os.fsdecode(link)
    try:
        shared = (own / "commondir").read_bytes().strip()
    except FileNotFoundError:
        return own, own
    return own, own / os.fsdecode(shared)
