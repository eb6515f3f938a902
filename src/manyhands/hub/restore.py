"""Bring an archived session back: files, branch and state, at its old path."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import rescue
from manyhands.hub.failpoint import reach
from manyhands.hub.names import require_alone_in_place, require_session
from manyhands.hub.ports import restore_with_ports
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


async def restore(hub: Hub, ref: str, *, command: CommandId | None = None) -> SessionView:
    s = require_session(hub.state, ref)
    if await hub.receipt(command) is not None:
        return session_view(s)
    if not s.archived:
        raise NotPossible(f"{s.slug} is not archived")
    require_alone_in_place(hub.state, s)
    begun = e.StepStarted(session=s.id, at=now(), step="restore")
    await hub.write(lambda state: Decision((begun,), True), command=command)
    await finish_restore(hub, s.id)
    return session_view(require_session(hub.state, s.id))


async def finish_restore(hub: Hub, session: SessionId) -> None:
    """Carry out, or carry on, a restore that is on record."""
    reach(hub.home, "before:restore")
    s = require_session(hub.state, session)
    note = ""
    if s.trash:
        paths = (Path(s.repo), Path(s.worktree), Path(s.trash))
        try:
            note = await asyncio.to_thread(rescue.from_trash, *paths, session=s.id)
        except (ManyhandsError, OSError):
            await hub.record(e.StepFinished(session=session, at=now(), step="restore"))
            raise
    reach(hub.home, "done:restore")
    restored = e.SessionRestored(session=session, at=now(), note=note)
    await restore_with_ports(hub, s, restored)
    reach(hub.home, "after:restore")
