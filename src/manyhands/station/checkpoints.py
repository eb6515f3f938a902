"""Checkpoints where they are made: a worktree's whole state as a commit under a private ref."""

from __future__ import annotations

from pathlib import Path

from manyhands.git.rescue.keeping import set_head_back
from manyhands.git.reviving import Orphan, fill, revive
from manyhands.git.snapshot.parts import Snapshot, load_snapshot
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import keep_snapshot
from manyhands.keeper.checkpoint import checkpoint_ref
from manyhands.model.ids import Oid
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, require_repository


@in_thread
def make_checkpoint(worktree: Worktree, id: str, *, mending: bool = False) -> Oid:
    """With `mending`, what git and the worktree lost of each other is joined again first."""
    if mending:
        join_again(worktree)
    kept = Path(worktree.kept) / "checkpoint"
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    return keep_snapshot(
        worktree.root,
        checkpoint_ref(worktree.session, id),
        base=worktree.base,
        kept=kept,
        listed=worktree.copied,
        private=worktree.private,
    )


def load_checkpoint(worktree: Worktree, checkpoint: Oid) -> Snapshot:
    """Blocks."""
    return load_snapshot(worktree.repository, checkpoint, worktree.private)


def tree_of(worktree: Worktree, checkpoint: Oid) -> Oid:
    """The files that it holds, as git would have them in a commit; blocks."""
    return load_checkpoint(worktree, checkpoint).parts["display"]


load_tree_of = in_thread(tree_of)


def join_again(worktree: Worktree, checkpoint: Oid | None = None) -> str:
    """With its repository; no file is changed. A sentence where HEAD is not where it was; blocks.

    The `checkpoint` tells where a branch was that is gone."""
    require_repository(worktree.repository)
    if worktree.in_place:
        return ""
    head = load_checkpoint(worktree, checkpoint).manifest.head if checkpoint else ""
    return revive(
        Orphan(
            repo=worktree.repository,
            path=worktree.root,
            branch=worktree.branch,
            head=Oid(head) or worktree.base,
            session=worktree.session,
            lock_dir=Path(worktree.locks),
        )
    )


def bring_back_files(worktree: Worktree, checkpoint: Oid | None) -> str:
    """A worktree of which something was lost. Files that are there stay as they are; where none
    are, those of the checkpoint come, or of the branch. Blocks."""
    is_empty = not worktree.root.is_dir()
    note = join_again(worktree, checkpoint)
    if is_empty and checkpoint:
        restore_files(worktree, checkpoint)
        return note
    if is_empty:
        fill(worktree.root)
    return note


bring_back = in_thread(bring_back_files)


def restore_files(worktree: Worktree, checkpoint: Oid) -> None:
    """What is there now is kept by a ref; blocks."""
    undo = f"refs/manyhands/undo/{worktree.session}"
    restore_snapshot(
        worktree.repository, worktree.root, checkpoint, undo_ref=undo, private=worktree.private
    )


def restore(worktree: Worktree, checkpoint: Oid) -> str:
    """The files, and the branch where that loses nothing; a sentence on what became of it."""
    note = join_again(worktree, checkpoint)
    restore_files(worktree, checkpoint)
    then = load_checkpoint(worktree, checkpoint).manifest
    return "; ".join(filter(None, (note, set_head_back(worktree.root, then))))


put_back = in_thread(restore)
