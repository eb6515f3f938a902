"""The hub: one per home, owning store, feed and fleet; operations are functions over it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from manyhands.config import Home, Settings, load_settings
from manyhands.errors import ManyhandsError
from manyhands.git.command_log import command_log
from manyhands.hub.alarms import keep_alarms
from manyhands.hub.desk import Desk
from manyhands.hub.expiry import keep_sweeping
from manyhands.hub.feed import Feed
from manyhands.hub.fetches import Fetches
from manyhands.hub.fleet import Fleet
from manyhands.hub.lock import hub_lock
from manyhands.hub.merge import settle_merges
from manyhands.hub.notifying import Notifier
from manyhands.hub.places import consequences
from manyhands.hub.pool import Pool
from manyhands.hub.radar import Radar
from manyhands.hub.stray import Strays
from manyhands.hub.update import look_after_turns
from manyhands.hub.verdict import Verdicts
from manyhands.hub.waiting import Waiters
from manyhands.keeper.nursery import Nursery
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.state import State
from manyhands.store import Batch, Decision, Store

log = logging.getLogger(__name__)
T = TypeVar("T")


class Hub:
    def __init__(
        self, home: Home, store: Store, nursery: Nursery, tasks: asyncio.TaskGroup
    ) -> None:
        self.home = home
        self.store = store
        self.feed = Feed()
        self.waiters = Waiters(lambda: store.state)
        self.fleet = Fleet(self, nursery, tasks)
        self.fetches = Fetches()
        self.pool = Pool(self)
        self.strays = Strays(self)
        self.notifier = Notifier(self)
        self.verdicts = Verdicts(self)
        self.radar = Radar(self)
        self.desk = Desk()
        self.making = asyncio.Semaphore(os.cpu_count() or 1)
        """Held while a new worktree is checked out."""
        self.viewing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held while a session's tree of viewed files gets a new version."""
        self.merges: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held while something is merged in a repository."""
        self.stopping = asyncio.Event()
        self.cut_off = {s.id for s in store.state.all_sessions().values() if not s.ready}
        """Sessions whose creation an earlier hub, or an earlier try, did not finish."""
        self._settings: tuple[int, Settings] = (-1, Settings())

    @property
    def state(self) -> State:
        return self.store.state

    @property
    def settings(self) -> Settings:
        """The user's config as it is now; a mistake in it is told to whoever asks next."""
        try:
            stamp = self.home.config.stat().st_mtime_ns
        except OSError:
            stamp = 0
        if stamp != self._settings[0]:
            self._settings = (stamp, load_settings(self.home))
        return self._settings[1]

    @property
    def last_settings(self) -> Settings:
        """The config as it last was valid, for work that nobody waits for."""
        try:
            return self.settings
        except ManyhandsError:
            return self._settings[1]

    async def write(
        self, decide: Callable[[State], Decision[T]], *, command: CommandId | None = None
    ) -> T:
        """Decide on the newest state, record the events and all that follows from them."""
        settings = self.last_settings

        def whole(state: State) -> Decision[T]:
            decision = decide(state)
            after = state.layer()
            for event in decision.events:
                after.apply(event)
            following = consequences(after, settings, now())
            return Decision((*decision.events, *following), decision.result)

        return await self.store.write(whole, receipt=command)

    async def receipt(self, command: CommandId | None) -> Any:
        """What a command that was carried out before gave, as JSON-like values; else None."""
        if command is None:
            return None
        try:
            return await self.store.write(_unseen, receipt=command)
        except _Unseen:
            return None

    async def record(self, *events: e.AnyEvent) -> None:
        """Record facts that no state can forbid."""
        await self.write(lambda state: Decision(events, None))

    def react(self, state: State, facts: Sequence[e.Fact]) -> Sequence[e.Fact]:
        """What follows from facts that a keeper reported; `state` holds them already."""
        if any(isinstance(fact, _TURNING_POINTS) for fact in facts):
            return consequences(state, self.last_settings, now())
        return []

    def committed(self, batch: Batch) -> None:
        self.feed.publish(batch)
        self.waiters.look()
        for session in batch.sessions:
            self.fleet.consider(session)
        self.pool.committed(batch)
        self.strays.committed(batch)
        self.radar.committed(batch)
        look_after_turns(self, batch)
        self.notifier.committed(batch)
        self.verdicts.committed(batch)


class _Unseen(Exception):
    """Nothing is known of the command."""


def _unseen(state: State) -> Decision[Any]:
    raise _Unseen


_TURNING_POINTS = (
    e.TurnStarted,
    e.TurnFinished,
    e.AgentExited,
    e.SessionFailed,
    e.PlanProposed,
    e.PermissionRequested,
    e.QuestionAsked,
    e.AttentionRaised,
    e.AttentionResolved,
    e.MessageDelivered,
    e.AnswerDelivered,
    e.AgentHeld,
)
"""Facts after which someone else may work, or someone must be asked."""


@asynccontextmanager
async def open_hub(home: Home) -> AsyncIterator[Hub]:
    """The hub of `home`, running; refuses where another one has it."""
    from manyhands.hub.pr_watch import keep_watching  # an operation, which knows the hub

    home.make()
    with hub_lock(home):
        command_log.keep_in(home.command_log, owned=True)
        store = Store.open(home.store)
        nursery = Nursery(log_path=home.logs / "nursery.log")
        try:
            async with asyncio.TaskGroup() as tasks:
                hub = Hub(home, store, nursery, tasks)
                hub.settings  # noqa: B018 - a corrupt config is told before anything starts
                store.subscribe(hub.committed)
                await hub.fleet.start()
                hub.pool.start()
                hub.radar.start()
                hub.fleet.spawn(settle_merges(hub))
                hub.fleet.spawn(keep_sweeping(hub))
                hub.fleet.spawn(keep_watching(hub))
                hub.fleet.spawn(keep_alarms(hub))
                hub.fleet.spawn(hub.notifier.run())
                try:
                    yield hub
                finally:
                    hub.pool.close()
                    await hub.fleet.close()
                    hub.radar.close()
        finally:
            await nursery.close()
            await store.close()
