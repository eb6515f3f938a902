"""The base, as it is now: one notion of it, for all that starts from a branch or lands on one.

Branches here are read again when a file of theirs has changed; those of remotes are fetched when
something depends on them, and quietly from time to time while sessions live. Whoever moved a base,
here or there, every session of it learns of it once: what it was last told is on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from shlex import quote

from msgspec.structs import replace

from manyhands.contract.hub import Finding
from manyhands.contract.landing import BaseView
from manyhands.hub.core import Feed, Hub, Reactor, require_session
from manyhands.hub.repos.fetches import NEVER, FetchedBase, Fetches
from manyhands.model import events as e
from manyhands.model.clock import monotonic, now, seconds_between
from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing import events as le
from manyhands.model.landing import merge_events as m
from manyhands.model.radar.events import BaseMoved
from manyhands.model.repo.bases import BaseNow
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.bases import BaseWatch, Names, load_base_now

LOOK_SECONDS = 1.0
"""A look is at the attributes of a few files per repository."""
QUIET_SECONDS = 300.0
"""How long a fetch for which nobody waits may take."""
AT_ONCE = 3
"""So many remotes are asked quietly at the same time: each holds a thread of the hub's."""
UNWATCHED = 5.0
"""So many times less often remotes are asked while nobody looks and no agent works."""
MOST_DOUBLED = 4
"""So often the pause is doubled for a remote that does not answer."""
FEWEST_FAILURES = 2
FRESH_SECONDS = 60.0
STIRRING: tuple[type[e.Event], ...] = (
    e.SessionReady,
    e.SessionRestored,
    m.SessionMerged,
    m.TargetForwarded,
)


class Bases(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._watch = BaseWatch()
        self._known: dict[Names, BaseNow] = {}
        self._stirred = asyncio.Event()
        self._began = monotonic()
        self._fetching: set[Names] = set()
        self._quietly = asyncio.Semaphore(AT_ONCE)
        self._merged: set[str] = set()
        """Repositories whose remote has moved, as the forge says."""
        for kind in STIRRING:
            hub.on(kind, lambda event: self._stirred.set())
        hub.on(le.PrChanged, self._pr_changed)

    async def now(self, repo: str, name: str) -> BaseNow:
        """As it is known here."""
        base = await load_base_now(repo, name)
        return _dated(base, self._hub.part(Fetches).last(repo, base.tracking))

    async def fetch(self, repo: str, name: str) -> BaseNow:
        """As the remote has it at this moment, if there is one and it answers in time; else as it
        is known here, with the reason."""
        base = await load_base_now(repo, name)
        seconds = self._hub.last_settings.workspaces.fetch_seconds
        if not base.remote or not seconds:
            return await self.now(repo, name)
        fetched = await self._hub.part(Fetches).fetch_anew(repo, base.tracking, seconds)
        self._stirred.set()
        return _dated(await load_base_now(repo, name), fetched)

    async def run(self) -> None:
        while True:
            self._stirred.clear()
            live = _live(self._hub.state)
            await self._look(live)
            for repo, tracking in self._due():
                self._fetching.add((repo, tracking))
                self._hub.spawn(self._fetch_quietly(repo, tracking))
            try:
                async with asyncio.timeout(LOOK_SECONDS if live else None):
                    await self._stirred.wait()
            except TimeoutError:
                continue

    async def _look(self, live: dict[SessionId, Session]) -> None:
        wanted: dict[str, set[str]] = {}
        for s in live.values():
            wanted.setdefault(s.repo, set()).add(s.workspace.base)
        self._known = await self._watch.look({r: frozenset(n) for r, n in wanted.items()})
        if any(self._moves(self._hub.state, live)):
            await self._hub.decide(lambda state: self._moves(state, live))

    def _moves(self, state: State, live: dict[SessionId, Session]) -> Iterator[BaseMoved]:
        """Only for sessions that were there before the look: what others know may be newer."""
        for id, before in live.items():
            base = self._known.get((before.repo, before.workspace.base))
            s = state.session(id)
            if s is None or base is None or not base.tip or base.relation == "fixed":
                continue
            told = s.workspace.base_tip or s.workspace.base_commit
            if s.workspace.base_tip != before.workspace.base_tip or told == base.tip:
                continue
            by = _mover(state, s.repo, base.tip)
            if by != id and s.workspace.branch != base.branch:
                yield BaseMoved(session=id, base=base.tip_name, commit=base.tip, by=by)

    @property
    def followed(self) -> set[Names]:
        """The remotes' branches that sessions go by, with their repositories."""
        return {(repo, base.tracking) for (repo, _), base in self._known.items() if base.remote}

    def _due(self) -> list[Names]:
        """Those to be fetched now."""
        settings, merged = self._hub.last_settings, self._merged
        if not settings.base.poll_seconds or not settings.workspaces.fetch_seconds:
            return []
        every = settings.base.poll_seconds * self._slowness
        # A fetch that runs may have begun before that.
        self._merged = merged & {repo for repo, _ in self._fetching}
        return [
            asked
            for asked in self.followed
            if _is_trusted(self._hub, asked[0])
            and asked not in self._fetching
            and (asked[0] in merged or self._rested(*asked) >= every)
        ]

    @property
    def _slowness(self) -> float:
        sessions = self._hub.state.all_sessions().values()
        is_watched = self._hub.part(Feed).is_read or any(s.works for s in sessions)
        return 1.0 if is_watched else UNWATCHED

    def _rested(self, repo: str, tracking: str) -> float:
        """How long it was left alone, which counts for less where it did not answer."""
        last = self._hub.part(Fetches).last(repo, tracking)
        since = self._began if last.at == NEVER else last.at
        return (monotonic() - since) / float(2 ** min(last.failures, MOST_DOUBLED))

    async def _fetch_quietly(self, repo: str, tracking: str) -> None:
        try:
            async with self._quietly:
                await self._hub.part(Fetches).fetch(repo, tracking, QUIET_SECONDS, alone=True)
        finally:
            self._fetching.discard((repo, tracking))
        self._stirred.set()

    def _pr_changed(self, event: le.PrChanged) -> None:
        s = self._hub.state.session(event.session)
        if s is not None and event.pr.state == "merged":
            self._merged.add(s.repo)
            self._stirred.set()


def _live(state: State) -> dict[SessionId, Session]:
    found = state.all_sessions().values()
    return {s.id: s for s in found if s.life.ready and not s.life.archived and s.workspace.base}


def _mover(state: State, repo: str, tip: Oid) -> SessionId:
    """The session whose merge brought the base there; it may be about to go on record."""
    for s in state.all_sessions().values():
        made = (s.merges.running, s.merges.last)
        if s.repo == repo and any(merge and merge.commit == tip for merge in made):
            return s.id
    return SessionId("")


def _is_trusted(hub: Hub, path: str) -> bool:
    repo = hub.state.repo(path)
    return repo is not None and repo.trusted


def _dated(base: BaseNow, fetched: FetchedBase) -> BaseNow:
    if not base.remote:
        return base
    return replace(base, fetched_at=fetched.known_at, error=fetched.error)


async def base_of(hub: Hub, ref: str, *, fetch: bool = False) -> BaseView:
    """The base of a session, as it is now; with `fetch`, after the remote was asked."""
    s, bases = require_session(hub.state, ref), hub.part(Bases)
    ask = bases.fetch if fetch else bases.now
    return base_view(await ask(s.repo, s.workspace.base))


def base_view(base: BaseNow) -> BaseView:
    return BaseView(
        name=base.name,
        branch=base.branch,
        local=base.local,
        tracking=base.tracking,
        upstream=base.upstream,
        relation=base.relation,
        ahead=base.ahead,
        behind=base.behind,
        tip=base.tip,
        fetched_at=base.fetched_at,
        error=base.error,
        words=words(base),
    )


def words(base: BaseNow) -> str:
    """What the branch here is to the remote's, as of when, and why not of now."""
    said, age = base.words, seconds_between(base.fetched_at, now())
    if not said or not (base.error or age > FRESH_SECONDS):
        return said
    known = f"as of {_ago(age)}" if base.fetched_at else "as it was last known here"
    why = f"; {base.remote} could not be asked: {base.error}" if base.error else ""
    return f"{said}, {known}{why}"


def _ago(seconds: float) -> str:
    minutes, hours = int(seconds // 60), int(seconds // 3600)
    if minutes < 1:
        return "just now"
    count, unit = (hours, "hour") if hours else (minutes, "minute")
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def check_bases(hub: Hub) -> Iterator[Finding]:
    """For the doctor: remotes that do not answer when they are asked quietly."""
    for repo, tracking in sorted(hub.part(Bases).followed):
        last = hub.part(Fetches).last(repo, tracking)
        if last.failures < FEWEST_FAILURES:
            continue
        said = f"{repo}: {tracking} could not be fetched, {last.failures} times now: {last.error}"
        way = f"`git -C {quote(repo)} fetch {quote(tracking.partition('/')[0])}` tells more"
        yield Finding("fetch", False, said, f"{way}; it is tried again by itself")
