"""Interrupt the running turn, or take back what has not begun yet; and end the hub itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

from manyhands.contract.sessions import SessionView
from manyhands.errors import NotPossible, StoreFailed
from manyhands.hub.core import Hub, require_session, view_of
from manyhands.hub.fleet import keepers
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.fleet.link import Links
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


async def stop(hub: Hub, ref: str) -> SessionView:
    """Returns when the turn is over; a session that does nothing is left as it is."""
    session = require_session(hub.state, ref).id
    s = await hub.until(lambda state: _stoppable(hub, state, session))
    _require_reachable(s)
    if s.works:
        return view_of(hub, await _interrupt(hub, s))
    await hub.decide(lambda state: _take_back(state, session))
    return view_of(hub, require_session(hub.state, session))


async def stop_conversations(hub: Hub, session: SessionId) -> None:
    """Stop what works beside a main conversation that rests."""
    s = require_session(hub.state, session)
    if not s.main.in_turn and s.works:
        await stop(hub, s.id)


def _stoppable(hub: Hub, state: State, session: SessionId) -> Session | None:
    """A turn that is about to begin can be stopped only once it has; a keeper, once found."""
    s = state.session(session)
    if s is None or s.keeper.state == "unreachable":
        return s
    begins = s.place.granted or s.inbox.answers
    waits = session not in hub.part(Links).live if s.works else begins
    return None if waits else s


async def _interrupt(hub: Hub, s: Session) -> Session:
    try:
        error = await hub.part(Links).live[s.id].do(fresh_id(12), wire.Interrupt())
    except ConnectionError:
        error = ""
    if error:
        raise NotPossible(f"the turn of {s.slug} could not be stopped: {error}")
    rested = await hub.until(lambda state: _at_rest(state, s.id))
    _require_reachable(rested)
    return rested


def _at_rest(state: State, session: SessionId) -> Session | None:
    s = state.session(session)
    return s if s is not None and (not s.works or s.keeper.state == "unreachable") else None


def _require_reachable(s: Session) -> None:
    if s.keeper.state == "unreachable":
        raise NotPossible(f"{s.slug} cannot be stopped: {s.place.reason}")


def _take_back(state: State, session: SessionId) -> list[e.AnyEvent]:
    """No turn runs: withdraw queued messages and items that a dead agent left open."""
    s = state.session(session)
    if s is None or s.life.archived:
        return []
    moot = Resolution(text="stopped", by="stop")
    events: list[e.AnyEvent] = [] if s.place.granted else list(withdrawal(s))
    for item in s.inbox.items:
        if item.kind in ("setup_failed", "trust"):
            continue  # no agent waits for it, and what it is about would come again
        events.append(e.AttentionResolved(session=s.id, item=item.id, resolution=moot))
        events.append(e.AnswerDelivered(session=s.id, item=item.id))
    if events or s.main.broken:
        events.append(e.SessionStopped(session=s.id))
    return events


def withdrawal(s: Session) -> Iterator[e.AnyEvent]:
    """Take back messages that no agent has seen; the log keeps their words."""
    for message in s.main.undelivered:
        yield e.MessageDelivered(session=s.id, message=message.id)
    if s.main.undelivered:
        yield e.NoteMade(session=s.id, text="Stopped before the agent took it up.")


log = logging.getLogger(__name__)


async def shut_down(hub: Hub, *, keepers: bool) -> None:
    """Returns when keepers have ended where asked for; the hub ends right after."""
    if keepers:
        hub.part(Fleet).rest()
        await asyncio.gather(*(_stop(hub, session) for session in await _living(hub)))
    hub.stopping.set()


async def _living(hub: Hub) -> list[SessionId]:
    """Those of whose keepers the writer knows, after which none is begun."""
    try:
        return await hub.write(lambda state: Decision((), _with_keepers(state)))
    except StoreFailed:
        return _with_keepers(hub.state)


def _with_keepers(state: State) -> list[SessionId]:
    return [s.id for s in state.all_sessions().values() if s.keeper.state != "none"]


async def _stop(hub: Hub, session: SessionId) -> None:
    try:
        await keepers.stop_keeper(hub, session)
    except TimeoutError:
        log.warning("the keeper of %s did not end in time", session)
    except StoreFailed as error:
        log.warning("the keeper of %s was told to end, which cannot be stored: %s", session, error)
