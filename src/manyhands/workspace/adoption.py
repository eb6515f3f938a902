"""A worktree that was there before: what it is, and what a session of it would start from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import BadInput
from manyhands.git import refs
from manyhands.git.ref_table import load_ref_table
from manyhands.model.ids import Oid
from manyhands.workspace.starting_point import merge_base, require_commit


@dataclass(frozen=True)
class Found:
    path: Path
    repo: Path
    branch: str
    """Empty when detached."""
    base: str
    base_commit: Oid


def find_worktree_to_adopt(path: Path) -> Found:
    """The linked worktree at or around `path`; nothing is changed by looking."""
    found = refs.find_repository(path)
    if found is None or found.bare:
        raise BadInput(f"{path} is not inside a git worktree", hint="name one that git knows")
    if found.git_dir.resolve() == found.common_dir:
        raise BadInput(
            f"{found.toplevel} is the main checkout, not a worktree of it",
            hint="`manyhands new --in-place` works there",
        )
    head = refs.resolve(found.toplevel, "HEAD")
    if head is None:
        raise BadInput(f"{found.toplevel} has no commits yet", hint="make a first commit there")
    repo = found.common_dir.parent if found.common_dir.name == ".git" else found.common_dir
    table = load_ref_table(repo)
    base = table.default_base
    fork = merge_base(repo, require_commit(repo, table, base), head)
    branch = refs.current_branch(found.toplevel) or ""
    return Found(found.toplevel, repo, branch, base, fork)
