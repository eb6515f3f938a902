"""A worktree that lost its part of git, or git its part of it: joined again, with no file changed.

Agents and people remove worktrees, `.git` files and git's own records of them. What is left tells
what to do: a record gets its `.git` file back, files without a record get a new one, and where
nothing is left an empty worktree is made at the same place and branch, for a checkpoint to fill.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manyhands.errors import NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.locks import adding_lock
from manyhands.git.repository import load_git_dirs
from manyhands.git.runner import Git
from manyhands.model.ids import Oid, SessionId

Wholeness = Literal["whole", "missing", "replaced", "unlinked", "unknown"]


def wholeness(repo: Path, path: Path) -> Wholeness:
    """At a glance, by the files alone: `unlinked` lost its `.git` file, `unknown` is one that the
    repository has no record of, `replaced` is something else by now."""
    if path.is_symlink() or (os.path.lexists(path) and not path.is_dir()):
        return "replaced"
    if not path.is_dir():
        return "missing"
    link = path / ".git"
    if not os.path.lexists(link):
        return "unlinked"
    if link.is_symlink() or not link.is_file():
        return "replaced"
    try:
        own, common = load_git_dirs(path)
        knows = os.fsdecode((own / "gitdir").read_bytes().rstrip(b"\n"))
        is_ours = common.resolve() == refs.common_dir(repo)
    except OSError:
        return "unknown"
    if not is_ours:
        return "replaced"
    is_here = (own / knows).resolve() == path.resolve() / ".git"
    return "whole" if is_here and (own / "HEAD").exists() else "unknown"


@dataclass(frozen=True)
class Orphan:
    """What is known of a worktree that is to be joined again."""

    repo: Path
    path: Path
    branch: str
    head: Oid | None
    """Where the branch was, if it is gone too."""
    session: SessionId
    lock_dir: Path

    @property
    def aside(self) -> Path:
        """Where git makes a new record for files that are there."""
        return self.path.with_name(f"{self.path.name}-joining")


def revive(lost: Orphan) -> str:
    """Afterwards it is whole again; a sentence where HEAD could not go on its branch."""
    how = wholeness(lost.repo, lost.path)
    if how == "whole":
        return ""
    if how == "replaced":
        raise NotPossible(
            f"{lost.path} is something else by now: a link, a file, or a repository of its own",
            hint=f"move it, or its .git, out of the way: `mv {lost.path} {lost.path}.other`",
        )
    admin = worktrees.admin_dir(lost.repo, lost.path)
    if admin is not None and (admin / "HEAD").is_file():
        _link(lost.path, admin)
        return ""
    note = _add(lost, lost.path if how == "missing" else lost.aside)
    if how != "missing":
        _join(lost)
    # The record has no index yet; without one every file would count as deleted.
    Git(lost.path).run("read-tree", "HEAD")
    return note


def fill(path: Path) -> None:
    """Give a worktree that was made anew, and holds nothing yet, the files of its HEAD."""
    Git(path).run("reset", "--hard", "--quiet", "--no-recurse-submodules")


def _link(path: Path, admin: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    (path / ".git").write_bytes(b"gitdir: " + os.fsencode(admin) + b"\n")


def _add(lost: Orphan, path: Path) -> str:
    """By git itself, with nothing checked out."""
    lost.path.parent.mkdir(parents=True, exist_ok=True)
    _forget_unfinished(lost)
    named, note = _place_of_head(lost)
    options = ("--lock", "--reason", worktrees.lock_reason(lost.session))
    with adding_lock(refs.common_dir(lost.repo), lost.lock_dir):
        argv = ("worktree", "add", "--quiet", "--no-checkout", *options, *named)
        what = lost.branch if not named else (lost.head or "HEAD")
        Git(lost.repo).run(*argv, "--end-of-options", path, what)
    return note


def _place_of_head(lost: Orphan) -> tuple[tuple[str, ...], str]:
    """On its branch if that is free, which is made again where it is gone; else detached."""
    taken = [w for w in worktrees.list_worktrees(lost.repo) if w.branch == lost.branch]
    elsewhere = [w for w in taken if w.path != lost.path.parent.resolve() / lost.path.name]
    if elsewhere or not lost.branch:
        where = f"in use at {elsewhere[0].path}" if elsewhere else "not known"
        return ("--detach",), f"its branch is {where}, so HEAD is detached"
    if refs.branch_tip(lost.repo, lost.branch) is not None:
        return (), ""
    if lost.head is None:
        raise NotPossible(f"the branch {lost.branch} is gone, and where it was is not known")
    return ("--no-track", "-b", lost.branch), f"the branch {lost.branch} was made again"


def _forget_unfinished(lost: Orphan) -> None:
    """What a join that was killed left: a directory of ours with nothing but its link."""
    if lost.aside.is_dir() and {entry.name for entry in lost.aside.iterdir()} <= {".git"}:
        if worktrees.admin_dir(lost.repo, lost.aside) is not None:
            # Twice, because it is locked in the session's name.
            Git(lost.repo).run("worktree", "remove", "--force", "--force", lost.aside)
        else:
            (lost.aside / ".git").unlink(missing_ok=True)
            lost.aside.rmdir()


def _join(lost: Orphan) -> None:
    """Give the record that was made aside to the files that are there."""
    admin = worktrees.admin_dir(lost.repo, lost.aside)
    if admin is None:
        raise NotPossible(f"git made no record for {lost.aside}")
    (admin / "gitdir").write_bytes(os.fsencode(lost.path.resolve() / ".git") + b"\n")
    _link(lost.path, admin)
    (lost.aside / ".git").unlink()
    lost.aside.rmdir()
