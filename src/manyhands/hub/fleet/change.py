"""Small changes to a session: title, mode, model, effort, budget, box, and that it was read."""

from __future__ import annotations

import msgspec

from manyhands.agents.catalogue import require_mode
from manyhands.contract.sessions import SessionView
from manyhands.errors import BadInput
from manyhands.hub.core import Boxes, Hub, require_living, require_session, view_of
from manyhands.model import events as e
from manyhands.model.box import BoxLevel, Network
from manyhands.model.session.session import Session
from manyhands.model.slug import require_title

Amount = float | None | msgspec.UnsetType
"""Unset: as it is."""


async def rename(hub: Hub, ref: str, title: str) -> SessionView:
    plain = require_title(title)
    if not plain:
        raise BadInput("a title needs at least one word")
    s = require_session(hub.state, ref)
    return await _change(hub, s, e.SessionRenamed(session=s.id, title=plain))


async def set_mode(hub: Hub, ref: str, mode: e.Mode) -> SessionView:
    s = require_session(hub.state, ref)
    require_mode(s.main.agent, hub.settings, mode)
    return await _change(hub, s, e.ModeChanged(session=s.id, mode=mode))


async def set_model(hub: Hub, ref: str, model: str) -> SessionView:
    s = require_session(hub.state, ref)
    return await _change(hub, s, e.ModelChanged(session=s.id, model=model))


async def set_effort(hub: Hub, ref: str, effort: str) -> SessionView:
    s = require_session(hub.state, ref)
    return await _change(hub, s, e.EffortChanged(session=s.id, effort=effort))


async def set_budget(hub: Hub, ref: str, usd: Amount, minutes: Amount) -> SessionView:
    """A budget of the session's own; None: the configured one holds."""
    s = require_session(hub.state, ref)
    changed = e.BudgetChanged(
        session=s.id,
        usd=s.budget.usd if usd is msgspec.UNSET else usd,
        minutes=s.budget.minutes if minutes is msgspec.UNSET else minutes,
    )
    return await _change(hub, s, changed)


async def set_box(
    hub: Hub,
    ref: str,
    level: BoxLevel | msgspec.UnsetType | None,
    network: Network | msgspec.UnsetType | None,
) -> SessionView:
    """A choice of the session's own, for its next agent; None: as the repository or the user has
    it."""
    s = require_session(hub.state, ref)
    wish = s.boxing.wish
    changed = e.BoxChanged(
        session=s.id,
        level=wish.level if level is msgspec.UNSET else level,
        network=wish.network if network is msgspec.UNSET else network,
    )
    await hub.part(Boxes).learn(s)
    if (changed.level, changed.network) == (wish.level, wish.network):
        return view_of(hub, s)
    return await _change(hub, s, changed)


async def read(hub: Hub, ref: str) -> SessionView:
    s = require_session(hub.state, ref)
    if not s.inbox.unread:
        return view_of(hub, s)
    return await _change(hub, s, e.SessionRead(session=s.id))


async def _change(hub: Hub, s: Session, event: e.AnyEvent) -> SessionView:
    require_living(s)
    await hub.record(event)
    return view_of(hub, s)
