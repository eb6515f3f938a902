"""The radar's work in threads: what is known of every live session's files, kept on the boards.

A board per repository. Every live session is a side of it, and so is every branch that one of
them started from. A session that cannot be looked at keeps what was last known of it.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.errors import ManyhandsError
from manyhands.git.board import Board, Clashes, Names
from manyhands.git.meeting import Change
from manyhands.git.standing import Standing
from manyhands.git.tree_edit import Leaf
from manyhands.hub.crowding import CROWDED_SECONDS
from manyhands.model import events as e
from manyhands.model.clock import Instant, instant, monotonic
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session import Session

log = logging.getLogger(__name__)
MOST_OBJECTS = 20_000
"""Tried out so often, a board is begun anew: what it keeps on disk stays small."""
LONG_AGO = float("-inf")
BASE = "base "
"""What the name of a branch begins with on the board; no session's id holds a space."""


@dataclass
class News:
    """What was heard of a session since the last look."""

    paths: dict[str, e.DiffChanged] = field(default_factory=dict)
    scan: bool = False

    @property
    def total(self) -> int | None:
        """How many paths its keeper says differ from the base."""
        return list(self.paths.values())[-1].total_files if self.paths else None


class RepoSides:
    """One repository's board, and who touched what when."""

    def __init__(self, repo: Path, place: Path) -> None:
        self.board = Board(repo, place)
        self.found: dict[Names, Clashes] = {}
        self.touched: dict[tuple[str, str], Instant] = {}
        self._surplus: dict[str, int] = {}
        self._crowded = False
        self._new_since: dict[str, float] = {}
        """Sessions that were not looked at whole yet."""

    def look(
        self, sessions: list[Session], news: dict[SessionId, News], *, crowded: bool = False
    ) -> set[Names]:
        """Take the news in and forecast what they concern; the pairs that meet otherwise now.

        While it is `crowded`, a new session is known by what its keeper tells of it.
        """
        self._crowded = crowded
        moved = {name for s in sessions if (name := self._take(s, news.get(s.id)))}
        moved |= set(self._bases(sessions))
        known = {s.id for s in sessions} | {BASE + s.base for s in sessions}
        for name in self.board.sides.keys() - known:
            del self.board.sides[name]
            self._new_since.pop(name, None)
        pairs = set(self._pairs(sessions))
        gone = self.found.keys() - pairs
        asked = [p for p in pairs if moved & set(p) or p not in self.found]
        fresh = self.board.forecast(asked)
        changed = {p for p, clashes in fresh.items() if clashes != self.found.get(p, ())}
        changed |= {p for p in gone if self.found[p]}
        self.found = {p: fresh.get(p, self.found.get(p, ())) for p in pairs}
        return changed

    def first(self, names: Names) -> str:
        """Whoever touched one of the paths in question first."""
        paths = {c.path for c in self.found.get(names, ()) if c.kind == "conflict"}
        times = {n: min((self.touched.get((n, p), "~") for p in paths), default="~") for n in names}
        return min(names, key=lambda name: times[name])

    def close(self) -> None:
        self.board.close()

    def _take(self, s: Session, news: News | None) -> str:
        """The session's name if it stands elsewhere now."""
        known = self.board.sides.get(s.id)
        side = known or Standing(s.base_commit, s.base_commit, Path(s.worktree))
        if known is None:
            self._new_since[s.id] = monotonic()
        elif known.base != s.base_commit:
            side = Standing(s.base_commit, s.base_commit, Path(s.worktree))
            self._new_since[s.id] = LONG_AGO
        self.board.sides[s.id] = side
        try:
            if self._is_due(s.id):
                del self._new_since[s.id]
                return s.id if self._scan(s.id) else ""
            if news is None:
                return ""
            whole = news.scan and s.id not in self._new_since
            moved = self._scan(s.id) if whole else self.board.look_at_head(s.id)
            return s.id if self._note(s.id, side, news) or moved else ""
        except (ManyhandsError, OSError) as error:
            log.info("the radar cannot look at session %s: %s", s.id, error)
            if not side.is_known:
                self.board.sides.pop(s.id, None)
            return ""

    def _is_due(self, name: str) -> bool:
        """Whether a session that is new here is to be looked at whole now."""
        since = self._new_since.get(name)
        waited = monotonic() - since if since is not None else 0.0
        return since is not None and (not self._crowded or waited > CROWDED_SECONDS)

    def _note(self, name: str, side: Standing, news: News) -> bool:
        moved = False
        for path, event in news.paths.items():
            if "\\x" in path:
                return self._scan(name)
            if event.status != "unchanged":
                self.touched.setdefault((name, path), event.at)
            moved |= side.note(path, change_of(event))
        # A keeper that saw very much at once does not tell of every path.
        if news.total is not None and news.total - len(side.changes) != self._surplus.get(name, 0):
            moved |= self._scan(name)
            self._surplus[name] = news.total - len(side.changes)
        return moved

    def _scan(self, name: str) -> bool:
        moved = self.board.scan(name)
        side = self.board.sides[name]
        for path in side.changes:
            self.touched.setdefault((name, path), _time_of(side, path))
        return moved

    def _bases(self, sessions: list[Session]) -> Iterator[str]:
        """The branches that sessions started from; those that moved."""
        for base in {s.base for s in sessions}:
            name, tip = BASE + base, self.board.tip(base)
            side = self.board.sides.get(name)
            if tip is None:
                self.board.sides.pop(name, None)
            elif side is None or side.head != tip:
                self.board.sides[name] = Standing(tip, tip)
                yield name

    def _pairs(self, sessions: list[Session]) -> Iterator[Names]:
        there = [s for s in sessions if s.id in self.board.sides]
        for number, s in enumerate(there):
            for other in there[number + 1 :]:
                yield (s.id, other.id)
            if BASE + s.base in self.board.sides and not s.in_place:
                yield (s.id, BASE + s.base)


class Sides:
    """All repositories' boards."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.repos: dict[str, RepoSides] = {}

    def look(
        self, sessions: Iterable[Session], news: dict[SessionId, News], *, crowded: bool = False
    ) -> dict[str, set[Names]]:
        """By repository, the pairs that meet otherwise than before."""
        by_repo: dict[str, list[Session]] = {}
        for s in sessions:
            by_repo.setdefault(s.repo, []).append(s)
        changed = {}
        for repo in self.repos.keys() | by_repo.keys():
            try:
                changed[repo] = self._open(repo).look(by_repo.get(repo, []), news, crowded=crowded)
            except (ManyhandsError, OSError) as error:
                log.warning("the radar cannot look at %s: %s", repo, error)
        return changed

    def _open(self, repo: str) -> RepoSides:
        known = self.repos.get(repo)
        if known is not None and known.board.store.made < MOST_OBJECTS:
            return known
        key = hashlib.sha256(os.fsencode(repo)).hexdigest()[:16]
        fresh = RepoSides(Path(repo), self._place / key)
        if known is not None:
            fresh.found, fresh.touched = known.found, known.touched
        self.repos[repo] = fresh
        return fresh

    def close(self) -> None:
        for sides in self.repos.values():
            sides.close()


def change_of(event: e.DiffChanged) -> Change | None:
    match event.status:
        case "unchanged":
            return None
        case "deleted":
            return Change(None)
        case _:
            leaf = Leaf(int(event.mode, 8), Oid(event.oid))
            return Change(leaf, added=event.status == "added")


def _time_of(side: Standing, path: str) -> Instant:
    """When it was last written, for what changed while nobody watched."""
    assert side.worktree is not None
    file = side.worktree / path
    place = next((p for p in (file, *file.parents) if os.path.lexists(p)), side.worktree)
    return instant(place.lstat().st_mtime)
