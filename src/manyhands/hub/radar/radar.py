"""The radar: the live forecast of conflicts between sessions, and of each with its moving base.

It is told of every changed path by the keepers' own diffs, and of moved branches by the file
system. After a survey it rests for a multiple of the processor's time that it took, so that
busy agents make it see less often, not work more.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import msgspec

from manyhands.contract.landing import ConflictView
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.core import Hub, Reactor, require_session, worktree_of
from manyhands.hub.radar.precedence import CONFLICT
from manyhands.hub.radar.words import Pair, changed, collision
from manyhands.keeper.checkpoint import BEGINNING
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.landing import merge_events as m
from manyhands.model.radar.events import BaseMoved, Names
from manyhands.model.radar.hunks import PathHunks
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.radar import BASE, Met, News, Sides, watch_branches

log = logging.getLogger(__name__)
GATHER_SECONDS = 0.02
REST = 35.0
"""A survey costs at most one part in so many of a core."""
LONGEST_REST = 10.0
MOVING_ALL: tuple[type[e.Event], ...] = (
    e.SessionReady,
    e.SessionRestored,
    e.SessionRewound,
    m.UpdateApplied,
    m.UpdateAborted,
)
MOVING_HEAD: tuple[type[e.Event], ...] = (
    e.TurnFinished,
    e.SessionArchived,
    e.SessionRemoved,
    m.SessionMerged,
    BaseMoved,
)


class Radar(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.met: dict[tuple[str, Names], Met] = {}
        """The pairs that are in each other's way now."""
        self._sides = Sides(hub.home.radar)
        self._news: dict[SessionId, News] = {}
        self._stirred = asyncio.Event()
        self._one_survey = asyncio.Lock()
        self._watched: set[str] = set()
        self._used = 0.0
        """Seconds of the processor that the last survey took."""
        self.surveyed = asyncio.Event()
        """Set once everything has been surveyed for the first time."""
        hub.on(e.DiffChanged, self._path_changed)
        hub.on(e.CheckpointMade, self._began)
        for kind in MOVING_ALL:
            hub.on(kind, self._all_moved)
        for kind in MOVING_HEAD:
            hub.on(kind, self._heard)

    async def close(self) -> None:
        self._sides.close()

    def _heard(self, event: e.Event) -> News:
        self._stirred.set()
        return self._news.setdefault(event.session, News())

    def _path_changed(self, event: e.DiffChanged) -> None:
        paths = self._heard(event).paths
        paths.pop(event.path, None)
        paths[event.path] = event

    def _all_moved(self, event: e.Event) -> None:
        news = self._heard(event)
        news.scan, news.looked = True, False

    def _began(self, event: e.CheckpointMade) -> None:
        if event.checkpoint == BEGINNING:
            news = self._heard(event)
            news.scan, news.looked = False, True

    async def refresh(self) -> None:
        """Survey everything anew, now."""
        for s in live_sessions(self._hub.state):
            self._news.setdefault(s.id, News()).scan = True
        await self._survey(whole=True)

    def in_conflict(self) -> dict[SessionId, set[SessionId]]:
        """With which others each session is in conflict now."""
        found: dict[SessionId, set[SessionId]] = {}
        for met in self.met.values():
            one, other = map(SessionId, met.names)
            if not other.startswith(BASE) and any(c.kind == CONFLICT for c in met.clashes):
                found.setdefault(one, set()).add(other)
                found.setdefault(other, set()).add(one)
        return found

    async def hunks(self, s: Session, other: Session | None, path: str) -> list[PathHunks]:
        """What the two have in conflict, as the last survey saw them; the base where no other."""
        name = other.id if other else BASE + s.workspace.base
        labels = (s.slug, other.slug if other else s.workspace.base)
        async with self._one_survey:
            if (s.repo, (s.id, name)) in self.met:
                return await self._sides.hunks(s.repo, (s.id, name), labels, path)
            if (s.repo, (name, s.id)) not in self.met:
                return []
            found = await self._sides.hunks(s.repo, (name, s.id), (labels[1], labels[0]), path)
        turned = msgspec.structs.replace
        return [turned(p, hunks=tuple(h.turned for h in p.hunks)) for p in found]

    async def run(self) -> None:
        if not self._hub.last_settings.radar.enabled:
            return
        self._stirred.set()
        while True:
            await self._stirred.wait()
            await asyncio.sleep(GATHER_SECONDS)
            try:
                await self._survey()
            except Exception as error:  # noqa: BLE001 - it is noted, and asserts nothing
                self._hub.faults.note("the radar's survey", error)
            else:
                self._hub.faults.over("the radar's survey")
            self.surveyed.set()
            await asyncio.sleep(min(LONGEST_REST, REST * self._used))

    async def _survey(self, *, whole: bool = False) -> None:
        async with self._one_survey:
            self._stirred.clear()
            news, self._news = self._news, {}
            sessions = live_sessions(self._hub.state)
            self._watch({s.repo for s in sessions})
            whole = whole or not self.surveyed.is_set()
            sides = [worktree_of(self._hub, s) for s in sessions]
            awaited = frozenset(s.id for s in sessions if not whole and _is_awaited(s))
            surveyed = await self._sides.forecast(sides, news, awaited)
            self._used = surveyed.seconds
            met = {(repo, met.names): met for repo, pairs in surveyed.met.items() for met in pairs}
            self.met = {key: met for key, met in (self.met | met).items() if met.clashes}
            pairs = set(met)
            if not self.surveyed.is_set():
                pairs |= {pair for pair in _recorded(sessions) if pair[0] in surveyed.met}
            pairs |= self._concerned(pairs)
            if pairs:
                await self._hub.decide(lambda state: self._events(state, pairs))

    def _concerned(self, pairs: set[tuple[str, Names]]) -> set[tuple[str, Names]]:
        """Those of a session that meets its base otherwise: it may have to give way, or not."""
        moved = {name for _, (name, other) in pairs if other.startswith(BASE)}
        return {key for key in self.met if moved & set(key[1])}

    def _events(self, state: State, pairs: set[tuple[str, Names]]) -> Iterator[e.AnyEvent]:
        layer = state.layer()
        # Who is stuck with its base first: that decides who goes before whom.
        for repo, (name, other) in sorted(pairs, key=lambda p: (not p[1][1].startswith(BASE), p)):
            met = self.met.get((repo, (name, other)), Met((name, other), (), ""))
            s, them = layer.session(SessionId(name)), layer.session(SessionId(other))
            if s is None:
                continue
            base = other.removeprefix(BASE) if other.startswith(BASE) else ""
            for event in changed(Pair(s, them, base, met.rewritten), met.clashes, met.first):
                layer.apply(event)
                yield event

    def _watch(self, repos: set[str]) -> None:
        for repo in repos - self._watched:
            self._watched.add(repo)
            self._hub.spawn(self._watch_branches(repo))

    async def _watch_branches(self, repo: str) -> None:
        try:
            async for _ in watch_branches(repo):
                self._stirred.set()
        except (ManyhandsError, OSError, RuntimeError) as error:
            log.warning("the branches of %s cannot be watched: %s", repo, error)


def _recorded(sessions: list[Session]) -> Iterator[tuple[str, Names]]:
    """Pairs on record from an earlier hub, to be settled where nothing is left of them."""
    for s in sessions:
        yield from ((s.repo, (s.id, c.other or BASE + c.base)) for c in s.collisions)


def _is_awaited(s: Session) -> bool:
    """Whether its first turn is on or to come: its keeper begins it with a survey of all."""
    begins = s.main.in_turn or s.place.granted or bool(s.main.undelivered)
    return begins and not s.history.checkpoints


def live_sessions(state: State) -> list[Session]:
    """Those whose files count, the oldest first."""
    found = (s for s in state.all_sessions().values() if s.life.ready and not s.life.archived)
    return sorted(found, key=lambda s: (s.created_at, s.id))


async def require_surveyed(hub: Hub, *, fresh: bool) -> None:
    if not hub.last_settings.radar.enabled:
        raise NotPossible("the radar is off", hint="set `enabled = true` in [radar] of the config")
    radar = hub.part(Radar)
    # It may have been switched on only now, and look for the first time in a while.
    if fresh or not radar.surveyed.is_set():
        await radar.refresh()


async def conflicts(
    hub: Hub, session: str = "", other: str = "", *, overlaps: bool = False, fresh: bool = False
) -> list[ConflictView]:
    """Pairs that would conflict; with `overlaps`, also those that merely touched one file. Of one
    `session`, and with one `other` or a base of that name, if they are given."""
    wanted = [_named(hub.state, ref) for ref in (session, other) if ref]
    await require_surveyed(hub, fresh=fresh)
    views = [view for met in hub.part(Radar).met.values() if (view := _view(hub, met))]
    found = [
        v
        for v in views
        if (overlaps or any(p.kind == CONFLICT for p in v.paths))
        and all(name in (v.a, v.b) for name in wanted)
    ]
    return sorted(found, key=lambda view: (view.a, view.b))


def _named(state: State, ref: str) -> str:
    bases = {s.workspace.base for s in live_sessions(state)}
    return ref if ref in bases else require_session(state, ref).id


def _view(hub: Hub, met: Met) -> ConflictView | None:
    name, other = met.names
    s = hub.state.session(SessionId(name))
    if s is None:
        return None
    base = other.removeprefix(BASE) if other.startswith(BASE) else ""
    known = collision(s, hub.state.session(SessionId(other)), base)
    return ConflictView(
        a=s.id,
        b=base or other,
        base=bool(base),
        paths=met.clashes,
        first=known.first if known else SessionId(""),
        suggestion=known.suggestion if known else "",
    )
