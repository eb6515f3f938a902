"""What is reviewed: the changed files, their patches, the contents around them; and put back.

A *viewed* box is ticked for a content, not for a name, so that a change unticks it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from manyhands.contract.review import Contents, Listing, Reverted, Reverting, ViewedFile, Viewing
from manyhands.errors import BadInput
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.files.checkpoints import make_checkpoint
from manyhands.hub.files.files import shown_text
from manyhands.hub.review.against import against, require_worktree
from manyhands.hub.review.verdict import notice_change
from manyhands.model.review import events as r
from manyhands.model.review.anchor import Side
from manyhands.model.workspace.diff import Diff
from manyhands.station import revert as station_revert
from manyhands.station import review as station

MOST_PATHS = 500


async def list_changes(hub: Hub, ref: str, name: str, *, ignore_space: bool = False) -> Listing:
    s = await require_worktree(hub, ref)
    asked = await against(hub, s, name, ignore_space=ignore_space)
    listing = await station.list_changes(worktree_of(hub, s), asked, s.review.viewed)
    if not asked.until:
        await notice_change(hub, s.id, listing.tree)
    return listing


async def open_changes(
    hub: Hub, ref: str, name: str, most: int, *, ignore_space: bool = False
) -> Listing:
    """The first files with their patches: what a screen shows before everything is read."""
    s = await require_worktree(hub, ref)
    if not 0 < most <= MOST_PATHS:
        raise BadInput(f"between 1 and {MOST_PATHS} files at once")
    asked = await against(hub, s, name, ignore_space=ignore_space)
    listing = await station.open_changes(worktree_of(hub, s), asked, s.review.viewed, most)
    if not asked.until and not listing.more:
        await notice_change(hub, s.id, listing.tree)
    return replace(listing, patch=await shown_text(hub, s, listing.patch))


async def load_patches(
    hub: Hub,
    ref: str,
    name: str,
    paths: Sequence[str],
    *,
    ignore_space: bool = False,
    whole: bool = False,
) -> Diff:
    """The named files with their patches; those that do not differ are left out."""
    s = await require_worktree(hub, ref)
    if len(paths) > MOST_PATHS:
        raise BadInput(f"at most {MOST_PATHS} files at once")
    if not paths:
        return Diff(files=[])
    asked = await against(hub, s, name, ignore_space=ignore_space)
    found = await station.load_patches(worktree_of(hub, s), asked, paths, whole=whole)
    return replace(found, patch=await shown_text(hub, s, found.patch))


async def load_contents(hub: Hub, ref: str, path: str, side: Side, name: str) -> Contents:
    s = await require_worktree(hub, ref)
    asked = await against(hub, s, name)
    found = await station.load_contents(worktree_of(hub, s), asked, path, side)
    return replace(found, text=await shown_text(hub, s, found.text)) if found.text else found


class Versions:
    """One new version of a session's tree of viewed files at a time."""

    def __init__(self, hub: Hub) -> None:
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)


async def set_viewed(hub: Hub, ref: str, given: Viewing) -> ViewedFile:
    s = await require_worktree(hub, ref)
    async with hub.part(Versions).locks[s.id]:
        # Read again under the lock: each version of the tree follows from the last.
        s = require_session(hub.state, s.id)
        file, tree = await station.set_viewed(worktree_of(hub, s), s.review.viewed, given)
        seen: r.ReviewEvent = r.FileUnviewed(
            session=s.id, turn=s.main.turn, path=file.path, tree=tree
        )
        if file.viewed:
            seen = r.FileViewed(
                session=s.id, turn=s.main.turn, path=file.path, blob=file.blob, tree=tree
            )
        await hub.record(seen)
    return file


async def revert(hub: Hub, ref: str, given: Reverting) -> Reverted:
    """Put a file, or a hunk of it, back; a checkpoint is made first. Refused where the file is no
    longer what the person saw, before and after the checkpoint."""
    s = await require_worktree(hub, ref)
    asked = await against(hub, s, given.against)
    if asked.until:
        raise BadInput("a turn of the past cannot be reverted hunk by hunk", hint="see: rewind")
    worktree = worktree_of(hub, s)
    old = await station_revert.find_old(worktree, asked, given)
    made = await make_checkpoint(hub, s.id)
    await station_revert.put_back(worktree, old, given)
    lines = f"{given.hunk.new_start},{given.hunk.new_count}" if given.hunk else ""
    done = r.ChangeReverted(
        session=s.id, turn=s.main.turn, path=given.path, checkpoint=made.id, lines=lines
    )
    await hub.record(done)
    return Reverted(given.path, made.id)
