"""One private ref that keeps everything a worktree holds, whatever is deleted or collected.

The keep-commit's parents are the snapshot and every commit that HEAD, the reflogs or an
operation in progress name; its tree holds the blobs and trees among them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from manyhands.git import refs
from manyhands.git.collector import is_whole, made_whole
from manyhands.git.refs import Repository
from manyhands.git.rescue.survey import existing, operation, reflog_oids
from manyhands.git.runner import Git
from manyhands.git.snapshot.manifest import Manifest
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.git.tree_edit import make_commit, make_tree
from manyhands.model.ids import Oid, SessionId

_PARENTS = 100
"""At most so many parents for one commit; more are chained."""

# A todo list may hold abbreviated names.
_NAME = re.compile(rb"\b[0-9a-f]{7,64}\b")
_STATE_FILES = (
    "*HEAD",
    "AUTO_MERGE",
    "BISECT_*",
    "logs/HEAD",
    "rebase-merge/**/*",
    "rebase-apply/**/*",
    "sequencer/**/*",
    "refs/**/*",
)


def rescue_ref(session: SessionId) -> str:
    return f"refs/manyhands/rescue/{session}"


def keep(worktree: Path, session: SessionId, *, private: Path | None = None) -> Oid:
    """Make the session's rescue ref keep all of it; what it kept before stays kept."""
    ref = rescue_ref(session)
    before = refs.resolve(worktree, ref)

    def make(anew: bool) -> Oid:
        if not anew:
            made = _write(worktree, [before], private)
            refs.set_ref(worktree, ref, made, before)
            return made
        there = refs.resolve(worktree, ref)
        whole = there if there and is_whole(worktree, there) else None
        made = _write(worktree, [before, whole], private)
        refs.put_ref(worktree, ref, made)
        return made

    return made_whole(worktree, make)


def _write(worktree: Path, earlier: list[Oid | None], private: Path | None) -> Oid:
    found = refs.require_worktree(worktree)
    git = Git(worktree).having(refs.DURABLE)
    snapshot = make_snapshot(worktree, base=None, private=private)
    objects = existing(git, _named_oids(found))
    commits = [Oid(oid) for oid, kind in objects.items() if kind == "commit"]
    parents = [oid for oid in (snapshot, *earlier, *commits) if oid]
    others = [(kind, Oid(o), o) for o, kind in objects.items() if kind in ("blob", "tree")]
    return _chain(git, make_tree(git, others), list(dict.fromkeys(parents)))


def _named_oids(found: Repository) -> set[bytes]:
    """Every object that git's own files about the worktree, and its branches' logs, name."""
    oids: set[bytes] = set()
    for branch in _branches(found):
        oids |= reflog_oids(found, branch)
    for pattern in _STATE_FILES:
        # In the main worktree shared refs lie beside its own; they need no rescue.
        if pattern.startswith("refs") and found.git_dir == found.common_dir:
            continue
        for file in found.git_dir.glob(pattern):
            if file.is_file() and not file.is_symlink():
                oids |= set(_NAME.findall(file.read_bytes()))
    return oids


def _branches(found: Repository) -> set[str]:
    """The branch that is checked out, or being rebased."""
    names = {refs.current_branch(found.toplevel) or ""}
    for file in found.git_dir.glob("rebase-*/head-name"):
        names.add(os.fsdecode(file.read_bytes().strip()).removeprefix("refs/heads/"))
    return names


def _chain(git: Git, tree: Oid, parents: list[Oid]) -> Oid:
    made: list[Oid] = []
    for start in range(0, max(len(parents), 1), _PARENTS):
        group = [*made[-1:], *parents[start : start + _PARENTS]]
        made.append(make_commit(git, tree, group, "manyhands rescue"))
    return made[-1]


_REASON = "manyhands: rewound"


def set_head_back(worktree: Path, then: Manifest) -> str:
    """Move the branch, or the detached HEAD, back; gives a sentence where it moved or could not.

    What the branch held since must be kept by a ref already.
    """
    head, branch = refs.resolve(worktree, "HEAD"), refs.current_branch(worktree) or ""
    wanted = Oid(then.head)
    if not wanted or head is None or head == wanted:
        return ""
    if under_way := operation(refs.require_worktree(worktree).git_dir):
        return f"a {under_way} is in progress, so HEAD stays at {head[:12]}"
    if branch != then.branch:
        return f"HEAD was on {then.branch or 'no branch'} then, so it stays at {head[:12]}"
    if branch:
        refs.set_ref(worktree, f"refs/heads/{branch}", wanted, head, reason=_REASON)
        return f"the branch {branch} went back from {head[:12]} to {wanted[:12]}"
    Git(worktree).run("update-ref", "--no-deref", "-m", _REASON, "HEAD", wanted, head)
    return f"HEAD went back from {head[:12]} to {wanted[:12]}"
