"""The inbox: all open attention, most blocking and oldest first; and putting an item off."""

from __future__ import annotations

import msgspec

from manyhands.errors import NotFound
from manyhands.hub.core import Hub
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, snoozed, urgency
from manyhands.model.clock import later, now
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


async def snooze(hub: Hub, item: str, minutes: float) -> Attention:
    """Nobody is told of it, and `next` passes it by, until then; no minutes wake it up again."""

    def decide(state: State) -> Decision[Attention]:
        s, found = _require_item(state, item)
        until = later(now(), minutes * 60) if minutes else ""
        put_off = e.AttentionSnoozed(session=s.id, turn=s.main.turn, item=found.id, until=until)
        return Decision((put_off,), snoozed((found,), found.id, until)[0])

    return msgspec.convert(await hub.write(decide), Attention)


def _require_item(state: State, item: str) -> tuple[Session, Attention]:
    for s in state.all_sessions().values():
        for found in s.inbox.items:
            if found.id == item and not s.life.archived:
                return s, found
    raise NotFound(f"no open item is called {item!r}; it may have been answered already")


def inbox(hub: Hub) -> list[Attention]:
    at = now()
    living = (s for s in hub.state.all_sessions().values() if not s.life.archived)
    items = (item for s in living for item in s.inbox.items)
    return sorted(items, key=lambda item: (not item.awake(at), *urgency(item)))


def next_item(hub: Hub) -> Attention:
    items = inbox(hub)
    if items and items[0].awake(now()):
        return items[0]
    put_off = f"; {len(items)} put off" if items else ""
    raise NotFound(
        f"nothing needs you{put_off}", hint="`manyhands ls` shows what is being worked on"
    )
