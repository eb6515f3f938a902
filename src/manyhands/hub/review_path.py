"""A file's path as a reviewer names it: inside the worktree, and in its plain form."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from manyhands.errors import BadInput
from manyhands.hub.diff import require_inside

LONGEST = 4000


def require_path(worktree: Path, path: str) -> str:
    """Git knows a file by one spelling only."""
    if len(path) > LONGEST or any(len(part.encode()) > 255 for part in path.split("/")):
        raise BadInput("no file has a name that long")
    if str(PurePosixPath(path)) != path:
        raise BadInput(f"{path!r} is not the plain path of a file")
    return require_inside(worktree, path)
