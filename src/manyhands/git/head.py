"""Putting HEAD back to where a snapshot saw it, when that loses nothing."""

from __future__ import annotations

from pathlib import Path

from manyhands.git import refs
from manyhands.git.manifest import Manifest
from manyhands.git.runner import Git
from manyhands.git.survey import operation
from manyhands.model.ids import Oid

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
