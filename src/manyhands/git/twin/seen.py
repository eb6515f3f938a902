"""What both sides looked like after the last sync, so that most looks end with a glance.

Files are known by inode, size and both times, of which nobody can set one back. Two changes within
one tick of the file system's clock look like one: what changed just before it was seen is looked at
again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from manyhands.git.diff.diff import shown
from manyhands.git.refs import Repository
from manyhands.git.repository import Mark, file_mark, is_resting
from manyhands.git.rescue.survey import OPERATIONS
from manyhands.git.twin.place import Twin
from manyhands.git.twin.state import Marks, look

_SPACES = ("heads", "tags", "remotes", "notes", "replace")


class TwinLook(msgspec.Struct, frozen=True):
    """Both sides at a glance."""

    twin_refs: Marks = {}
    twin_index: Mark = (0, 0, 0, 0)
    own: Marks = {}
    """HEAD of the worktree here, and what git is in the middle of."""
    index: Mark = (0, 0, 0, 0)
    refs: Marks = {}


class Seen(msgspec.Struct, frozen=True):
    look: TwinLook | None = None
    """How both were when nothing was left to be done; of the twin alone where only that was looked
    at. None where something was."""
    staged: str = ""
    """The tip after the last sync, and a digest of what was staged on it."""


def look_at(place: Twin, found: Repository) -> TwinLook:
    twin_refs, twin_index = look(place.twin)
    own = {name: file_mark(found.git_dir / name) for name in ("HEAD", *OPERATIONS)}
    index = file_mark(found.git_dir / "index")
    return TwinLook(twin_refs, twin_index, own, index, ref_marks(found.common_dir))


def ref_marks(common: Path) -> Marks:
    """By what the user's refs are known to be the same."""
    marks = {"packed-refs": file_mark(common / "packed-refs")}
    for space in _SPACES:
        # A ref is replaced by renaming: its folder tells.
        for folder, _, _ in os.walk(common / "refs" / space):
            marks[shown(os.fsencode(folder))] = file_mark(Path(folder))
    return marks


def load_seen(place: Twin) -> Seen:
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(place.beside("seen").read_bytes(), type=Seen)
    return Seen()


def rests(seen: TwinLook) -> bool:
    """Asked before anything is read: whether a later change will show."""
    groups = (seen.twin_refs, seen.own, seen.refs)
    marks = [mark for group in groups for mark in group.values()]
    return is_resting([*marks, seen.twin_index, seen.index])


def set_seen(place: Twin, seen: TwinLook | None, staged: str) -> None:
    raw = msgspec.json.encode(Seen(seen, staged))
    file = place.beside("seen")
    made = file.with_name(f"{file.name}.new")
    made.write_bytes(raw)
    made.replace(file)
