"""Creation as a saga: idempotent steps, each recorded before and after, from name to ready."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.git.recovery import recover_half_made
from manyhands.git.worktrees import add_worktree
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

FIRST_STEP = "worktree"


async def make_ready(hub: Hub, s: Session) -> None:
    """Run the steps that are left; a failure says which step, why, and can be retried."""
    try:
        await asyncio.to_thread(_make_worktree, hub, s)
    except (ManyhandsError, OSError) as error:
        hint = getattr(error, "hint", "") or f"`manyhands resume {s.slug}` tries again"
        failed = e.SessionFailed(
            session=s.id, at=now(), step=FIRST_STEP, error=str(error), hint=hint
        )
        await hub.record(failed)
        return
    await hub.record(
        e.StepFinished(session=s.id, at=now(), step=FIRST_STEP),
        e.WorktreeReady(
            session=s.id,
            at=now(),
            worktree=s.worktree,
            branch=s.branch,
            base_commit=s.base_commit,
        ),
        e.SessionReady(session=s.id, at=now()),
    )


def _make_worktree(hub: Hub, s: Session) -> None:
    repo, path, locks = Path(s.repo), Path(s.worktree), hub.home.locks
    named = (repo, path, s.branch, s.base_commit)
    # What an earlier try left is finished or taken back by our own record; a first try has none.
    if s.id in hub.cut_off and recover_half_made(*named, session=s.id, lock_dir=locks) == "whole":
        return
    hub.cut_off.add(s.id)
    add_worktree(*named, session=s.id, lock_dir=locks, run_hooks=True)
    hub.cut_off.discard(s.id)
