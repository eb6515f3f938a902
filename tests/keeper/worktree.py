"""A real repository with a linked worktree, as a keeper gets one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from manyhands.model.ids import Oid


def git(cwd: Path, *argv: str) -> str:
    done = subprocess.run(
        ["git", *argv], cwd=cwd, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


def make_worktree(place: Path, files: dict[str, str] | None = None) -> tuple[Path, Oid]:
    """A worktree on a branch of its own, and the commit that it starts from."""
    repo = place / "repo"
    repo.mkdir(parents=True)
    git(repo, "init", "-q")
    contents = {"a.txt": "one\ntwo\n", "src/b.py": "print(1)\n", ".gitignore": "ignored/\n*.log\n"}
    for name, text in {**contents, **(files or {})}.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text, "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "start")
    worktree = place / "worktree"
    git(repo, "worktree", "add", "-q", "--no-track", "-b", "work", str(worktree))
    return worktree, Oid(git(worktree, "rev-parse", "HEAD"))
