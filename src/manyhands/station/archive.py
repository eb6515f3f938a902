"""Putting a worktree away, bringing it back, and removing it for good, where it lies.

Each deed is harmless to repeat. What cannot be told of a worktree stands in the way of it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import refs
from manyhands.git.diff.diff import shown
from manyhands.git.radar import merged
from manyhands.git.recovery import remove_files
from manyhands.git.rescue import keeping, trash
from manyhands.git.rescue.survey import Holding, survey
from manyhands.keeper.claim import keeper_pid
from manyhands.keeper.life import load_left_over
from manyhands.model.ids import Oid
from manyhands.process.identity import descendants, identify
from manyhands.process.inside import processes_inside
from manyhands.process.stop import end_processes
from manyhands.station.checkpoints import bring_back_files
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, require_repository


class Holdings(msgspec.Struct, kw_only=True):
    is_there: bool = False
    holdings: tuple[Holding, ...] = ()
    local: tuple[Holding, ...] = ()
    """Those that go with the directory, whatever becomes of the branch."""
    tip: Oid | None = None
    """Where the branch is."""
    merge: tuple[str, str] | None = None
    """How and into what the branch was merged."""
    blocked_by: list[str] = []


@in_thread
def survey_worktree(at: Worktree) -> Holdings:
    """What it holds, and its branch if the files are there."""
    found = Holdings()
    with _told(found):
        found.is_there = at.root.exists()
        if found.is_there:
            _add_files(found, at, at.root)
            _add_branch(found, at)
    return found


@in_thread
def survey_removal(at: Worktree, files: str) -> Holdings:
    """What the branch holds, and what `files` does, to which the worktree was moved."""
    files_path = Path(files)
    found = Holdings(is_there=os.path.lexists(files_path))
    with _told(found):
        _add_branch(found, at)
        # The main checkout stays, whatever is removed of the session.
        if found.is_there and not at.in_place:
            _add_files(found, at, files_path)
    return found


@contextlib.contextmanager
def _told(found: Holdings) -> Iterator[None]:
    try:
        yield
    except (ManyhandsError, OSError) as error:
        found.blocked_by.append(f"what it holds cannot be told: {error}")


def _add_branch(found: Holdings, at: Worktree) -> None:
    found.tip = refs.branch_tip(at.repository, at.branch)
    if found.tip is not None:
        found.merge = merged.find_merge(at.repository, at.branch, at.base, at.base_name)


def _add_files(found: Holdings, at: Worktree, files: Path) -> None:
    seen = survey(files, at.base, at.branch)
    found.holdings, found.local = seen.holdings, seen.local
    found.blocked_by += [*_strangers(at, files), *seen.refusals]


def _strangers(at: Worktree, files: Path) -> list[str]:
    """What the session itself started ends with it; anybody else's process is not ours to end."""
    if at.in_place:
        return []
    own = {found.pid for found in load_left_over(Path(at.kept), at.session)}
    if (pid := keeper_pid(Path(at.lock))) and (keeper := identify(pid)):
        own |= {found.pid for found in descendants(keeper)}
    inside = [p for p in processes_inside(files) if p.pid not in own]
    return [f"{p.name} (pid {p.pid}) runs inside; end it first" for p in inside]


@in_thread
def end_left_over(at: Worktree) -> None:
    """End what a keeper that was killed could not."""
    end_processes(load_left_over(Path(at.kept), at.session))


@in_thread
def keep(at: Worktree) -> None:
    """Make a private ref hold everything that the worktree holds."""
    keeping.keep(at.root, at.session, private=at.private)


@in_thread
def put_away(at: Worktree, place: str) -> str:
    """Move it to the trash; the ref that keeps it, or nothing where nothing was left to move."""
    trash_path = Path(place)
    if not at.root.exists() and not trash_path.exists():
        return ""
    trash.to_trash(at.repository, at.root, trash_path, session=at.session)
    return keeping.rescue_ref(at.session)


@in_thread
def from_trash(at: Worktree, place: str, checkpoint: Oid | None) -> str:
    """From the trash to its old path; a sentence where HEAD had to stay detached. Where git's own
    part is gone it is joined again, and where the files are gone the last checkpoint's come."""
    require_repository(at.repository)
    kept = Path(place)
    if trash.is_whole(at.root, kept):
        return trash.from_trash(at.repository, at.root, kept, session=at.session)
    is_empty = not os.path.lexists(kept)
    if is_empty and checkpoint is None:
        raise NotPossible(
            f"nothing is left in {kept}, and there is no checkpoint",
            hint=f"its branch {at.branch} may still be there: `manyhands new --branch {at.branch}`",
        )
    trash.move_back(kept, at.root)
    joined = bring_back_files(at, checkpoint)
    note = trash.finish(at.repository, at.root, kept, at.session)
    lost = f"{kept} was gone, so the files are those of the last checkpoint" if is_empty else ""
    return "; ".join(filter(None, (lost, joined, note)))


@in_thread
def remove(at: Worktree, place: str, *, rescue: bool, branch_at: Oid | None) -> list[str]:
    """Remove what is in the trash, and the branch if it still is at `branch_at`; what hindered."""
    trash_path = Path(place)
    notes = []
    # Files first, the branch last: whatever stops it in between leaves the commits alone.
    if at.repository.is_dir():
        trash.purge(at.repository, at.root, trash_path, session=at.session, rescue=rescue)
        if branch_at is not None:
            try:
                trash.delete_branch(at.repository, at.branch, branch_at)
            except ManyhandsError as error:
                notes.append(shown(str(error).encode()))
    spool = Path(at.kept)
    if spool.is_dir() and not spool.is_symlink():
        # As long as the ref that rescues its work stays, so does what that keeps with us.
        kept = () if rescue or not at.private.is_dir() else (at.private,)
        for entry in spool.iterdir() if kept else (spool,):
            if entry not in kept:
                remove_files(entry) if entry.is_dir() else entry.unlink()
    return notes
