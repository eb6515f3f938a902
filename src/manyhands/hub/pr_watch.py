"""Open pull requests, looked at from time to time: less and less often while nothing moves."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.hub.forge import open_forge
from manyhands.hub.pr_status import look
from manyhands.model.clock import monotonic
from manyhands.model.ids import SessionId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)

SLOWER = 1.5
SLOWEST = 20.0
"""How many times the first pause a quiet pull request waits at most."""
BUSY_SLOWEST = 3.0
"""The same while checks run."""


@dataclass
class Pace:
    due: float = 0.0
    factor: float = 1.0
    stamp: str = ""

    def next(self, moved: bool, busy: bool) -> None:
        most = BUSY_SLOWEST if busy else SLOWEST
        self.factor = 1.0 if moved else min(self.factor * SLOWER, most)


async def keep_watching(hub: Hub) -> None:
    paces: dict[SessionId, Pace] = {}
    while True:
        hub.desk.stir.clear()
        every = hub.last_settings.github.poll_seconds
        watched = open_prs(hub) if every else []
        paces = {s.id: paces.get(s.id) or Pace() for s in watched}
        for s in watched:
            if paces[s.id].due <= monotonic():
                await _look(hub, s, paces[s.id], every)
        await _rest(hub, paces)


def open_prs(hub: Hub) -> list[Session]:
    """Sessions whose pull request may still move."""
    return [
        s
        for s in hub.state.all_sessions().values()
        if s.landing.pr and s.landing.pr.state in ("draft", "open") and not s.archived
    ]


async def _look(hub: Hub, s: Session, pace: Pace, every: float) -> None:
    before, stamp = s.landing.pr, pace.stamp
    try:
        async with open_forge(hub, s.repo) as forge:
            status = await look(hub, s, forge, known=stamp)
    except ManyhandsError as error:
        log.info("the pull request of %s could not be looked at: %s", s.slug, error)
        pace.next(moved=False, busy=False)
    else:
        pace.stamp = status.stamp
        moved = status.pr != before or stamp != status.stamp
        pace.next(moved, busy=status.pr.checks == "running")
    pace.due = monotonic() + every * pace.factor


async def _rest(hub: Hub, paces: dict[SessionId, Pace]) -> None:
    """Until the next one is due or somebody stirred one; with none, for as long as it takes."""
    first = min((pace.due for pace in paces.values()), default=None)
    wait = None if first is None else max(0.0, first - monotonic())
    with suppress(TimeoutError):
        await asyncio.wait_for(hub.desk.stir.wait(), wait)
        for pace in paces.values():
            pace.factor = 1.0
