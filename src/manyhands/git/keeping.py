"""One private ref that keeps everything a worktree holds, whatever is deleted or collected.

The keep-commit's parents are the snapshot and every commit that HEAD, the reflogs or an
operation in progress name; its tree holds the blobs and trees among them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from manyhands.git import refs
from manyhands.git.refs import Repository
from manyhands.git.runner import Git
from manyhands.git.snapshot import make_commit, make_snapshot, make_tree
from manyhands.git.survey import existing, reflog_oids
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


def keep(
    worktree: Path, session: SessionId, *, base: Oid | None = None, ignored: bool = False
) -> Oid:
    """Make the session's rescue ref keep all of it; what it kept before stays kept."""
    found = refs.require_worktree(worktree)
    git = Git(worktree).having(refs.DURABLE)
    ref = rescue_ref(session)
    before = refs.resolve(worktree, ref)
    snapshot = make_snapshot(worktree, base=base, ignored=ignored)
    objects = existing(git, _named_oids(found))
    commits = [Oid(oid) for oid, kind in objects.items() if kind == "commit"]
    parents = [oid for oid in (snapshot, before, *commits) if oid]
    made = _chain(git, _tree(git, objects), list(dict.fromkeys(parents)))
    refs.set_ref(worktree, ref, made, before)
    return made


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


def _tree(git: Git, found: dict[str, str]) -> Oid:
    return make_tree(
        git, [(kind, Oid(oid), oid) for oid, kind in found.items() if kind in ("blob", "tree")]
    )


def _chain(git: Git, tree: Oid, parents: list[Oid]) -> Oid:
    made: list[Oid] = []
    for start in range(0, max(len(parents), 1), _PARENTS):
        group = [*made[-1:], *parents[start : start + _PARENTS]]
        made.append(make_commit(git, tree, group, "manyhands rescue"))
    return made[-1]
