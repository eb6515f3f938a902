"""Archive a session: everything it holds is kept, and its worktree moves to the trash.

One plan serves dry run, page and action. The steps (stop the keeper, keep every object by a
private ref, move the directory) are idempotent and recorded, so a hub that dies in between
finishes them at its next start.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import rescue
from manyhands.hub import keepers
from manyhands.hub.names import require_session
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.session import Session
from manyhands.process.identity import session_processes
from manyhands.process.inside import processes_inside
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


STEP = "archive"


class Kept(msgspec.Struct, frozen=True):
    what: str
    where: str
    bytes: int = 0


class Lost(msgspec.Struct, frozen=True):
    what: str
    bytes: int = 0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive would keep, lose, and what stands in its way."""

    session: SessionId
    safe: bool
    kept: tuple[Kept, ...] = ()
    lost: tuple[Lost, ...] = ()
    blocked_by: tuple[str, ...] = ()


async def archive(
    hub: Hub, ref: str, *, dry_run: bool = False, command: CommandId | None = None
) -> Plan:
    s = require_session(hub.state, ref)
    seen = await hub.receipt(command)
    if seen is not None:
        return msgspec.convert(seen, Plan)
    if s.archived:
        raise NotPossible(f"{s.slug} is archived already")
    plan = await _plan(hub, s)
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
    s = require_session(hub.state, session)
    if s.keeper != "none":
        await keepers.stop_keeper(hub, session)
    trash = hub.home.trash / session
    moved = False
    if s.ready:
        moved = await asyncio.to_thread(_put_away, s, trash)
    done = e.SessionArchived(
        session=session,
        at=now(),
        rescue=rescue.rescue_ref(session) if moved else "",
        trash=str(trash) if moved else "",
    )
    await hub.record(done)


def _put_away(s: Session, trash: Path) -> bool:
    worktree = Path(s.worktree)
    if not worktree.exists() and not trash.exists():
        return False
    if worktree.exists():
        rescue.keep(worktree, s.id)
    rescue.to_trash(Path(s.repo), worktree, trash, session=s.id)
    return True


async def _plan(hub: Hub, s: Session) -> Plan:
    blocked = []
    if s.in_turn or s.place or s.answers:
        blocked.append(f"the agent is at work (`manyhands stop {s.slug}`)")
    if not s.ready and not s.error:
        blocked.append("it is still being made ready")
    kept: tuple[Kept, ...] = ()
    if s.ready:
        try:
            kept, more = await asyncio.to_thread(_survey, s, hub.home.trash / s.id)
            blocked += more
        except (ManyhandsError, OSError) as error:
            blocked.append(f"what it holds cannot be told: {error}")
    return Plan(session=s.id, safe=not blocked, kept=kept, blocked_by=tuple(blocked))


def _survey(s: Session, trash: Path) -> tuple[tuple[Kept, ...], list[str]]:
    worktree = Path(s.worktree)
    if not worktree.exists():
        return (Kept("no files: the worktree is gone", ""),), []
    found = rescue.survey(worktree, s.base_commit, s.branch)
    kept = tuple(Kept(h.what, str(trash), h.bytes) for h in found.holdings)
    # What the session itself started ends with it; anybody else's process is not ours to end.
    own = {found.pid for found in session_processes(s.id)}
    strangers = [p for p in processes_inside(worktree) if p.pid not in own]
    blocked = [f"{p.name} (pid {p.pid}) runs inside" for p in strangers]
    return kept, [*blocked, *found.refusals]
