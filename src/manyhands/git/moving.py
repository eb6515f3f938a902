"""Moving a branch to a commit that descends from it: by compare-and-swap, or with its checkout.

A branch that somebody has checked out only moves together with index and files, by git's own
fast-forward, and only where nothing there is changed: it is never moved under anyone.
"""

from __future__ import annotations

import os
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import lfs, refs
from manyhands.git.runner import Git
from manyhands.git.survey import operation
from manyhands.git.worktrees import ADD_TIMEOUT, list_worktrees
from manyhands.model.ids import Oid


def find_checkout(repo: Path, branch: str) -> Path | None:
    """Where the branch is checked out."""
    there = (w.path for w in list_worktrees(repo) if w.branch == branch and not w.prunable)
    return next(there, None)


def uncommitted(worktree: Path, *, untracked: bool) -> list[str]:
    """What is changed there and not committed."""
    shown = "--untracked-files=normal" if untracked else "--untracked-files=no"
    argv = ("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty", shown)
    return [os.fsdecode(record[3:]) for record in Git(worktree).run(*argv).records]


def require_clean_checkout(checkout: Path, branch: str) -> None:
    """Raises where bringing the branch forward would meet somebody's unfinished work."""
    under_way = operation(refs.require_worktree(checkout).git_dir)
    changed = uncommitted(checkout, untracked=False)
    if not under_way and not changed:
        return
    what = f"a {under_way} in progress" if under_way else _counted(changed)
    raise NotPossible(
        f"{branch} is checked out in {checkout} with {what}, and is not moved under you",
        hint="commit or stash there first, switch that checkout to another branch, "
        "or merge `--into` another branch",
    )


def _counted(changed: list[str]) -> str:
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"uncommitted changes ({changed[0]}{more})"


def move_branch(repo: Path, branch: str, old: Oid, new: Oid, *, reason: str) -> Path | None:
    """Move it, if it still is at `old`; the checkout that was brought along, if there is one."""
    checkout = find_checkout(repo, branch)
    if refs.branch_tip(repo, branch) != old:
        raise NotPossible(f"{branch} moved meanwhile and was left alone", hint="merge again")
    if checkout is None:
        refs.set_ref(repo, f"refs/heads/{branch}", new, old, reason=reason)
        return None
    require_clean_checkout(checkout, branch)
    git = Git(checkout, hardened=False).having(lfs.checkout_settings())
    try:
        git.run("merge", "--quiet", "--ff-only", "--no-stat", new, timeout=ADD_TIMEOUT)
    except GitFailed as error:
        said = " ".join(error.stderr.split())
        raise NotPossible(
            f"{branch} could not be brought forward in {checkout}: {said}",
            hint="move what is in the way, then merge again",
        ) from error
    return checkout
