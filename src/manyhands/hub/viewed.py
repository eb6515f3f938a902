"""*Viewed* boxes: ticked for a content, not for a name, so that a change unticks them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import NotPossible
from manyhands.git.comparison import load_blobs
from manyhands.git.tree_edit import Leaf
from manyhands.git.viewed import keep_viewed, with_viewed, without_viewed
from manyhands.hub.names import require_session
from manyhands.hub.review_path import require_path
from manyhands.hub.review_place import kept_index, require_place
from manyhands.model import review_events as r
from manyhands.model.clock import now
from manyhands.model.ids import Oid
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


_Change = Callable[["Hub", Session, str, str], r.FileViewed | r.FileUnviewed]


class Viewing(msgspec.Struct, forbid_unknown_fields=True):
    """`blob` is the content that the person saw; empty for a file that is deleted."""

    path: str
    blob: str = ""
    viewed: bool = True


class ViewedFile(msgspec.Struct, frozen=True):
    path: str
    blob: Oid
    viewed: bool


async def set_viewed(hub: Hub, ref: str, given: Viewing) -> ViewedFile:
    s = require_place(hub, ref)
    path = require_path(Path(s.worktree), given.path)
    async with hub.viewing[s.id]:
        # Read again under the lock: each version of the tree follows from the last.
        s = require_session(hub.state, s.id)
        change: _Change = _viewed if given.viewed else _unviewed
        event = await asyncio.to_thread(change, hub, s, path, given.blob)
        await hub.record(event)
    blob = event.blob if isinstance(event, r.FileViewed) else Oid("")
    return ViewedFile(path, blob, given.viewed)


def _viewed(hub: Hub, s: Session, path: str, seen: str) -> r.FileViewed:
    worktree = Path(s.worktree)
    found = load_blobs(worktree, kept_index(hub, s), [path]).get(path)
    mode, blob = found or ("", Oid(""))
    if blob != seen:
        raise NotPossible(
            f"{path} changed while you looked at it", hint="look at what changed, then tick it"
        )
    leaf = Leaf(int(mode, 8), blob) if found else None
    tree = with_viewed(worktree, s.reviewing.viewed, path, leaf)
    keep_viewed(worktree, s.id, tree)
    return r.FileViewed(session=s.id, at=now(), turn=s.turn, path=path, blob=blob, tree=tree)


def _unviewed(hub: Hub, s: Session, path: str, seen: str) -> r.FileUnviewed:
    worktree = Path(s.worktree)
    tree = without_viewed(worktree, s.reviewing.viewed, path)
    keep_viewed(worktree, s.id, tree)
    return r.FileUnviewed(session=s.id, at=now(), turn=s.turn, path=path, tree=tree)
