"""A session's files: names, one of them, one in the person's editor, and what changed in them."""

from __future__ import annotations

from manyhands.contract.files import FileList, FileView, Opened
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, require_living, require_session, worktree_of
from manyhands.hub.files.checkpoints import require_checkpoint
from manyhands.model.workspace.diff import Diff
from manyhands.station.files import load_diff, load_file, load_names, load_turn_diff, open_in_editor
from manyhands.station.worktree import Worktree, is_there, require_there


async def files(hub: Hub, ref: str) -> FileList:
    return await load_names(await _require_worktree(hub, ref))


async def file(hub: Hub, ref: str, path: str) -> FileView:
    return await load_file(await _require_worktree(hub, ref), path)


async def _require_worktree(hub: Hub, ref: str) -> Worktree:
    s = require_session(hub.state, ref)
    require_living(s)
    worktree = worktree_of(hub, s)
    if not s.life.has_worktree or not await is_there(worktree):
        raise NotPossible(f"{s.slug} has no worktree now")
    return worktree


async def open_session(hub: Hub, ref: str, path: str = "") -> Opened:
    worktree = worktree_of(hub, require_session(hub.state, ref))
    return await open_in_editor(hub.home, worktree, path, ref)


async def diff(
    hub: Hub, ref: str, *, patch: bool = True, path: str | None = None, turn: int | None = None
) -> Diff:
    """`path` limits it to one file of the worktree, `turn` to what changed in that turn."""
    s = require_session(hub.state, ref)
    worktree = worktree_of(hub, s)
    if turn is not None:
        made = require_checkpoint(s, str(turn))
        return await load_turn_diff(worktree, made.before, made.commit, patch=patch)
    require_living(s)
    if not s.life.ready:
        return Diff(files=[])
    await require_there(worktree)
    return await load_diff(worktree, path, patch=patch)
