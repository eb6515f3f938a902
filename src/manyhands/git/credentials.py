"""Where a repository's git would take credentials from, and how it would reach a host."""

from __future__ import annotations

import re
from pathlib import Path

import pygit2

from manyhands.errors import NotPossible
from manyhands.git.pathdiff import open_repository

_HELPER = re.compile(r"credential\.(.+\.)?helper")


def helper_keys(worktree: Path) -> tuple[str, ...]:
    """The settings that name a helper, of the repository, the user and the system."""
    try:
        names = {entry.name for entry in open_repository(worktree).config}
    except (NotPossible, pygit2.GitError):
        return ()
    return tuple(sorted(name for name in names if _HELPER.fullmatch(name)))


def ssh_command(worktree: Path) -> str:
    """What git runs to reach a host by ssh, unless a variable says otherwise."""
    try:
        return open_repository(worktree).config["core.sshcommand"] or "ssh"
    except (NotPossible, pygit2.GitError, KeyError):
        return "ssh"
