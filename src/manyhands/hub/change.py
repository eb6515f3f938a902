"""Small changes to a session: title, mode, model, effort, budget, and that a person has read it."""

from __future__ import annotations

import msgspec

from manyhands.agents.catalogue import require_mode
from manyhands.errors import BadInput, NotPossible
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.model.slug import require_title
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision

Amount = float | None | msgspec.UnsetType
"""Unset: as it is."""


async def rename(hub: Hub, ref: str, title: str) -> SessionView:
    plain = require_title(title)
    if not plain:
        raise BadInput("a title needs at least one word")
    s = require_session(hub.state, ref)
    return await _change(hub, s, e.SessionRenamed(session=s.id, at=now(), title=plain))


async def set_mode(hub: Hub, ref: str, mode: e.Mode) -> SessionView:
    s = require_session(hub.state, ref)
    require_mode(s.agent, hub.settings, mode)
    return await _change(hub, s, e.ModeChanged(session=s.id, at=now(), mode=mode))


async def set_model(hub: Hub, ref: str, model: str) -> SessionView:
    s = require_session(hub.state, ref)
    return await _change(hub, s, e.ModelChanged(session=s.id, at=now(), model=model))


async def set_effort(hub: Hub, ref: str, effort: str) -> SessionView:
    s = require_session(hub.state, ref)
    return await _change(hub, s, e.EffortChanged(session=s.id, at=now(), effort=effort))


async def set_budget(hub: Hub, ref: str, usd: Amount, minutes: Amount) -> SessionView:
    """A budget of the session's own; None: the configured one holds."""
    s = require_session(hub.state, ref)
    changed = e.BudgetChanged(
        session=s.id,
        at=now(),
        usd=s.budget_usd if usd is msgspec.UNSET else usd,
        minutes=s.budget_minutes if minutes is msgspec.UNSET else minutes,
    )
    return await _change(hub, s, changed)


async def read(hub: Hub, ref: str) -> SessionView:
    s = require_session(hub.state, ref)
    if not s.unread:
        return session_view(s)
    return await _change(hub, s, e.SessionRead(session=s.id, at=now()))


async def _change(hub: Hub, s: Session, event: e.AnyEvent) -> SessionView:
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    await hub.write(lambda state: Decision((event,), None))
    return session_view(require_session(hub.state, s.id))
