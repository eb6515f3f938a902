"""Pointing a worktree's `.env` files at the session's branch of the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from manyhands.git.runner import Git
from manyhands.workspace.databases.dotenv import (
    env_files,
    load_text,
    set_text,
    variable_in,
    with_variable,
)


def point_at(
    worktree: Path, key: str, url: str, *, others: Collection[str], prefix: str
) -> list[str]:
    """Set `key` in the copied `.env` files; the paths of those that changed.

    The `.env` at the top always; another one where it names the source or a branch of ours, as
    a fork's does. A test's own database stays what it is, and so does what git follows.
    """
    changed = []
    for path in _untracked(worktree, env_files(worktree)):
        text = load_text(path)
        value = variable_in(text, key) if text is not None else None
        if text is None or value is None or value == url:
            continue
        if path == worktree / ".env" or value in others or prefix in value:
            set_text(path, with_variable(text, key, url))
            changed.append(str(path.relative_to(worktree)))
    return changed


def _untracked(worktree: Path, paths: Iterable[Path]) -> list[Path]:
    found = list(paths)
    if not found:
        return []
    listed = Git(worktree).run("ls-files", "-z", "--", *(p.relative_to(worktree) for p in found))
    tracked = {worktree / name.decode("utf-8", "surrogateescape") for name in listed.records}
    return [path for path in found if path not in tracked]
