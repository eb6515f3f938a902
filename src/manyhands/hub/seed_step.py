"""The step of creation by which a fork's worktree gets the files of its checkpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.git.refs import put_ref
from manyhands.git.restore import restore_snapshot
from manyhands.keeper.checkpoint import BEGINNING, checkpoint_ref
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


async def is_fork(hub: Hub, s: Session) -> bool:
    return bool(s.seed)


async def plant_seed(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    await asyncio.to_thread(_plant, s)
    made = e.CheckpointMade(session=s.id, at=now(), checkpoint=BEGINNING, commit=s.seed)
    return (made,)


def _plant(s: Session) -> None:
    repo, worktree = Path(s.repo), Path(s.worktree)
    # By a ref of its own: its origin may be removed.
    ref = checkpoint_ref(s.id, BEGINNING)
    put_ref(repo, ref, s.seed)
    restore_snapshot(repo, worktree, s.seed, undo_ref=f"refs/manyhands/undo/{s.id}")
