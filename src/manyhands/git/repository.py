"""A repository opened in this very process, for what is asked path by path; its directories."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import pygit2

from manyhands.errors import NotPossible
from manyhands.model import clock

# Objects that a partial clone has not fetched are git's business; so is where refs lie. Once, and
# before any thread opens anything: the list is one for the whole process, and libgit2 frees it
# under whoever reads it.
pygit2.settings.set_extensions(["partialclone", "refstorage", "relativeworktrees"])


def open_repository(worktree: Path) -> pygit2.Repository:
    try:
        return pygit2.Repository(str(worktree))
    except (pygit2.GitError, ValueError) as error:
        raise NotPossible(f"single paths of {worktree} cannot be compared: {error}") from error


def load_tree_id(worktree: Path, commit: str) -> str:
    """The tree of a commit; empty where there is none such."""
    try:
        return str(open_repository(worktree).revparse_single(commit).peel(pygit2.Tree).id)
    except (NotPossible, pygit2.GitError, KeyError, ValueError):
        return ""


def load_commit_id(checkout: Path, ref: str) -> str:
    """The commit that a ref names, by its whole name; raises where only git can tell."""
    try:
        repo = open_repository(checkout)
        if "extensions.refstorage" in repo.config:
            raise NotPossible(f"{checkout} keeps its refs in its own way")
        return str(repo.lookup_reference(ref).peel(pygit2.Commit).id)
    except KeyError:
        return ""
    except (pygit2.GitError, ValueError) as error:
        raise NotPossible(f"{ref} cannot be read: {error}") from error


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


def load_git_dirs(checkout: Path) -> tuple[Path, Path]:
    """The checkout's own git directory and the one that all worktrees share; raises OSError."""
    own = checkout / ".git"
    if own.is_file():
        link = own.read_bytes().removeprefix(b"gitdir:").strip()
        own = checkout / os.fsdecode(link)
    return linked_dirs(own)


def linked_dirs(own: Path) -> tuple[Path, Path]:
    """A git directory, and the one that it has the rest in."""
    try:
        shared = (own / "commondir").read_bytes().strip()
    except FileNotFoundError:
        return own, own
    return own, own / os.fsdecode(shared)


Mark = tuple[int, int, int, int]
TICK_SECONDS, COARSE_SECONDS = 0.1, 2.0
_SECOND = 10**9


def file_mark(path: Path) -> Mark:
    """By what a file is known to be the same."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0, 0, 0)
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def is_resting(marks: Iterable[Mark]) -> bool:
    """Asked before anything is read: whether a later change will show. Two changes within one tick
    of the file system's clock look like one."""
    newest = max(mark[3] for mark in marks)
    tick = COARSE_SECONDS if newest % _SECOND == 0 else TICK_SECONDS
    return clock.seconds_since(newest / _SECOND) > tick


def load_values(worktree: Path, *names: str) -> dict[str, str]:
    """Settings as they hold here, by whoever made them; one without a value is true."""
    config = open_repository(worktree).config
    found = {name: config[name] for name in names if name in config}
    return {name: "true" if value is None else value for name, value in found.items()}
