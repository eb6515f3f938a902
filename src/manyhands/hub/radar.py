"""The radar: the live forecast of conflicts between sessions, and of each with its moving base.

It is told of every changed path by the keepers' own diffs, and of moved branches by the file
system. After a look it rests for a multiple of the processor's time that the look took, so that
busy agents make it see less often, not work more.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import awatch

from manyhands.errors import ManyhandsError
from manyhands.git import refs
from manyhands.git.board import Clashes, Names
from manyhands.hub.conflict_words import changed
from manyhands.hub.crowding import is_crowded
from manyhands.hub.radar_sides import BASE, News, Sides
from manyhands.model import events as e
from manyhands.model import radar_events as r
from manyhands.model.clock import now, timed_on_processor
from manyhands.model.ids import SessionId
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Batch, Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)
GATHER_SECONDS = 0.02
REST = 35.0
"""A look costs at most one part in so many of a core."""
LONGEST_REST = 10.0
WHOLE_LOOKS = (
    e.SessionReady,
    e.SessionRestored,
    e.SessionRewound,
    r.UpdateApplied,
    r.UpdateAborted,
)
HEAD_LOOKS = (e.TurnFinished, e.SessionArchived, e.SessionRemoved, r.SessionMerged)


class Radar:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.sides = Sides(hub.home.radar)
        self._news: dict[SessionId, News] = {}
        self._stirred = asyncio.Event()
        self._one_look = asyncio.Lock()
        self._watched: set[str] = set()
        self._used = 0.0
        """Seconds of the processor that the last look took."""
        self.looked = asyncio.Event()
        """Set once everything has been looked at for the first time."""

    def start(self) -> None:
        if self._hub.last_settings.radar.enabled:
            self._stirred.set()
            self._hub.fleet.spawn(self._run())

    def close(self) -> None:
        self.sides.close()

    def committed(self, batch: Batch) -> None:
        for event in batch.events:
            if isinstance(event, e.DiffChanged):
                news = self._news.setdefault(event.session, News())
                news.paths.pop(event.path, None)
                news.paths[event.path] = event
            elif isinstance(event, WHOLE_LOOKS):
                self._news.setdefault(event.session, News()).scan = True
            elif isinstance(event, HEAD_LOOKS):
                self._news.setdefault(event.session, News())
            else:
                continue
            self._stirred.set()

    async def refresh(self) -> None:
        """Look at everything anew, now."""
        for s in live_sessions(self._hub.state):
            self._news.setdefault(s.id, News()).scan = True
        await self._look(whole=True)

    async def _run(self) -> None:
        while True:
            await self._stirred.wait()
            await asyncio.sleep(GATHER_SECONDS)
            try:
                await self._look()
            except Exception:
                log.exception("a look of the radar failed and asserts nothing")
            self.looked.set()
            await asyncio.sleep(min(LONGEST_REST, REST * self._used))

    async def _look(self, *, whole: bool = False) -> None:
        async with self._one_look:
            self._stirred.clear()
            news, self._news = self._news, {}
            sessions = live_sessions(self._hub.state)
            self._watch({s.repo for s in sessions})
            whole = whole or not self.looked.is_set()
            crowded = not whole and is_crowded(self._hub.state)
            found, self._used = await asyncio.to_thread(
                timed_on_processor, lambda: self.sides.look(sessions, news, crowded=crowded)
            )
            met = {(repo, names) for repo, pairs in found.items() for names in pairs}
            met |= set(self._unrecorded(sessions)) if not self.looked.is_set() else set()
            if met:
                await self._hub.write(lambda state: Decision(self._events(state, met), None))

    def _unrecorded(self, sessions: list[Session]) -> list[tuple[str, Names]]:
        """Pairs on record from an earlier hub, to be settled where nothing is left of them."""
        return [(s.repo, (s.id, c.other or BASE + c.base)) for s in sessions for c in s.collisions]

    def _events(self, state: State, met: set[tuple[str, Names]]) -> list[e.AnyEvent]:
        layer = state.layer()
        found: list[e.AnyEvent] = []
        for repo, (name, other) in sorted(met):
            sides = self.sides.repos[repo]
            s, them = layer.session(SessionId(name)), layer.session(SessionId(other))
            if s is None:
                continue
            clashes: Clashes = sides.found.get((name, other), ())
            base = other.removeprefix(BASE) if other.startswith(BASE) else ""
            first = sides.first((name, other))
            for event in changed(s, them, base, clashes, first, now()):
                layer.apply(event)
                found.append(event)
        return found

    def _watch(self, repos: set[str]) -> None:
        for repo in repos - self._watched:
            self._watched.add(repo)
            self._hub.fleet.spawn(self._watch_branches(repo))

    async def _watch_branches(self, repo: str) -> None:
        """Stir when a branch of the repository moves, whoever moved it."""
        try:
            place = await asyncio.to_thread(refs.common_dir, Path(repo))
            async for _ in awatch(
                place / "refs", watch_filter=None, debounce=200, step=50, rust_timeout=0
            ):
                self._stirred.set()
        except (ManyhandsError, OSError, RuntimeError) as error:
            log.warning("the branches of %s cannot be watched: %s", repo, error)


def live_sessions(state: State) -> list[Session]:
    """Those whose files count, the oldest first."""
    found = (s for s in state.all_sessions().values() if s.ready and not s.archived)
    return sorted(found, key=lambda s: (s.created_at, s.id))
