"""What all landing needs to know first: that a session's work can go anywhere at all."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, require_ready, settle_twin, worktree_of
from manyhands.hub.fleet.places import is_moving
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.station.worktree import Worktree, require_there


class Desk:
    def __init__(self, hub: Hub) -> None:
        self.stir = asyncio.Event()
        """Set when a pull request may have moved by our own doing."""
        self.heeding: defaultdict[SessionId, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held while what happened to a session's pull request is told to its agent."""


async def require_landable(hub: Hub, s: Session) -> Worktree:
    """The worktree, if the session's work can go anywhere from it."""
    require_ready(s)
    if is_moving(s):
        raise NotPossible(f"{s.slug} is in the middle of something else: {s.life.step}")
    at = worktree_of(hub, s)
    await require_there(at)
    await settle_twin(hub, s)
    return at


def is_at_work(s: Session) -> bool:
    """Whether someone who may write does, or is about to; a question beside it is no such work."""
    beside = [c for c in s.others if c.in_turn or c.undelivered]
    asks_only = bool(beside) and not any(c.writes for c in beside)
    return (
        s.main.in_turn
        or bool(s.main.undelivered or s.inbox.answers)
        or (s.place.granted and not asks_only)
    )
