"""Large files that live elsewhere: what happens to them where git-lfs is not installed."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from manyhands.config import child_environment
from manyhands.errors import GitFailed
from manyhands.git import refs
from manyhands.git.repository import load_tree_id
from manyhands.git.runner import Git

WITHOUT: Mapping[str, str] = {
    "filter.lfs.smudge": "",
    "filter.lfs.clean": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
}
"""A user's config may demand git-lfs; without it the pointer files are checked out as they are."""


POINTER = b"version https://git-lfs.github.com/spec/"


def is_installed() -> bool:
    return shutil.which("git-lfs", path=child_environment().get("PATH")) is not None


def checkout_settings() -> Mapping[str, str]:
    return {} if is_installed() else WITHOUT


def run_checkout(git: Git, *argv: str, timeout: float) -> None:
    """Where large files cannot be fetched, their pointers are checked out."""
    try:
        git.run(*argv, timeout=timeout)
    except GitFailed as error:
        if not is_installed() or "lfs" not in error.stderr:
            raise
        git.having(GIT_LFS_SKIP_SMUDGE="1").run(*argv, timeout=timeout)


def missing_files_note(worktree: Path) -> str:
    """A sentence for the log where files of a fresh checkout are only pointers, else nothing."""
    tree = load_tree_id(worktree, "HEAD")
    if not (_is_used_at(refs.common_dir(worktree), tree) if tree else is_used(worktree)):
        return ""
    listing = ("ls-files", "-z", "--", ":(attr:filter=lfs)")
    listed = Git(worktree).having(GIT_LITERAL_PATHSPECS="0").run(*listing, check=False).records
    found = [name for name in listed if _is_pointer(worktree / os.fsdecode(name))]
    if not found:
        return ""
    files = "1 file is a pointer" if len(found) == 1 else f"{len(found)} files are pointers"
    if is_installed():
        return (
            f"{files} to contents in Git LFS, which could not be fetched without your "
            "credentials: run `git lfs pull` in the worktree"
        )
    return (
        f"{files} to contents in Git LFS, because git-lfs is not installed: install it, then run "
        "`git lfs install` and `git lfs pull` in the worktree"
    )


def _is_pointer(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(POINTER)) == POINTER


_SAID_IN = ("--", ":(glob)**/.gitattributes")


def is_used(worktree: Path) -> bool:
    git = Git(worktree).having(GIT_LITERAL_PATHSPECS="0")
    return git.ok("grep", "--quiet", "-F", "-e", "filter=lfs", *_SAID_IN)


@functools.lru_cache(maxsize=100)
def _is_used_at(common: Path, tree: str) -> bool:
    """Sessions begin at the same few commits."""
    git = Git(common).having(GIT_LITERAL_PATHSPECS="0")
    return git.ok("grep", "--quiet", "-F", "-e", "filter=lfs", tree, *_SAID_IN)


def storage(worktree: Path) -> Mapping[str, str]:
    """Where the repository keeps them, for a git that runs apart from it."""
    return {"lfs.storage": str(refs.common_dir(worktree) / "lfs")}
