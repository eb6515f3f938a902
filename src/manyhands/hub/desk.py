"""Where landing happens: one thing at a time per session, and one exchange with all forges."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import NotPossible
from manyhands.forges.exchange import Exchange
from manyhands.hub.places import is_moving
from manyhands.model.ids import SessionId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class Desk:
    def __init__(self) -> None:
        self.exchange = Exchange()
        self.busy: defaultdict[SessionId, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.stir = asyncio.Event()
        """Set when a pull request may have moved by our own doing."""


def require_landable(s: Session) -> Path:
    """The worktree, if the session's work can go anywhere from it."""
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready:
        raise NotPossible(f"{s.slug} is not ready yet")
    if is_moving(s):
        raise NotPossible(f"{s.slug} is in the middle of something else: {s.step}")
    worktree = Path(s.worktree)
    if not worktree.is_dir():
        raise NotPossible(
            f"the worktree {worktree} is missing", hint="`manyhands doctor` says what is left"
        )
    return worktree


def is_at_work(s: Session) -> bool:
    """Whether someone who may write does, or is about to; a question beside it is no such work."""
    beside = [c for c in s.conversations if c.in_turn or c.undelivered]
    asks_only = bool(beside) and not any(c.writes for c in beside)
    return s.in_turn or bool(s.undelivered or s.answers) or (s.place and not asks_only)


def place_of(hub: Hub, s: Session) -> Path:
    """Where a session's commits are put together."""
    return hub.home.sessions / s.id / "landing"
