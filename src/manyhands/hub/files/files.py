"""A session's files: names, one of them, one in the person's editor, and what changed in them."""

from __future__ import annotations

import asyncio

import msgspec

from manyhands.contract.files import FileList, FileView, Opened
from manyhands.errors import NotPossible
from manyhands.hub.core import (
    Hub,
    require_living,
    require_session,
    require_worktree,
    worktree_of,
)
from manyhands.hub.files.checkpoints import kept, require_checkpoint
from manyhands.hub.fleet.secrets import clean_views
from manyhands.model.session.session import Session
from manyhands.model.workspace.diff import Diff
from manyhands.station.files import load_diff, load_file, load_names, load_turn_diff, open_in_editor
from manyhands.station.worktree import Worktree, require_there

LONG = 64 * 1024
"""Characters from which on a text is looked through in a thread of its own."""


async def files(hub: Hub, ref: str) -> FileList:
    return await load_names(await _require_worktree(hub, ref))


async def file(hub: Hub, ref: str, path: str) -> FileView:
    found = await load_file(await _require_worktree(hub, ref), path)
    text = await shown_text(hub, require_session(hub.state, ref), found.text)
    return msgspec.structs.replace(found, text=text)


async def shown_text(hub: Hub, s: Session, text: str) -> str:
    """A file, or a patch, line by line without the secrets in it: whoever shows a page around shows
    none of them. What is written back is never taken from here."""
    redactor = await clean_views(hub, s)
    if len(text) < LONG:
        return redactor.lines(text)
    return await asyncio.to_thread(redactor.lines, text)


async def _require_worktree(hub: Hub, ref: str) -> Worktree:
    s = require_session(hub.state, ref)
    require_living(s)
    worktree = worktree_of(hub, s)
    if not s.life.has_worktree:
        raise NotPossible(f"{s.slug} has no worktree now")
    await require_worktree(hub, s)
    return worktree


async def open_session(hub: Hub, ref: str, path: str = "", line: int = 0) -> Opened:
    worktree = worktree_of(hub, require_session(hub.state, ref))
    return await open_in_editor(hub.home, worktree, path, ref, line)


async def diff(
    hub: Hub, ref: str, *, patch: bool = True, path: str | None = None, turn: int | None = None
) -> Diff:
    """`path` limits it to one file of the worktree, `turn` to what changed in that turn."""
    s = require_session(hub.state, ref)
    worktree = worktree_of(hub, s)
    if turn is not None:
        made = require_checkpoint(await kept(hub, s.id), str(turn))
        found = await load_turn_diff(worktree, made.before, made.commit, patch=patch)
        return msgspec.structs.replace(found, patch=await shown_text(hub, s, found.patch))
    require_living(s)
    if not s.life.ready:
        return Diff(files=[])
    await require_there(worktree)
    found = await load_diff(worktree, path, patch=patch)
    return msgspec.structs.replace(found, patch=await shown_text(hub, s, found.patch))
