"""Bringing a base into a session's own worktree, by the user's git: merged, or rebased onto it.

Conflicts are left there as git leaves them, for whoever settles them. Each call is harmless to
repeat: what an earlier one began is found by git's own files.
"""

from __future__ import annotations

from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import landing, refs
from manyhands.git.diff import shown
from manyhands.git.runner import Git
from manyhands.git.survey import operation
from manyhands.model.ids import Oid
from manyhands.model.radar_events import UpdateMethod

MOST_COMMITS = 5


def has_base(worktree: Path, onto: Oid) -> bool:
    """Whether it is in, and nothing of it is unfinished."""
    head = refs.resolve(worktree, "HEAD")
    under_way = operation(refs.require_worktree(worktree).git_dir)
    return head is not None and not under_way and landing.is_part_of(worktree, onto, head)


def bring_in(worktree: Path, onto: Oid, method: UpdateMethod) -> tuple[str, ...]:
    """Merge or rebase; the paths in conflict, if there are any."""
    if has_base(worktree, onto):
        return ()
    git_dir = refs.require_worktree(worktree).git_dir
    git = Git(worktree, hardened=False)
    if not operation(git_dir):
        argv = ("merge", "--no-edit", "--no-stat") if method == "merge" else ("rebase", "--quiet")
        done = git.run(*argv, onto, check=False)
        if done.returncode and not operation(git_dir):
            said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())
            raise NotPossible(f"git could not {method} it: {said}")
    unmerged = git.run("diff", "--name-only", "--diff-filter=U", "-z").records
    return tuple(dict.fromkeys(shown(path) for path in unmerged))


def take_back(worktree: Path) -> None:
    """End what git is in the middle of, as it was before; files are somebody else's business."""
    under_way = operation(refs.require_worktree(worktree).git_dir)
    if under_way in ("merge", "rebase"):
        try:
            Git(worktree, hardened=False).run(under_way, "--abort")
        except GitFailed:
            # The files are about to be restored whole; only HEAD must be where it was.
            Git(worktree, hardened=False).run(under_way, "--quit")


def sides_of(worktree: Path, path: str, mine: Oid, onto: Oid) -> tuple[list[str], list[str]]:
    """The commits that changed the path on the session's side, and on the base's."""
    fork = refs.merge_base(worktree, mine, onto)
    if fork is None:
        return [], []
    ours, theirs = (_subjects(worktree, fork, tip, path) for tip in (mine, onto))
    return ours, theirs


def _subjects(worktree: Path, fork: Oid, tip: Oid, path: str) -> list[str]:
    argv = (
        "log",
        f"-{MOST_COMMITS}",
        "--no-merges",
        "--format=%h %s",
        f"{fork}..{tip}",
        "--",
        path,
    )
    return Git(worktree).run(*argv).stdout.decode("utf-8", "replace").splitlines()
