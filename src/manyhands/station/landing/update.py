"""Bringing a session's base into its worktree, and taking that back.

Conflicts are left there as git leaves them, for whoever settles them. Each call is harmless to
repeat: what an earlier one began is found by git's own files.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.diff.diff import shown
from manyhands.git.rescue.survey import operation
from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.model.landing.merges import Update
from manyhands.station.checkpoints import load_checkpoint, restore
from manyhands.station.landing.merge import uncommitted
from manyhands.station.threads import in_thread
from manyhands.station.twins import under_way
from manyhands.station.worktree import Worktree

MOST_COMMITS = 5


class UpdateStanding(msgspec.Struct, kw_only=True):
    """How a worktree stands to its base; each is told only if the one before is so."""

    is_there: bool = False
    has_base: bool = False
    changed: list[str] = []
    """What is not committed, where the base is still to come in."""


class UpdateClash(msgspec.Struct, frozen=True):
    """A path in conflict, and the commits that changed it on the session's side and the base's."""

    path: str
    ours: list[str]
    theirs: list[str]


@in_thread
def load_standing(at: Worktree, onto: Oid) -> UpdateStanding:
    found = UpdateStanding(is_there=at.root.is_dir())
    if found.is_there:
        found.has_base = _has_base(at, onto)
        found.changed = [] if found.has_base else uncommitted(at.root, untracked=False)
    return found


def _has_base(at: Worktree, onto: Oid) -> bool:
    """Whether it is in, and nothing of it is unfinished."""
    head = refs.resolve(at.root, "HEAD")
    return head is not None and not under_way(at) and refs.is_part_of(at.root, onto, head)


has_base = in_thread(_has_base)


@in_thread
def bring_in(
    at: Worktree, update: Update, checkpoint: Oid, env: Mapping[str, str]
) -> list[UpdateClash]:
    """Merge or rebase as the agent itself could, in its environment; `checkpoint` is the snapshot
    that was made before."""
    if _has_base(at, update.onto):
        return []
    git_dir = refs.require_worktree(at.root).git_dir
    git = Git(at.root, hardened=False).within(env)
    said = ""
    if not operation(git_dir):
        done = git.run(*_way(at, update), check=False)
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())
    left = Git(at.root).run("diff", "--name-only", "--diff-filter=U", "-z").records
    if said and not left:
        raise _stuck(git, update, said, is_begun=bool(operation(git_dir)))
    if not left:
        return []
    mine = Oid(load_checkpoint(at, checkpoint).manifest.head)
    return [_clash(at, path, mine, update.onto) for path in dict.fromkeys(map(shown, left))]


def _way(at: Worktree, update: Update) -> tuple[str, ...]:
    """Where the base has not what the session stood on, as after a squash, only its own commits are
    put on top: the others are in there already, in another shape."""
    if update.method == "merge":
        return ("merge", "--no-edit", "--no-stat", update.onto)
    if not update.before or refs.is_part_of(at.root, update.before, update.onto):
        return ("rebase", "-q", update.onto)
    return ("rebase", "-q", "--onto", update.onto, update.before)


def _stuck(git: Git, update: Update, said: str, *, is_begun: bool) -> NotPossible:
    """Git gave up with nothing in conflict, as when it cannot sign; it is not left half-way."""
    if is_begun:
        git.run(update.method, "--abort", check=False)
    signing = "sign" in said and ("gpg" in said or "ssh" in said or "Load key" in said)
    hint = (
        'it is made where the agent works, without your ssh agent: `pass = ["SSH_AUTH_SOCK"]` in '
        "[environment] of your config.toml lets it sign, or bring the base in by hand"
    )
    return NotPossible(f"git could not {update.method} it: {said}", hint=hint if signing else "")


def _clash(at: Worktree, path: str, mine: Oid, onto: Oid) -> UpdateClash:
    fork = refs.merge_base(at.root, mine, onto)
    if fork is None:
        return UpdateClash(path, [], [])
    log = ("log", f"-{MOST_COMMITS}", "--no-merges", "--format=%h %s")
    spans = (f"{fork}..{tip}" for tip in (mine, onto))
    ours, theirs = (Git(at.root).run(*log, span, "--", path).text.splitlines() for span in spans)
    return UpdateClash(path, ours, theirs)


@in_thread
def put_back(at: Worktree, checkpoint: Oid, env: Mapping[str, str]) -> None:
    """End what git is in the middle of; files, index and branch as in the snapshot."""
    doing = operation(refs.require_worktree(at.root).git_dir)
    if doing in ("merge", "rebase"):
        git = Git(at.root, hardened=False).within(env)
        try:
            git.run(doing, "--abort")
        except GitFailed:
            # The files are about to be restored whole; only HEAD must be where it was.
            git.run(doing, "--quit")
    restore(at, checkpoint)
