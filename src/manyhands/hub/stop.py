"""Interrupt the running turn, or take back what has not begun yet."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.errors import NotPossible
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention import Resolution
from manyhands.model.clock import Instant, now
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision


async def stop(hub: Hub, ref: str) -> SessionView:
    """Returns when the turn is over; a session that does nothing is left as it is."""
    session = require_session(hub.state, ref).id
    s = await hub.waiters.until(lambda state: _stoppable(hub, state, session))
    _require_reachable(s)
    if is_in_turn(s):
        return session_view(await _interrupt(hub, s))
    await hub.write(lambda state: _take_back(state, session))
    return session_view(require_session(hub.state, session))


async def stop_beside(hub: Hub, session: SessionId) -> None:
    """Stop what works beside a main conversation that rests."""
    s = require_session(hub.state, session)
    if not s.in_turn and is_in_turn(s):
        await stop(hub, s.id)


def _stoppable(hub: Hub, state: State, session: SessionId) -> Session | None:
    """A turn that is about to begin can be stopped only once it has; a keeper, once found."""
    s = state.session(session)
    if s is None or s.keeper == "unreachable":
        return s
    begins = s.place or s.answers
    waits = session not in hub.fleet.links if is_in_turn(s) else begins
    return None if waits else s


def is_in_turn(s: Session) -> bool:
    """The main conversation or another."""
    return s.in_turn or any(c.in_turn for c in s.conversations)


async def _interrupt(hub: Hub, s: Session) -> Session:
    try:
        error = await hub.fleet.links[s.id].do(fresh_id(12), wire.Interrupt())
    except ConnectionError:
        error = ""
    if error:
        raise NotPossible(f"the turn of {s.slug} could not be stopped: {error}")
    rested = await hub.waiters.until(lambda state: _at_rest(state, s.id))
    _require_reachable(rested)
    return rested


def _at_rest(state: State, session: SessionId) -> Session | None:
    s = state.session(session)
    return s if s is not None and (not is_in_turn(s) or s.keeper == "unreachable") else None


def _require_reachable(s: Session) -> None:
    if s.keeper == "unreachable":
        raise NotPossible(f"{s.slug} cannot be stopped: {s.reason}")


def _take_back(state: State, session: SessionId) -> Decision[None]:
    """No turn runs: withdraw queued messages and items that a dead agent left open."""
    s = state.session(session)
    if s is None or s.archived:
        return Decision((), None)
    at = now()
    moot = Resolution(text="stopped", by="stop")
    events: list[e.AnyEvent] = [] if s.place else list(withdrawal(s, at))
    for item in s.attention:
        if item.kind in ("setup_failed", "trust"):
            continue  # no agent waits for it, and what it is about would come again
        events.append(e.AttentionResolved(session=s.id, at=at, item=item.id, resolution=moot))
        events.append(e.AnswerDelivered(session=s.id, at=at, item=item.id))
    if events or s.broken:
        events.append(e.SessionStopped(session=s.id, at=at))
    return Decision(events, None)


def withdrawal(s: Session, at: Instant) -> Iterator[e.AnyEvent]:
    """Take back messages that no agent has seen; the log keeps their words."""
    for message in s.undelivered:
        yield e.MessageDelivered(session=s.id, at=at, message=message.id)
    if s.undelivered:
        yield e.NoteMade(session=s.id, at=at, text="Stopped before the agent took it up.")
