"""Telling a person, once, of what needs them and of what is finished.

Level-triggered like the fleet: whatever is open, awake and not yet told of is due. That it is
told is recorded before any channel is used, so that a hub that died in between tells nothing
twice. What is on somebody's screen is not told; in quiet hours it waits for their end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta

import msgspec

from manyhands.contract.attention import Delivered
from manyhands.hub.attention.channels import Channel, Notice, channels
from manyhands.hub.core import Hub, Reactor
from manyhands.hub.fleet.fleet import Fleet
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention
from manyhands.model.attention.sentences import (
    attention_sentence,
    failed_sentence,
    finished_sentence,
)
from manyhands.model.clock import now
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Decision

log = logging.getLogger(__name__)
PAUSES = (2.0, 10.0)
"""Seconds before a channel that failed is tried again; then it is given up."""
AT_ONCE = 4
LONGEST_SLEEP = 3600.0
STIRRING: tuple[type[e.Event], ...] = (
    e.PlanProposed,
    e.PermissionRequested,
    e.QuestionAsked,
    e.AttentionRaised,
    e.AttentionSnoozed,
    e.TurnFinished,
    e.SessionFailed,
    e.SessionRestored,
)
"""After which something may be due."""


class Notifier(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._stirred = asyncio.Event()
        self._ended: dict[str, Session] = {}
        self._sending = asyncio.Semaphore(AT_ONCE)
        for kind in STIRRING:
            hub.on(kind, lambda event: self._stirred.set())
        hub.on(e.TurnFinished, self._came_to_rest)
        hub.on(e.SessionFailed, self._came_to_rest)

    def _came_to_rest(self, event: e.Event) -> None:
        s = self._hub.state.session(event.session)
        if s is not None and s.status in ("idle", "failed") and not s.main.halted:
            self._ended[s.id] = s

    async def run(self) -> None:
        while True:
            self._stirred.clear()
            try:
                await self._tell_all()
            except Exception as error:  # noqa: BLE001 - it is noted
                self._hub.faults.note("notices", error)
            else:
                self._hub.faults.over("notices")
            try:
                async with asyncio.timeout(self._sleep()):
                    await self._stirred.wait()
            except TimeoutError:
                pass  # an item woke up, or the quiet hours are over

    def _sleep(self) -> float:
        """Until something may be due without anything happening."""
        at = now()
        items = (i for s in self._hub.state.all_sessions().values() for i in s.inbox.items)
        waits = [
            clock.seconds_until(i.snoozed_until)
            for i in items
            if not i.awake(at) and i.snoozed_until
        ]
        quiet = self._quiet()
        return min([LONGEST_SLEEP, *waits, *([quiet] if quiet else [])]) + 0.05

    def _quiet(self) -> float:
        """Seconds for which nobody wants to hear anything."""
        return quiet_seconds(self._hub.last_settings.notify.quiet, clock.local_time())

    async def _tell_all(self) -> None:
        ended, self._ended = self._ended, {}
        if self._quiet():
            return  # what is open then is told at their end; that a turn ended is old news
        for s, notice, about in [*self._due(), *_endings(ended.values())]:
            await self._tell(s, notice, about)

    def _due(self) -> Iterator[tuple[Session, Notice, str]]:
        at = now()
        for s in list(self._hub.state.all_sessions().values()):
            for item in s.inbox.items if not s.life.archived else ():
                if item.awake(at) and about_item(item) not in s.inbox.notified:
                    text = attention_sentence(s, item)
                    notice = Notice(
                        kind=item.kind, text=text, session=s.id, slug=s.slug, item=item.id
                    )
                    yield s, notice, about_item(item)

    async def _tell(self, s: Session, notice: Notice, about: str) -> None:
        rule = self._hub.last_settings.notify.rules.get(notice.kind, "all")
        seen = self._hub.part(Fleet).is_looked_at(s.id)
        told: e.Told = "muted" if rule == "off" else "seen" if seen else "sent"
        clean = msgspec.structs.replace(notice, text=self._hub.redactor.text(notice.text))
        if not await self._hub.write(lambda state: _recorded(state, s, clean, about, told)):
            return
        if told == "sent" and rule == "all":
            for channel in channels(self._hub.last_settings.notify):
                self._hub.spawn(self._deliver(channel, clean))

    async def _deliver(self, channel: Channel, notice: Notice) -> None:
        """Try a few times; nobody waits for it."""
        for pause in (*PAUSES, 0.0):
            async with self._sending:
                problem = await channel.send(notice)
            if not problem:
                return
            log.warning("notification by %s: %s", channel.name, problem)
            await asyncio.sleep(pause)


def about_item(item: Attention) -> str:
    return f"{item.id}@{item.snoozed_until}" if item.snoozed_until else item.id


def _endings(ended: Iterable[Session]) -> Iterator[tuple[Session, Notice, str]]:
    for s in ended:
        kind: e.NoticeKind = "failed" if s.status == "failed" else "finished"
        text = failed_sentence(s) if kind == "failed" else finished_sentence(s)
        yield s, Notice(kind=kind, text=text, session=s.id, slug=s.slug), f"{kind}-{s.main.turn}"


def _recorded(state: State, s: Session, notice: Notice, about: str, told: e.Told) -> Decision[bool]:
    """False where it is moot by now, or was told."""
    current = state.session(s.id)
    moot = (
        notice.item and all(i.id != notice.item for i in current.inbox.items) if current else True
    )
    if current is None or moot or current.life.archived or about in current.inbox.notified:
        return Decision((), False)
    told_event = e.PersonNotified(
        session=s.id, turn=s.main.turn, kind=notice.kind, text=notice.text, about=about, told=told
    )
    return Decision((told_event,), True)


async def try_channels(hub: Hub) -> list[Delivered]:
    """Send one sentence by every channel, now, and tell how each of them did."""
    notice = Notice(
        kind="finished", text="This is a test: notifications reach you", session="", slug="test"
    )
    async with asyncio.TaskGroup() as tasks:
        tried = [
            (channel.name, tasks.create_task(channel.send(notice)))
            for channel in channels(hub.settings.notify)
        ]
    return [Delivered(name, not task.result(), task.result()) for name, task in tried]


def quiet_seconds(hours: str, at: datetime) -> float:
    """How long the quiet hours go on, 0 outside of them; `hours` as in ``22:00-07:00``."""
    if not hours:
        return 0.0
    begin, end = (time.fromisoformat(part.strip()) for part in hours.split("-"))
    clock = at.time().replace(tzinfo=None)
    over_night = begin > end
    within = clock >= begin or clock < end if over_night else begin <= clock < end
    if not within:
        return 0.0
    until = at.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0)
    if until <= at:
        until += timedelta(days=1)
    return (until - at).total_seconds()
