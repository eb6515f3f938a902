"""What a session changed against its base, uncommitted and untracked work included."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path, PurePosixPath

from manyhands.errors import BadInput, NotPossible
from manyhands.git.diff import Diff, diff_trees, diff_worktree
from manyhands.git.snapshot import load_snapshot
from manyhands.hub.checkpoints import require_checkpoint
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model.session import Session


async def diff(
    hub: Hub, ref: str, *, patch: bool = True, path: str | None = None, turn: int | None = None
) -> Diff:
    """`path` limits it to one file of the worktree, `turn` to what changed in that turn."""
    s = require_session(hub.state, ref)
    if turn is not None:
        return await asyncio.to_thread(_of_turn, s, turn, patch)
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready:
        return Diff(files=[])
    worktree = Path(s.worktree)
    if not worktree.is_dir():
        raise NotPossible(
            f"the worktree {worktree} is missing", hint="`manyhands doctor` says what is left"
        )
    paths = [os.fsencode(require_inside(worktree, path))] if path is not None else None
    return await asyncio.to_thread(diff_worktree, worktree, s.base_commit, patch=patch, paths=paths)


def _of_turn(s: Session, turn: int, patch: bool) -> Diff:
    """From the checkpoint that the files were at before to the one at the turn's end."""
    repo, made = Path(s.repo), require_checkpoint(s, str(turn))
    new = load_snapshot(repo, made.commit).parts["display"]
    old = load_snapshot(repo, made.before).parts["display"] if made.before else s.base_commit
    return diff_trees(repo, old, new, patch=patch)


def require_inside(worktree: Path, path: str) -> str:
    """A relative path that stays in the worktree, links included, and out of git's own files."""
    inside = PurePosixPath(path)
    if (
        not inside.parts
        or "\0" in path
        or path.startswith(("/", ":"))
        or ".." in inside.parts
        or any(part.lower() == ".git" for part in inside.parts)
        or any((worktree / above).is_symlink() for above in inside.parents if above.parts)
    ):
        raise BadInput(f"{path!r} is not a file of the worktree")
    return path
