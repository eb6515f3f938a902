"""Workplaces that databases are made for."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.config import Home, Neon
from manyhands.workspace.databases.source import SourceContext

MakePlace = Callable[..., SourceContext]


@pytest.fixture
def make_place(tmp_path: Path) -> MakePlace:
    """Sessions with a repository and a worktree each, in one home."""
    home = Home(tmp_path / "home")
    home.make()
    repo = tmp_path / "repo"
    if not repo.exists():
        repo.mkdir()
        (repo / ".gitignore").write_text(".env*\n!.env.example\n*.db\n", encoding="utf-8")
        git(repo, "init", "-q")
        git(repo, "add", ".")
        git(repo, "commit", "-q", "-m", "Start")

    def make(session: str = "s1", neon: Neon | None = None) -> SourceContext:
        worktree = home.worktrees / session
        git(repo, "worktree", "add", "-q", "--detach", str(worktree))
        return SourceContext(home, session, repo, worktree, neon or Neon())

    return make


def git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=cwd, check=True, timeout=60)
