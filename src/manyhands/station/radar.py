"""The radar's view: what is known of every live session's files, kept on the boards.

A board per repository. Every live session is a side of it, and so is every branch that one of
them started from, wherever that is by now. A session that cannot be read keeps what was last known
of it.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from watchfiles import awatch

from manyhands.errors import ManyhandsError
from manyhands.git import refs
from manyhands.git.radar.board import Board
from manyhands.git.radar.meeting import Change
from manyhands.git.radar.standing import BaseStanding
from manyhands.git.tree_edit import Leaf
from manyhands.model import events as e
from manyhands.model.clock import Instant, instant, timed_on_processor
from manyhands.model.ids import Oid, SessionId
from manyhands.model.radar.events import Clashes, Names
from manyhands.model.radar.hunks import PathHunks
from manyhands.station.bases import BaseWatch
from manyhands.station.worktree import Worktree

log = logging.getLogger(__name__)
MOST_OBJECTS = 20_000
"""Tried out so often, a board is begun anew: what it keeps on disk stays small."""
POLL_MS = 2000
BASE = "base "
"""What the name of a branch begins with on the board; no session's id holds a space."""
Awaited = frozenset[SessionId]
"""New sessions whose keepers are about to read everything: until then those are known by what they
tell, and their worktrees are not read once more."""


class Met(msgspec.Struct, frozen=True):
    """A pair that meets otherwise than before; with no clashes, not any more."""

    names: Names
    clashes: Clashes
    first: str
    """Whoever touched one of the paths in question first."""
    rewritten: bool = False
    """It is a base that has not even what the session started from any more."""


class Forecasts(msgspec.Struct, frozen=True):
    met: dict[str, list[Met]]
    """By repository; one that could not be read is left out."""
    seconds: float
    """Of the processor."""


@dataclass
class News:
    """What was heard of a session since the last forecast."""

    paths: dict[str, e.DiffChanged] = field(default_factory=dict)
    scan: bool = False
    looked: bool = False
    """Whether its keeper has read everything, and told what differs."""

    @property
    def total(self) -> int | None:
        """How many paths its keeper says differ from the base."""
        return list(self.paths.values())[-1].total_files if self.paths else None


class RepoSides:
    """One repository's board, and who touched what when."""

    def __init__(self, repo: Path, place: Path) -> None:
        self.board = Board(repo, place)
        self._repo = repo
        self._watch = BaseWatch()
        self.found: dict[Names, Clashes] = {}
        self.touched: dict[tuple[str, str], Instant] = {}
        self._surplus: dict[str, int] = {}
        self._new: set[str] = set()
        """Sessions that nobody has read whole yet."""

    def forecast(
        self, sessions: list[Worktree], news: dict[SessionId, News], awaited: Awaited = frozenset()
    ) -> list[Met]:
        """Take the news in and forecast what they concern; the pairs that meet otherwise now."""
        taken = (self._take(s, news.get(s.session), awaited) for s in sessions)
        moved = {name for name in taken if name}
        moved |= set(self._bases(sessions))
        moved |= set(self._carried_on(sessions))
        for name in moved & self.board.sides.keys():
            self._date(name, news.get(SessionId(name)))
        known = {s.session for s in sessions} | {BASE + s.base_name for s in sessions}
        for name in self.board.sides.keys() - known:
            del self.board.sides[name]
            self._new.discard(name)
        pairs = set(self._pairs(sessions))
        gone = self.found.keys() - pairs
        asked = [p for p in pairs if moved & set(p) or p not in self.found]
        fresh = self.board.forecast(asked)
        changed = {p for p, clashes in fresh.items() if clashes != self.found.get(p, ())}
        changed |= {p for p in gone if self.found[p]}
        self.found = {p: fresh.get(p, self.found.get(p, ())) for p in pairs}
        return [self._met(p) for p in changed]

    def _met(self, names: Names) -> Met:
        clashes = self.found.get(names, ())
        rewritten = bool(clashes) and self._is_rewritten(*names)
        return Met(names, clashes, self._first(names), rewritten)

    def _is_rewritten(self, name: str, other: str) -> bool:
        return other.startswith(BASE) and self.board.is_rewritten(other, name)

    def _first(self, names: Names) -> str:
        paths = {c.path for c in self.found.get(names, ()) if c.kind == "conflict"}
        times = {n: min((self.touched.get((n, p), "~") for p in paths), default="~") for n in names}
        return min(names, key=lambda name: times[name])

    def _take(self, s: Worktree, news: News | None, awaited: Awaited) -> str:
        """The session's name if it stands elsewhere now."""
        known = self.board.sides.get(s.session)
        if known is None or known.base != s.base:
            side = BaseStanding(s.base, s.base, s.root)
            self._new.add(s.session)
        else:
            side = known
        if news and news.looked:
            self._new.discard(s.session)
            side.is_known = True
        self.board.sides[s.session] = side
        try:
            if s.session in self._new - awaited:
                self._new.discard(s.session)
                return s.session if self.board.scan(s.session) else ""
            if news is None:
                return ""
            whole = news.scan and s.session not in self._new
            moved = self.board.scan(s.session) if whole else self.board.read_head(s.session)
            return s.session if self._note(s.session, side, news) or moved else ""
        except (ManyhandsError, OSError) as error:
            log.info("the radar cannot read session %s: %s", s.session, error)
            if not side.is_known:
                self.board.sides.pop(s.session, None)
            return ""

    def _note(self, name: str, side: BaseStanding, news: News) -> bool:
        moved = False
        for path, event in news.paths.items():
            if "\\x" in path:
                return self.board.scan(name)
            moved |= side.note(path, change_of(event))
        # A keeper that saw very much at once does not tell of every path.
        if news.total is not None and news.total - len(side.changes) != self._surplus.get(name, 0):
            moved |= self.board.scan(name)
            self._surplus[name] = news.total - len(side.changes)
        return moved

    def _date(self, name: str, news: News | None) -> None:
        """When the session was first seen to have changed what it has."""
        side = self.board.sides[name]
        told = news.paths if news else {}
        try:
            paths = self.board.own_paths(name) if side.worktree else ()
            for path in paths:
                if (name, path) not in self.touched:
                    at = told[path].at if path in told else _time_of(side, path)
                    self.touched[name, path] = at
        except (ManyhandsError, OSError, UnicodeError) as error:
            log.info("the radar cannot date the changes of %s: %s", name, error)

    def _bases(self, sessions: list[Worktree]) -> Iterator[str]:
        """The branches that sessions started from, as they are now; those that moved."""
        names = frozenset(s.base_name for s in sessions)
        for base, now in self._watch.load(str(self._repo), names).items():
            name, tip = BASE + base, now.tip
            side = self.board.sides.get(name)
            if not tip:
                self.board.sides.pop(name, None)
            elif side is None or side.head != tip:
                self.board.sides[name] = BaseStanding(tip, tip)
                yield name

    def _carried_on(self, sessions: list[Worktree]) -> Iterator[str]:
        """Tell every session where its base is now; those for whom that is news."""
        for s in sessions:
            side, base = (self.board.sides.get(n) for n in (s.session, BASE + s.base_name))
            tip = base.head if base else None
            if side is not None and side.onto != tip:
                side.onto = tip
                yield s.session

    def _pairs(self, sessions: list[Worktree]) -> Iterator[Names]:
        there = [s for s in sessions if s.session in self.board.sides]
        for number, s in enumerate(there):
            for other in there[number + 1 :]:
                yield (s.session, other.session)
            if BASE + s.base_name in self.board.sides and not s.in_place:
                yield (s.session, BASE + s.base_name)


class Sides:
    """All repositories' boards."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._repos: dict[str, RepoSides] = {}

    async def forecast(
        self, sessions: Iterable[Worktree], news: dict[SessionId, News], awaited: Awaited
    ) -> Forecasts:
        """Not several at once."""
        do = functools.partial(self._forecast, sessions, news, awaited)
        return Forecasts(*await asyncio.to_thread(timed_on_processor, do))

    def _forecast(
        self, sessions: Iterable[Worktree], news: dict[SessionId, News], awaited: Awaited
    ) -> dict[str, list[Met]]:
        by_repo: dict[str, list[Worktree]] = {}
        for s in sessions:
            by_repo.setdefault(s.repo, []).append(s)
        changed = {}
        for repo in self._repos.keys() | by_repo.keys():
            try:
                changed[repo] = self._open(repo).forecast(by_repo.get(repo, []), news, awaited)
            except (ManyhandsError, OSError) as error:
                log.warning("the radar cannot read %s: %s", repo, error)
        return changed

    async def hunks(
        self, repo: str, names: Names, labels: tuple[str, str], path: str
    ) -> list[PathHunks]:
        """Of a pair that was forecast; not while another forecast is made."""
        board = self._repos[repo].board
        return await asyncio.to_thread(board.hunks, names, labels, path)

    def _open(self, repo: str) -> RepoSides:
        known = self._repos.get(repo)
        if known is not None and known.board.store.made < MOST_OBJECTS:
            return known
        key = hashlib.sha256(os.fsencode(repo)).hexdigest()[:16]
        fresh = RepoSides(Path(repo), self._place / key)
        if known is not None:
            fresh.found, fresh.touched = known.found, known.touched
        self._repos[repo] = fresh
        return fresh

    def close(self) -> None:
        for sides in self._repos.values():
            sides.board.close()


async def watch_branches(repo: str) -> AsyncGenerator[None, None]:
    """Whenever a branch of the repository moves, whoever moved it.

    Where the system has no file watches left, it is looked at every few seconds instead.
    """
    place = await asyncio.to_thread(refs.common_dir, Path(repo))
    watch = functools.partial(
        awatch, place / "refs", watch_filter=None, debounce=500, step=500, rust_timeout=0
    )
    try:
        async for _ in watch():
            yield
    except (OSError, RuntimeError) as error:
        log.warning("the branches of %s are polled: %s", repo, error)
        yield
        async for _ in watch(force_polling=True, poll_delay_ms=POLL_MS):
            yield


def change_of(event: e.DiffChanged) -> Change | None:
    match event.status:
        case "unchanged":
            return None
        case "deleted":
            return Change(None)
        case _:
            leaf = Leaf(int(event.mode, 8), Oid(event.oid))
            return Change(leaf, added=event.status == "added")


def _time_of(side: BaseStanding, path: str) -> Instant:
    """When it was last written, for what changed while nobody watched."""
    assert side.worktree is not None
    file = side.worktree / path
    place = next((p for p in (file, *file.parents) if os.path.lexists(p)), side.worktree)
    return instant(place.lstat().st_mtime)
