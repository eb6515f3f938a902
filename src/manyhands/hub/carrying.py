"""The step that carries ignored and untracked files over from the main checkout."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.workspace.carrying import Carried, carry_over
from manyhands.workspace.repo_config import load_repo_config

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


async def is_copy_needed(hub: Hub, s: Session) -> bool:
    return not s.in_place and not s.adopted


async def copy_files(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    limit = int(hub.last_settings.workspaces.copy_mb * 1024 * 1024)
    carried = await asyncio.to_thread(_carry, s, limit)
    if carried == Carried():
        return ()
    copied = e.FilesCopied(session=s.id, at=now(), files=carried.files, left_out=carried.left_out)
    return (copied,)


def _carry(s: Session, limit: int) -> Carried:
    worktree = Path(s.worktree)
    patterns = load_repo_config(worktree).worktree.copy
    return carry_over(Path(s.repo), worktree, patterns, limit_bytes=limit)
