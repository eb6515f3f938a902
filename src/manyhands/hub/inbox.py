"""The inbox: all open attention, most blocking and oldest first."""

from __future__ import annotations

from manyhands.errors import NotFound
from manyhands.hub.hub import Hub
from manyhands.model.attention import Attention, urgency


def inbox(hub: Hub) -> list[Attention]:
    living = (s for s in hub.state.all_sessions().values() if not s.archived)
    return sorted((item for s in living for item in s.attention), key=urgency)


def next_item(hub: Hub) -> Attention:
    items = inbox(hub)
    if not items:
        raise NotFound("nothing needs you", hint="`manyhands ls` shows what is being worked on")
    return items[0]
