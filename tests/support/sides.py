"""A repository with worktrees that changed it in their own ways, and what git makes of merging."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from manyhands.git.radar.board import Board
from manyhands.git.radar.standing import BaseStanding
from manyhands.model.ids import Oid
from manyhands.model.radar.events import Clashes

QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def git(cwd: Path, *words: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *words], cwd=cwd, env={**os.environ, **QUIET}, capture_output=True, check=False
    )
    assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make_repository(place: Path, files: dict[str, str]) -> Path:
    repo = place / "repo"
    repo.mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main")
    for name, content in files.items():
        write(repo / name, content)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "base")
    return repo


def write(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)


def add_side(repo: Path, name: str, base: str = "main") -> Path:
    tree = repo.parent / name
    git(repo, "worktree", "add", "-q", "--no-track", "-b", name, str(tree), base)
    return tree


def open_board(repo: Path, sides: dict[str, Path]) -> Board:
    """As the radar finds them: each looked at whole."""
    board = Board(repo, repo.parent / "radar")
    for name, tree in sides.items():
        base = Oid(git(tree, "merge-base", "HEAD", "main"))
        head = Oid(git(tree, "rev-parse", "HEAD"))
        board.sides[name] = BaseStanding(base=base, head=head, worktree=tree)
        board.scan(name)
    return board


def conflicts(found: Clashes) -> list[str]:
    return [clash.path for clash in found if clash.kind == "conflict"]


def overlaps(found: Clashes) -> list[str]:
    return [clash.path for clash in found if clash.kind == "overlap"]


def commit_all(tree: Path) -> str:
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "--allow-empty", "-m", "all of it")
    return git(tree, "rev-parse", "HEAD")


def clone_of(repo: Path) -> Path:
    """A clone that has all of its objects and nothing checked out."""
    clone = repo.parent / "clone"
    git(repo.parent, "clone", "-q", "--shared", "--no-checkout", str(repo), str(clone))
    return clone


def really_merges(clone: Path, one: str, other: str) -> bool:
    """By git itself, in a checkout of its own."""
    tried = shutil.copytree(clone, clone.parent / "tried", symlinks=True)
    try:
        git(tried, "checkout", "-q", "--detach", one)
        merged = git(tried, "merge", "-q", "--no-edit", other, check=False)
        return not merged and not git(tried, "ls-files", "--unmerged") and _is_merged(tried, other)
    finally:
        shutil.rmtree(tried)


def _is_merged(clone: Path, other: str) -> bool:
    done = subprocess.run(
        ["git", "merge-base", "--is-ancestor", other, "HEAD"], cwd=clone, check=False
    )
    return done.returncode == 0


def numbered(count: int, changed: Sequence[int] = (), word: str = "changed") -> str:
    return "".join(f"{word if n in changed else 'line'} {n}\n" for n in range(1, count + 1))
