"""Bring an archived session back: files, branch and state, at its old path."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import rescue
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision


async def restore(hub: Hub, ref: str, *, command: CommandId | None = None) -> SessionView:
    s = require_session(hub.state, ref)
    if await hub.receipt(command) is not None:
        return session_view(s)
    if not s.archived:
        raise NotPossible(f"{s.slug} is not archived")
    note = ""
    if s.trash:
        note = await asyncio.to_thread(
            rescue.from_trash, Path(s.repo), Path(s.worktree), Path(s.trash), session=s.id
        )
    restored = e.SessionRestored(session=s.id, at=now(), note=note)
    await hub.write(lambda state: Decision((restored,), True), command=command)
    return session_view(require_session(hub.state, s.id))
