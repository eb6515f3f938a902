"""The inbox: all open attention, most blocking and oldest first; what is put off comes last."""

from __future__ import annotations

from manyhands.errors import NotFound
from manyhands.hub.hub import Hub
from manyhands.model.attention import Attention, urgency
from manyhands.model.clock import now


def inbox(hub: Hub) -> list[Attention]:
    at = now()
    living = (s for s in hub.state.all_sessions().values() if not s.archived)
    items = (item for s in living for item in s.attention)
    return sorted(items, key=lambda item: (not item.awake(at), *urgency(item)))


def next_item(hub: Hub) -> Attention:
    items = inbox(hub)
    if items and items[0].awake(now()):
        return items[0]
    put_off = f"; {len(items)} put off" if items else ""
    raise NotFound(
        f"nothing needs you{put_off}", hint="`manyhands ls` shows what is being worked on"
    )
