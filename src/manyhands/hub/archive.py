"""Archive a session: everything it holds is kept, and its worktree moves to the trash.

The steps (stop the keeper, make a checkpoint, keep every object by a private ref, move the
directory) are idempotent and recorded, so a hub that dies in between finishes them at its
next start.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import rescue
from manyhands.hub import keepers
from manyhands.hub.agent_token import revoke_token
from manyhands.hub.checkpoints import make_checkpoint
from manyhands.hub.failpoint import reach
from manyhands.hub.names import require_session
from manyhands.hub.plan import Kept, Lost, Plan, plan_archive
from manyhands.hub.setup import tear_down
from manyhands.keeper.strays import load_left_over
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.session import Session
from manyhands.process.stop import end_processes
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

__all__ = ["Kept", "Lost", "Plan", "archive", "finish_archive"]

STEP = "archive"


async def archive(
    hub: Hub, ref: str, *, dry_run: bool = False, command: CommandId | None = None
) -> Plan:
    s = require_session(hub.state, ref)
    seen = await hub.receipt(command)
    if seen is not None:
        return msgspec.convert(seen, Plan)
    if s.archived:
        raise NotPossible(f"{s.slug} is archived already")
    trash, place = hub.home.trash / s.id, hub.home.sessions / s.id
    plan = await asyncio.to_thread(plan_archive, s, trash, place)
    if dry_run:
        return plan
    if plan.blocked_by:
        raise NotPossible(f"{s.slug} cannot be archived: {'; '.join(plan.blocked_by)}")
    begun = e.StepStarted(session=s.id, at=now(), step=STEP)
    await hub.write(lambda state: Decision((begun,), plan), command=command)
    try:
        await finish_archive(hub, s.id)
    except (ManyhandsError, OSError) as error:
        # Under another step's name: it is not tried again behind the person's back.
        why = f"it could not be archived: {error}"
        await hub.record(e.SessionFailed(session=s.id, at=now(), step="trash", error=why))
        raise
    return plan


async def finish_archive(hub: Hub, session: SessionId) -> None:
    """Carry out, or carry on, an archive that is on record."""
    reach(hub.home, "before:archive")
    s = require_session(hub.state, session)
    if s.keeper != "none":
        await keepers.stop_keeper(hub, session)
    # What a keeper that was killed could not end.
    left = await asyncio.to_thread(load_left_over, hub.home.sessions / session, session)
    await asyncio.to_thread(end_processes, left)
    await revoke_token(hub, s)
    reach(hub.home, "archive:keeper-stopped")
    trash = hub.home.trash / session
    moved = False
    await tear_down(hub, s)
    reach(hub.home, "archive:torn-down")
    if s.has_worktree and not s.in_place:
        if Path(s.worktree).exists():
            await make_checkpoint(hub, session)
            reach(hub.home, "archive:checkpoint-made")
        moved = await asyncio.to_thread(_put_away, hub, s, trash)
    reach(hub.home, "done:archive")
    done = e.SessionArchived(
        session=session,
        at=now(),
        rescue=rescue.rescue_ref(session) if moved else "",
        trash=str(trash) if moved else "",
    )
    await hub.record(done)
    reach(hub.home, "after:archive")


def _put_away(hub: Hub, s: Session, trash: Path) -> bool:
    worktree = Path(s.worktree)
    if not worktree.exists() and not trash.exists():
        return False
    if worktree.exists():
        rescue.keep(worktree, s.id)
        reach(hub.home, "archive:kept")
    rescue.to_trash(Path(s.repo), worktree, trash, session=s.id)
    return True
