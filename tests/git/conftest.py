from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyhands.git import worktrees
from manyhands.model.ids import Oid
from tests.support.samples import SESSION, commit_all, git, write


@dataclass(frozen=True)
class Place:
    repo: Path
    worktree: Path
    base: Oid
    locks: Path


@pytest.fixture(scope="session")
def model_repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = tmp_path_factory.mktemp("model")
    git(repo, "init", "-q")
    write(repo, {"a.txt": "one\ntwo\nthree\n", "src/b.py": "x = 1\n", "old.txt": "old\n" * 20})
    write(repo, {".gitignore": "*.log\n.env\nbuild/\n"})
    commit_all(repo, "first")
    return repo


@pytest.fixture
def repo(tmp_path: Path, model_repo: Path) -> Path:
    """A small repository with one commit, in a path with a space and an accent."""
    return shutil.copytree(model_repo, tmp_path / "my répo", symlinks=True)


@pytest.fixture
def place(repo: Path, tmp_path: Path) -> Place:
    """A session's worktree of that repository."""
    base = Oid(git(repo, "rev-parse", "HEAD"))
    worktree = tmp_path / "trees" / "wörk tree"
    locks = tmp_path / "locks"
    worktrees.add_worktree(repo, worktree, "mh/one", base, session=SESSION, lock_dir=locks)
    return Place(repo, worktree, base, locks)
