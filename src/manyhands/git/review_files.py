"""Contents of one file as a reviewer sees it: in a commit or tree, or in the worktree now."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pygit2

from manyhands.errors import NotFound
from manyhands.git.pathdiff import open_repository
from manyhands.git.tree_edit import Leaf, leaf_at
from manyhands.model.ids import Oid


def load_then(worktree: Path, tree: Oid, path: str) -> bytes:
    """The file in a commit or tree; a link is its text."""
    try:
        found = open_repository(worktree)[tree].peel(pygit2.Tree)[path]
    except KeyError as error:
        raise NotFound(f"{path} is not in {tree[:12]}") from error
    if not isinstance(found, pygit2.Blob):
        raise NotFound(f"{path} is not a file in {tree[:12]}")
    return found.data


def leaf_then(worktree: Path, tree: Oid, path: str) -> Leaf | None:
    """What a commit or tree has at the path."""
    repo = open_repository(worktree)
    return leaf_at(repo, Oid(str(repo[tree].peel(pygit2.Tree).id)), path)


def load_now(worktree: Path, path: str) -> bytes:
    """The file as it lies on the disk; a link is its text, and none is followed."""
    file = worktree / path
    try:
        info = file.lstat()
        if stat.S_ISLNK(info.st_mode):
            return os.fsencode(file.readlink())
        if not stat.S_ISREG(info.st_mode):
            raise NotFound(f"{path} is not a file")
        return file.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} is not there") from error


def lines_around(old: bytes, new: bytes, line: int) -> list[str]:
    """The lines of the new content that stand around a line which only the old one has."""
    drawn = pygit2.Patch.create_from(old, new)
    for hunk in drawn.hunks:
        if hunk.old_start <= line < hunk.old_start + hunk.old_lines:
            return [
                entry.content.rstrip("\r\n") for entry in hunk.lines if entry.origin in ("+", " ")
            ]
    return []
