"""Ports of sessions: leased in one transaction, remembered by the log, free again at archive."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision
from manyhands.workspace.ports import lease
from manyhands.workspace.repo_config import load_repo_config

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


async def are_ports_needed(hub: Hub, s: Session) -> bool:
    return not s.ports


async def lease_ports(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """Recorded at once, not with the step's end: two sessions must never see the same one free."""
    config = await asyncio.to_thread(load_repo_config, Path(s.worktree))
    await _lease(hub, s, config.ports.names)
    return ()


async def restore_with_ports(hub: Hub, s: Session, restored: e.SessionRestored) -> None:
    """Record the restore, with the ports of before where they are still free."""
    names, wanted = tuple(s.ports), s.ports
    await hub.write(lambda state: _leased(hub, state, s, names, wanted, restored))


async def _lease(hub: Hub, s: Session, names: Sequence[str]) -> None:
    await hub.write(lambda state: _leased(hub, state, s, names, {}))


def _leased(
    hub: Hub,
    state: State,
    s: Session,
    names: Sequence[str],
    wanted: Mapping[str, int],
    *before: e.AnyEvent,
) -> Decision[None]:
    others = [o for o in state.all_sessions().values() if o.id != s.id]
    taken = {port for o in others if not o.archived for port in o.ports.values()}
    old = {port for o in others if o.archived for port in o.ports.values()}
    bounds = hub.last_settings.workspaces.ports
    ports = lease(names, bounds, taken=taken, remembered=old, wanted=wanted)
    if ports == wanted:
        return Decision(before, None)
    return Decision((*before, e.PortsLeased(session=s.id, at=now(), ports=ports)), None)
