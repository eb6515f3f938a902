"""Put an open item off: nobody is told of it, and `next` passes it by, until its time is up."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from manyhands.errors import NotFound
from manyhands.hub.hub import Hub
from manyhands.model import events as e
from manyhands.model.attention import Attention, snoozed
from manyhands.model.clock import Instant, now
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


async def snooze(hub: Hub, item: str, minutes: float) -> Attention:
    """No minutes at all wake it up again."""

    def decide(state: State) -> Decision[Attention]:
        s, found = _require_item(state, item)
        at = now()
        until = later(at, minutes) if minutes else ""
        put_off = e.AttentionSnoozed(session=s.id, at=at, turn=s.turn, item=found.id, until=until)
        return Decision((put_off,), snoozed((found,), found.id, until)[0])

    return msgspec.convert(await hub.write(decide), Attention)


def later(at: Instant, minutes: float) -> Instant:
    then = datetime.fromisoformat(at) + timedelta(minutes=minutes)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _require_item(state: State, item: str) -> tuple[Session, Attention]:
    for s in state.all_sessions().values():
        for found in s.attention:
            if found.id == item and not s.archived:
                return s, found
    raise NotFound(f"no open item is called {item!r}; it may have been answered already")
