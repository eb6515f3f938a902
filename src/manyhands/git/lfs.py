"""Large files that live elsewhere: what happens to them where git-lfs is not installed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from manyhands.config import child_environment
from manyhands.git.runner import Git

WITHOUT: Mapping[str, str] = {
    "filter.lfs.smudge": "",
    "filter.lfs.clean": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
}
"""A user's config may demand git-lfs; without it the pointer files are checked out as they are."""


def is_installed() -> bool:
    return shutil.which("git-lfs", path=child_environment().get("PATH")) is not None


def checkout_settings() -> Mapping[str, str]:
    return {} if is_installed() else WITHOUT


def missing_files_note(worktree: Path) -> str:
    """A sentence for the log where files are only pointers, else nothing."""
    if is_installed() or not _is_used(worktree):
        return ""
    listing = ("ls-files", "-z", "--", ":(attr:filter=lfs)")
    found = Git(worktree).having(GIT_LITERAL_PATHSPECS="0").run(*listing, check=False).records
    if not found:
        return ""
    files = "1 file is a pointer" if len(found) == 1 else f"{len(found)} files are pointers"
    return (
        f"{files} to contents in Git LFS, because git-lfs is not installed: install it, then run "
        "`git lfs install` and `git lfs pull` in the worktree"
    )


def _is_used(worktree: Path) -> bool:
    # Worktrees are made of trusted repositories only, so its own settings may count.
    git = Git(worktree, hardened=False).having(GIT_LITERAL_PATHSPECS="0")
    return git.ok("grep", "--quiet", "-F", "-e", "filter=lfs", "--", ":(glob)**/.gitattributes")
