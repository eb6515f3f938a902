"""What every operation needs: state, write, record, receipt, until, settings, and its own tasks.

It knows no operation. Whoever follows what was committed is a `Reactor`; whoever needs another
part of the hub asks for it by its type, and there is one of each.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Any, TypeVar, cast

import msgspec

from manyhands.config import Home, Settings, load_settings
from manyhands.errors import ManyhandsError
from manyhands.hub.core.asking import asking
from manyhands.hub.core.faults import WELL_SECONDS, Faults, Pauses, name_of
from manyhands.model import events as e
from manyhands.model.clock import Instant, Jumps, monotonic, now
from manyhands.model.ids import CommandId
from manyhands.model.state import State
from manyhands.store import Batch, Decision, Store

T = TypeVar("T")
Fact = TypeVar("Fact", bound=e.Fact)
P = TypeVar("P")
E = TypeVar("E", bound=e.Event)


Consequences = Callable[[State, Settings, Instant], list[e.AnyEvent]]
"""What follows from a state by itself."""


class Waiters:
    """Waiting for a state to come about: conditions that are checked after every commit.

    `until` returns the first value that its condition gives, at once if it holds already.
    """

    def __init__(self, state: Callable[[], State]) -> None:
        self._state = state
        self._waiting: dict[asyncio.Future[Any], Callable[[State], Any]] = {}
        self._in_vain: Exception | None = None

    async def until(self, condition: Callable[[State], T | None]) -> T:
        found = condition(self._state())
        if found is not None:
            return found
        if self._in_vain is not None:
            raise self._in_vain
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting[future] = condition
        try:
            return await future
        finally:
            self._waiting.pop(future, None)

    def check(self) -> None:
        """Called after every commit."""
        for future, condition in list(self._waiting.items()):
            found = condition(self._state())
            if found is not None and not future.done():
                future.set_result(found)

    def give_up(self, error: Exception) -> None:
        """No state comes about any more: whoever waits for one is told why."""
        self._in_vain = error
        for future in list(self._waiting):
            if not future.done():
                future.set_exception(error)


class Hub:
    def __init__(
        self,
        home: Home,
        store: Store,
        tasks: asyncio.TaskGroup,
        consequences: Consequences,
        turning_points: Iterable[type],
    ) -> None:
        """`turning_points`: the keepers' facts that may have consequences."""
        self.home = home
        self.store = store
        self.redactor = store.door.redactor
        """Knows every secret that any session was given."""
        self.waiters = Waiters(lambda: store.state)
        self.until = self.waiters.until
        self.stopping = asyncio.Event()
        self.faults = Faults(lambda: store.trouble is not None)
        self._consequences = consequences
        self._turning_points = frozenset(turning_points)
        self._tasks = tasks
        self._running: set[asyncio.Task[None]] = set()
        self._parts: dict[object, object] = {}
        self._heeders: defaultdict[type, list[Callable[[Any], object]]] = defaultdict(list)
        self.ending = False
        self._settings: tuple[object, Settings] = (None, Settings())
        self._jumps = Jumps()

    @property
    def state(self) -> State:
        return self.store.state

    @property
    def settings(self) -> Settings:
        """The user's config as it is now; a mistake in it is told to whoever asks next."""
        stamp: object = ()
        with suppress(OSError):
            # Not by time alone: a clock tick may hold a half-written config and the whole one.
            found = self.home.config.stat()
            stamp = found.st_ino, found.st_size, found.st_mtime_ns
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

    def part(self, kind: Callable[[Hub], P]) -> P:
        """The hub's one `kind`, made when it is first asked for."""
        if kind not in self._parts:
            self._parts[kind] = kind(self)
        return cast(P, self._parts[kind])

    async def write(
        self, decide: Callable[[State], Decision[T]], *, command: CommandId | None = None
    ) -> T:
        """Decide on the newest state, record the events, with who asked for them, and all that
        follows from them."""
        await self.note_jump()
        settings, asker = self.last_settings, asking.get()

        def whole(state: State) -> Decision[T]:
            decision, at = decide(state), now()
            events = [stamped(event, at, asker) for event in decision.events]
            after = state.layer()
            for event in events:
                after.apply(event)
            return Decision((*events, *self._consequences(after, settings, at)), decision.result)

        return await self.store.write(whole, receipt=command)

    async def note_jump(self) -> None:
        """Before anything is recorded after the wall clock jumped, so that nobody's work is timed
        by it: whoever works is said to have worked no longer than it did."""
        if not (seconds := self._jumps.take()):
            return

        def jumped(state: State) -> Decision[None]:
            working = (s.id for s in state.all_sessions().values() if s.spending.running_since)
            at = now()
            jumps = (e.ClockJumped(session=id, at=at, seconds=seconds) for id in working)
            return Decision(tuple(jumps), None)

        try:
            await self.store.write(jumped)
        except Exception:
            self._jumps.give_back(seconds)
            raise

    async def receipt(self, command: CommandId | None) -> Any:
        """What a command that was carried out before gave, as JSON-like values; else None."""
        if command is None:
            return None
        try:
            return await self.store.write(_unseen, receipt=command)
        except _Unseen:
            return None

    async def decide(
        self, events: Callable[[State], Iterable[e.AnyEvent]], *, command: CommandId | None = None
    ) -> None:
        """Record what the newest state asks for, where nobody needs to be told what that was."""
        await self.write(lambda state: Decision(tuple(events(state)), None), command=command)

    async def record(self, *events: e.AnyEvent, command: CommandId | None = None) -> None:
        """Record facts that no state can forbid."""
        await self.decide(lambda state: events, command=command)

    def react(self, state: State, facts: Sequence[e.Fact]) -> Sequence[e.Fact]:
        """What follows from facts that a keeper reported; `state` holds them already."""
        if self._turning_points.isdisjoint(map(type, facts)):
            return ()
        return self._consequences(state, self.last_settings, now())

    def on(self, kind: type[E], heed: Callable[[E], object]) -> None:
        """Have `heed` called with each event of that kind, right after its commit and on the event
        loop; it must not block."""
        self._heeders[kind].append(heed)

    def tell(self, batch: Batch, reactors: Iterable[Reactor]) -> None:
        """Something was committed."""
        self.waiters.check()
        for reactor in reactors:
            self._call(reactor.committed, batch)
        for event in batch.events:
            for heed in self._heeders.get(type(event), ()):
                self._call(heed, event)

    def tell_trouble(self, reactors: Iterable[Reactor]) -> None:
        """The store is in trouble, or no longer so."""
        if self.store.damage is not None:
            self.waiters.give_up(self.store.damage)
        for reactor in reactors:
            self._call(lambda reactor: reactor.troubled(), reactor)

    def _call(self, follower: Callable[[T], object], what: T) -> None:
        """A mistake in one follower keeps nothing from the others."""
        try:
            follower(what)
        except Exception as error:  # noqa: BLE001 - it is noted
            self.faults.note(name_of(follower), error)

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        """Work that nobody waits for; it ends with the hub."""
        if self.ending:
            work.close()
            return
        # In a context of its own: what is done later is nobody's request any more.
        task = self._tasks.create_task(self._guarded(work), context=Context())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # A task that is cancelled before its first step leaves what it was to await unawaited.
        task.add_done_callback(lambda task: work.close())

    async def _guarded(self, work: Coroutine[object, object, None]) -> None:
        """A task's root: a mistake in one session's work must not take the hub down."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - it is noted
            self.faults.note(name_of(work), error)

    async def keep_running(self, reactor: Reactor) -> None:
        """For as long as the hub lives: one that broke off begins anew, later each time. Once it
        has gone well for a while, nothing is told of that any more."""
        pauses, name = Pauses(), type(reactor).__name__
        while True:
            began = monotonic()
            well = asyncio.get_running_loop().call_later(WELL_SECONDS, self.faults.over, name)
            try:
                await reactor.run()
            except Exception as error:  # noqa: BLE001 - it is noted
                well.cancel()
                self.faults.note(name, error)
                await asyncio.sleep(pauses.after(monotonic() - began))
            else:
                return

    def end_tasks(self) -> None:
        self.ending = True
        for task in list(self._running):
            task.cancel()


def stamped(event: Fact, at: Instant, asker: e.Asker | None = None) -> Fact:
    """An event that names no moment is of the one in which it is recorded."""
    fresh = event if event.at else msgspec.structs.replace(event, at=at)
    if asker is None or isinstance(fresh, e.Unknown):
        return fresh
    return msgspec.structs.replace(fresh, asked_by=asker)


class Reactor:
    """A part of the hub that follows what was committed: events of a kind (`Hub.on`), or all."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def committed(self, batch: Batch) -> None:
        """Right after a commit, on the event loop, in the log's order; must not block."""

    def troubled(self) -> None:
        """The store takes nothing any more, or takes something again."""

    async def run(self) -> None:
        """For as long as the hub lives; may return at once. It is begun anew where it raises."""

    async def close(self) -> None:
        """The hub ends."""


class _Unseen(Exception):
    """Nothing is known of the command."""


def _unseen(state: State) -> Decision[Any]:
    raise _Unseen
