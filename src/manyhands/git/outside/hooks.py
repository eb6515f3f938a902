"""Hooks, run by themselves and as git would run them, in an environment that the caller chose.

Git that commits, signs or pushes for the user runs none: whatever holds credentials or keys runs no
code of the worktree.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.runner import Git, Result
from manyhands.model.surroundings import Surroundings

_OWN = ("system", "global")


def hooks_directory(worktree: Path) -> Path:
    """Where git looks for them, `core.hooksPath` included."""
    asked = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    return Path(Git(worktree, hardened=False, hooks=True).run(*asked).line)


def are_users_own(worktree: Path) -> bool:
    """Whether it is the user's own config that says where they are."""
    asked = ("config", "--show-scope", "--get", "core.hooksPath")
    said = Git(worktree, hardened=False, hooks=True).run(*asked, check=False).line
    return said.partition("\t")[0] in _OWN


def find_hook(worktree: Path, name: str) -> Path | None:
    """The hook, if it is one that git would run."""
    path = hooks_directory(worktree) / name
    return path if path.is_file() and os.access(path, os.X_OK) else None


@dataclass(frozen=True)
class Hooks:
    """A worktree's hooks in an environment; `variables` are git's words to them all."""

    worktree: Path
    within: Surroundings
    variables: Mapping[str, str | Path]
    inherit: tuple[int, ...] = ()

    def run(self, name: str, *args: str, stdin: bytes = b"", seconds: float) -> Result | None:
        """None where there is no such hook."""
        hook = find_hook(self.worktree, name)
        if hook is None:
            return None
        # In a box git finds another directory in this place, and by itself.
        linked = (self.worktree / ".git").is_file() and not self.within.prefix
        own = {"GIT_DIR": _git_dir(self.worktree)} if linked else {}
        git = Git(self.worktree, inherit=self.inherit).within(self.within.env)
        git = git.boxed(self.within.prefix)
        git = git.having(None, GIT_EDITOR=":", GIT_PREFIX="", **own, **self.variables)
        return git.run_hook(hook, *args, stdin=stdin, timeout=max(0.1, seconds))


def _git_dir(worktree: Path) -> str:
    return Git(worktree).run("rev-parse", "--absolute-git-dir").line
