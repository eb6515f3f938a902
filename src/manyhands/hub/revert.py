"""Put a file, or a hunk of it, back; or put a suggestion in. A checkpoint is made first.

Refused where the file is no longer what the person saw, before and after the checkpoint.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.git.comparison import load_blobs
from manyhands.git.putting_back import (
    Stretch,
    old_lines,
    put_leaf,
    with_lines,
    write_content,
)
from manyhands.git.review_files import leaf_then, load_now, load_then
from manyhands.hub.checkpoints import make_checkpoint
from manyhands.hub.comment import require_comment, view
from manyhands.hub.review import CommentView, found_place
from manyhands.hub.review_path import require_path
from manyhands.hub.review_place import comparison, kept_index, require_place
from manyhands.hub.review_texts import Texts
from manyhands.model import review_events as r
from manyhands.model.clock import now
from manyhands.model.ids import Oid
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class Hunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines that a hunk's head names; with a count of 0, the place after that line."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


class Reverting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`blob` is the content that the person saw, empty for a deleted file; no hunk: all of it."""

    path: str
    blob: str = ""
    old_path: str = ""
    against: str = "base"
    hunk: Hunk | None = None


class Reverted(msgspec.Struct, frozen=True):
    path: str
    checkpoint: str


async def revert(hub: Hub, ref: str, given: Reverting) -> Reverted:
    s = require_place(hub, ref)
    require_path(Path(s.worktree), given.path)
    if given.old_path:
        require_path(Path(s.worktree), given.old_path)
    compared = await asyncio.to_thread(comparison, hub, s, given.against)
    if compared.new is not None:
        raise BadInput("a turn of the past cannot be reverted hunk by hunk", hint="see: rewind")
    change = _hunk_back if given.hunk else _file_back
    checkpoint = await _changed(hub, s, given, lambda: change(s, compared.old, given))
    lines = f"{given.hunk.new_start},{given.hunk.new_count}" if given.hunk else ""
    done = r.ChangeReverted(
        session=s.id, at=now(), turn=s.turn, path=given.path, checkpoint=checkpoint, lines=lines
    )
    await hub.record(done)
    return Reverted(given.path, checkpoint)


async def _changed(hub: Hub, s: Session, given: Reverting, change: Callable[[], None]) -> str:
    """Carry out a change of one file; the checkpoint that holds what was there."""
    await asyncio.to_thread(_require_seen, hub, s, given)
    made = await make_checkpoint(hub, s.id)

    def finish() -> None:
        _require_seen(hub, s, given)
        change()

    await asyncio.to_thread(finish)
    return made.id


def _require_seen(hub: Hub, s: Session, given: Reverting) -> None:
    found = load_blobs(Path(s.worktree), kept_index(hub, s), [given.path]).get(given.path)
    if (found[1] if found else "") != given.blob:
        raise NotPossible(
            f"{given.path} changed while you looked at it",
            hint="look at what is there now, then try again",
        )


def _file_back(s: Session, old: Oid, given: Reverting) -> None:
    worktree = Path(s.worktree)
    origin = given.old_path or given.path
    leaf = leaf_then(worktree, old, origin)
    if given.old_path and given.old_path != given.path:
        if (worktree / origin).exists():
            raise NotPossible(f"{origin} is there again, in the way of the old file")
        put_leaf(worktree / given.path, None, b"")
    content = load_then(worktree, old, origin) if leaf else b""
    put_leaf(worktree / origin, leaf, content)


def _hunk_back(s: Session, old: Oid, given: Reverting) -> None:
    assert given.hunk is not None
    worktree, hunk = Path(s.worktree), given.hunk
    _require_stretches(hunk)
    if (worktree / given.path).is_symlink():
        raise NotPossible(f"{given.path} is a link; only the whole of it can be put back")
    present = load_now(worktree, given.path)
    try:
        before = load_then(worktree, old, given.old_path or given.path)
    except NotFound:
        before = b""
    lines = old_lines(before, Stretch(hunk.old_start, hunk.old_count))
    fresh = with_lines(present, Stretch(hunk.new_start, hunk.new_count), lines)
    write_content(worktree / given.path, fresh)


def _require_stretches(hunk: Hunk) -> None:
    if min(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) < 0:
        raise BadInput("a hunk's lines are counted from 1")
    if (hunk.old_count and not hunk.old_start) or (hunk.new_count and not hunk.new_start):
        raise BadInput("a hunk's lines are counted from 1")


async def apply_suggestion(hub: Hub, ref: str, id: str) -> CommentView:
    """The suggestion takes the place of the lines that the comment is about."""
    s = require_place(hub, ref)
    comment = require_comment(s, id)
    anchor, suggestion = comment.anchor, comment.suggestion
    if suggestion is None or not anchor.lines or anchor.side == "old":
        raise NotPossible(f"comment {id} suggests no lines")
    require_path(Path(s.worktree), anchor.path)
    where = await asyncio.to_thread(lambda: found_place(Texts(hub, s), anchor))
    if where is None:
        raise NotPossible(f"the lines of comment {id} are gone", hint="nothing was changed")
    blobs = await asyncio.to_thread(load_blobs, Path(s.worktree), kept_index(hub, s), [anchor.path])
    seen = Reverting(path=anchor.path, blob=blobs[anchor.path][1])

    def put_in() -> None:
        file = Path(s.worktree) / anchor.path
        stretch = Stretch(where[0], where[1] - where[0] + 1)
        lines = [line.encode() + b"\n" for line in suggestion.split("\n")] if suggestion else []
        write_content(file, with_lines(load_now(Path(s.worktree), anchor.path), stretch, lines))

    checkpoint = await _changed(hub, s, seen, put_in)
    done = r.SuggestionApplied(
        session=s.id, at=now(), turn=s.turn, comment=comment.id, checkpoint=checkpoint
    )
    await hub.record(done)
    return await view(hub, s.id, id)
