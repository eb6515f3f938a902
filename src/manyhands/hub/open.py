"""A session's worktree, or a file in it, in the editor of the person at this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.process.editor import has_window, require_editor
from manyhands.process.programs import launch


class Opened(msgspec.Struct, frozen=True):
    argv: tuple[str, ...]


async def open_session(hub: Hub, ref: str, path: str = "") -> Opened:
    worktree = Path(require_session(hub.state, ref).worktree)
    target = await asyncio.to_thread(_require_inside, worktree, path)
    editor = require_editor(None)
    if not has_window(editor[0]):
        raise NotPossible(
            f"{editor[0]} runs in a terminal, and the hub has none",
            hint=f"run `manyhands open {ref}` in yours, or set $VISUAL to an editor with a window",
        )
    argv = (*editor, str(worktree), *([str(target)] if path else []))
    await asyncio.to_thread(launch, hub.home, argv)
    return Opened(argv)


def _require_inside(worktree: Path, path: str) -> Path:
    """The file that is meant: there, and not outside by a link or dots."""
    try:
        target = (worktree / path).resolve()
        there = target.exists()
    except (OSError, ValueError) as error:
        raise BadInput(f"{path!r} is no path: {error}") from error
    if not target.is_relative_to(worktree.resolve()):
        raise BadInput(f"{path} is not in the worktree")
    if not there:
        raise NotFound(f"{target} is not there", hint="an archived session can be restored")
    return target
