"""Checkpoints where they are made: a worktree's whole state as a commit under a private ref."""

from __future__ import annotations

from pathlib import Path

from manyhands.git.refs import put_ref
from manyhands.git.rescue.keeping import set_head_back
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.git.worktrees import reconnect
from manyhands.keeper.checkpoint import checkpoint_ref
from manyhands.model.ids import Oid
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree


@in_thread
def make_checkpoint(worktree: Worktree, id: str, *, mending: bool = False) -> Oid:
    """With `mending`, a `.git` file that someone deleted is given back first."""
    if mending:
        reconnect(worktree.repository, worktree.root)
    kept = Path(worktree.kept) / "checkpoint"
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    commit = make_snapshot(worktree.root, base=worktree.base, kept=kept, listed=worktree.copied)
    put_ref(worktree.root, checkpoint_ref(worktree.session, id), commit)
    return commit


def tree_of(worktree: Worktree, checkpoint: Oid) -> Oid:
    """The files that it holds, as git would have them in a commit; blocks."""
    return load_snapshot(worktree.repository, checkpoint).parts["display"]


load_tree_of = in_thread(tree_of)


def restore_files(worktree: Worktree, checkpoint: Oid) -> None:
    """What is there now is kept by a ref; blocks."""
    undo = f"refs/manyhands/undo/{worktree.session}"
    restore_snapshot(worktree.repository, worktree.root, checkpoint, undo_ref=undo)


def restore(worktree: Worktree, checkpoint: Oid) -> str:
    """The files, and the branch where that loses nothing; a sentence on what became of it."""
    restore_files(worktree, checkpoint)
    return set_head_back(worktree.root, load_snapshot(worktree.repository, checkpoint).manifest)


put_back = in_thread(restore)
