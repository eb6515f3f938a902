"""Bringing a session's base into its worktree by the user's git, and taking that back.

Conflicts are left there as git leaves them, for whoever settles them. Each call is harmless to
repeat: what an earlier one began is found by git's own files.
"""

from __future__ import annotations

import msgspec

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.diff.diff import shown
from manyhands.git.rescue.survey import operation
from manyhands.git.runner import Git
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.model.ids import Oid
from manyhands.model.landing.merges import Update
from manyhands.station.checkpoints import restore
from manyhands.station.landing.merge import uncommitted
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

MOST_COMMITS = 5


class UpdateStanding(msgspec.Struct, kw_only=True):
    """How a worktree stands to its base; each is told only if the one before is so."""

    is_there: bool = False
    base: Oid | None = None
    has_base: bool = False
    changed: list[str] = []
    """What is not committed, where the base is still to come in."""


class UpdateClash(msgspec.Struct, frozen=True):
    """A path in conflict, and the commits that changed it on the session's side and the base's."""

    path: str
    ours: list[str]
    theirs: list[str]


@in_thread
def load_standing(at: Worktree) -> UpdateStanding:
    found = UpdateStanding(is_there=at.root.is_dir())
    if found.is_there:
        found.base = refs.resolve(at.repository, at.base_name)
    if found.base is not None:
        found.has_base = _has_base(at, found.base)
        found.changed = [] if found.has_base else uncommitted(at.root, untracked=False)
    return found


def _has_base(at: Worktree, onto: Oid) -> bool:
    """Whether it is in, and nothing of it is unfinished."""
    head = refs.resolve(at.root, "HEAD")
    under_way = operation(refs.require_worktree(at.root).git_dir)
    return head is not None and not under_way and refs.is_part_of(at.root, onto, head)


has_base = in_thread(_has_base)


@in_thread
def bring_in(at: Worktree, update: Update, checkpoint: Oid) -> list[UpdateClash]:
    """Merge or rebase; `checkpoint` is the snapshot that was made before."""
    if _has_base(at, update.onto):
        return []
    git_dir = refs.require_worktree(at.root).git_dir
    git = Git(at.root, hardened=False)
    if not operation(git_dir):
        way = ("merge", "--no-edit", "--no-stat") if update.method == "merge" else ("rebase", "-q")
        done = git.run(*way, update.onto, check=False)
        if done.returncode and not operation(git_dir):
            said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())
            raise NotPossible(f"git could not {update.method} it: {said}")
    unmerged = git.run("diff", "--name-only", "--diff-filter=U", "-z").records
    if not unmerged:
        return []
    mine = Oid(load_snapshot(at.repository, checkpoint).manifest.head)
    return [_clash(at, path, mine, update.onto) for path in dict.fromkeys(map(shown, unmerged))]


def _clash(at: Worktree, path: str, mine: Oid, onto: Oid) -> UpdateClash:
    fork = refs.merge_base(at.root, mine, onto)
    if fork is None:
        return UpdateClash(path, [], [])
    log = ("log", f"-{MOST_COMMITS}", "--no-merges", "--format=%h %s")
    spans = (f"{fork}..{tip}" for tip in (mine, onto))
    ours, theirs = (Git(at.root).run(*log, span, "--", path).text.splitlines() for span in spans)
    return UpdateClash(path, ours, theirs)


@in_thread
def put_back(at: Worktree, checkpoint: Oid) -> None:
    """End what git is in the middle of; files, index and branch as in the snapshot."""
    under_way = operation(refs.require_worktree(at.root).git_dir)
    if under_way in ("merge", "rebase"):
        git = Git(at.root, hardened=False)
        try:
            git.run(under_way, "--abort")
        except GitFailed:
            # The files are about to be restored whole; only HEAD must be where it was.
            git.run(under_way, "--quit")
    restore(at, checkpoint)
