"""What becomes due by the clock alone: a provider's limit that is over, minutes that are used up,
a day whose budget no longer counts.

One task sleeps until the earliest moment that the state names, or until that moment changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from manyhands.config import Settings
from manyhands.hub.core import Hub, Reactor
from manyhands.hub.fleet.budgets import SharedTotals, seconds_left
from manyhands.hub.fleet.fleet import TALK, Fleet
from manyhands.hub.fleet.places import resumption
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Kind, Resolution
from manyhands.model.clock import Instant, later, now, seconds_between
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Batch

SLACK_SECONDS = 0.05
"""Past the moment, so that what is due is due when it is looked at."""
LONGEST_SLEEP = 3600.0
"""The wall clock may be set meanwhile."""
DAY_SECONDS = 24 * 3600.0


class Alarms(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._stirred = asyncio.Event()

    def committed(self, batch: Batch) -> None:
        if not TALK.issuperset(map(type, batch.events)):
            self._stirred.set()

    async def run(self) -> None:
        hub = self._hub
        while True:
            self._stirred.clear()
            due = next_due(hub.state, hub.last_settings, now())
            sleep = min(seconds_between(now(), due) + SLACK_SECONDS, LONGEST_SLEEP) if due else None
            try:
                async with asyncio.timeout(sleep):
                    await self._stirred.wait()
            except TimeoutError:
                await hub.decide(lambda state: ringing(state, now()))
                for s in list(hub.state.all_sessions().values()):
                    if s.spending.running_since:
                        hub.part(Fleet).consider(s.id)


def next_due(state: State, settings: Settings, at: Instant) -> Instant:
    """The earliest moment at which something follows by itself; empty for none."""
    moments = [m for _, item in _items(state, "limit") if (m := _resumes_at(item))]
    moments += [m for _, item in _items(state, "budget") if (m := _day_ends_at(item)) > at]
    totals = SharedTotals(state, at)
    for s in state.all_sessions().values():
        if s.spending.running_since:
            left = seconds_left(s, settings, totals)
            moments += [later(at, left)] if left is not None else []
    return min(moments, default="")


def ringing(state: State, at: Instant) -> Iterator[e.AnyEvent]:
    """Sessions whose provider takes words again go on."""
    for s, item in _items(state, "limit"):
        moment = _resumes_at(item)
        if moment and moment <= at:
            again = Resolution(("retry",), "the limit is over", by="hub")
            yield e.AttentionResolved(session=s.id, item=item.id, resolution=again)
            yield from resumption(s)


def _items(state: State, kind: Kind) -> Iterator[tuple[Session, Attention]]:
    for s in state.all_sessions().values():
        for item in s.inbox.items if not s.life.archived else ():
            if item.kind == kind:
                yield s, item


def _resumes_at(item: Attention) -> Instant:
    return str(item.detail.get("resumes_at", ""))


def _day_ends_at(item: Attention) -> Instant:
    """When the day is over whose budget is used up; empty for a budget of no day."""
    scope = str(item.detail.get("scope", ""))
    is_day = scope not in ("", "session", "repo")
    return later(f"{scope}T00:00:00.000Z", DAY_SECONDS) if is_day else ""
