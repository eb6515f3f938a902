"""The radar's board for one repository: who stands where, and which pairs would not merge.

Nothing is tried that cannot conflict (`meeting`). Where only contents are at stake, the answer is
kept by the objects of the files in question, so that nothing else makes it be asked again; where
names are, by the commits. A few gits try all that is left. Neither
index nor checkout of anybody is touched, and every object goes into a store of our own.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pygit2

from manyhands.errors import NotPossible
from manyhands.git.diff.diff import shown
from manyhands.git.radar.forecast import Conflict, Forecast, forecast
from manyhands.git.radar.meeting import Change, Changes, Meeting, meeting
from manyhands.git.radar.scratch_objects import ScratchObjects
from manyhands.git.radar.standing import GITLINK, BaseStanding, OnlyWhole
from manyhands.git.repository import open_repository
from manyhands.git.tree_edit import EMPTY, Leaf, edited, leaf_at
from manyhands.model.ids import Oid
from manyhands.model.radar.events import Clash, Clashes, Lines, Names, Span

Key = tuple[object, ...]
MOST_KEPT = 20_000
MOST_SPANS = 50
LARGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class _Trial:
    """A pair whose merge must be tried, or was: what tells its answer, and how to ask for it."""

    names: Names
    met: Meeting
    base: Oid | None
    key: Key
    commits: tuple[Oid, Oid] | None


class Board:
    """Not for several threads at once. What lies in `place` is thrown away first."""

    def __init__(self, repo: Path, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self.store = ScratchObjects(repo, place / "store")
        self.sides: dict[str, BaseStanding] = {}
        self._place = place
        self._repository = open_repository(repo)
        self._bases: dict[tuple[Oid, Oid], Oid | None] = {}
        self._histories: dict[tuple[Oid, Oid], frozenset[pygit2.Oid]] = {}
        self._base_leaves: dict[tuple[Oid, str], Leaf | None] = {}
        self._kept: OrderedDict[Key, Forecast] = OrderedDict()

    def scan(self, name: str) -> bool:
        """Read one side's whole worktree; whether it stands elsewhere than was known."""
        with _explained(name):
            return self.sides[name].scan(self.store, self._place / f"{name}.index")

    def read_head(self, name: str) -> bool:
        with _explained(name):
            return self.sides[name].read_head()

    def tip(self, ref: str) -> Oid | None:
        """The commit that a branch is at now."""
        try:
            found = self._repository.revparse_single(ref)
            return Oid(str(found.peel(pygit2.Commit).id))
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def forecast(self, pairs: Iterable[Names]) -> dict[Names, Clashes]:
        """On which paths each pair meets; empty where it does not."""
        with _explained("a pair"):
            trials: dict[Names, _Trial | None] = {names: self._trial(names) for names in pairs}
            asked = {t.key: t.commits for t in trials.values() if t and t.commits}
            answers = forecast(self.store.git, list(asked.values()))
            self._kept.update(zip(asked, answers, strict=True))
            found = {n: self._clashes(t) if t else () for n, t in trials.items()}
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return found

    def close(self) -> None:
        self.store.close()

    def _trial(self, names: Names) -> _Trial | None:
        """None where the two cannot be in each other's way."""
        try:
            return self._met(names)
        except (OnlyWhole, UnicodeError):
            for name in names:
                self.scan(name)
        try:
            return self._met(names)
        except (OnlyWhole, UnicodeError):
            return self._whole(names, Meeting(structural=True), None)

    def _met(self, names: Names) -> _Trial | None:
        base = self._common(*names)
        if base is None:
            return self._whole(names, Meeting(structural=True), None)
        met = meeting(*self._both(names, base))
        if met.harmless:
            return None
        for name in names:
            self.sides[name].hold(met.shared, self.store)
        # What was read just now may be newer than what was told.
        met = meeting(*self._both(names, base))
        if met.harmless:
            return None
        return self._whole(names, met, base) if met.structural else self._partial(names, met, base)

    def _both(self, names: Names, base: Oid) -> tuple[Changes, Changes]:
        one, other = (self.sides[n].changes_since(base, self.store) for n in names)
        return one, other

    def _whole(self, names: Names, met: Meeting, base: Oid | None) -> _Trial:
        one, other = (self.sides[name].trial_commit(self.store) for name in names)
        return _Trial(names, met, base, ("whole", one, other), (one, other))

    def _partial(self, names: Names, met: Meeting, base: Oid) -> _Trial:
        """Only contents are at stake: whatever else was changed, the answer is the same."""
        leaves = [self._leaves(names, base, path) for path in met.shared]
        key = ("partial", *zip(met.shared, leaves, strict=True))
        known = key in self._kept
        return _Trial(names, met, base, key, None if known else self._extract(met.shared, leaves))

    def _extract(
        self, paths: Sequence[str], leaves: Sequence[tuple[Leaf | None, ...]]
    ) -> tuple[Oid, Oid]:
        """Both sides with these files alone: however large the rest, git does not read it."""
        base, one, other = (
            edited(self.store.objects, EMPTY, dict(zip(paths, side, strict=True)))
            for side in zip(*leaves, strict=True)
        )
        root = self.store.commit(base, [])
        return self.store.commit(one, [root]), self.store.commit(other, [root])

    def _leaves(self, names: Names, base: Oid, path: str) -> tuple[Leaf | None, ...]:
        """The path in the base and on both sides."""
        sides = (changes.get(path, Change(None)).leaf for changes in self._both(names, base))
        if (base, path) not in self._base_leaves:
            tree = self.store.tree_of(base)
            self._base_leaves[base, path] = leaf_at(self.store.objects, tree, path)
        return (self._base_leaves[base, path], *sides)

    def _clashes(self, trial: _Trial) -> Clashes:
        self._kept.move_to_end(trial.key)
        found = self._kept[trial.key]
        conflicts = [self._conflict(c) for c in found.conflicts]
        in_conflict = {c.path for c in found.conflicts}
        overlaps = [self._overlap(trial, p) for p in trial.met.shared if p not in in_conflict]
        return tuple(sorted((*conflicts, *overlaps), key=lambda c: (c.kind, c.path)))

    def _conflict(self, conflict: Conflict) -> Clash:
        lines = Lines()
        if len([oid for oid in conflict.stages if oid]) > 1 and conflict.kind != "submodule":
            lines = self._lines(conflict.stages, near=True)
        return Clash(_text(conflict.path), "conflict", conflict.kind, lines)

    def _overlap(self, trial: _Trial, path: str) -> Clash:
        leaves = self._leaves(trial.names, trial.base, path) if trial.base else ()
        if any(leaf is not None and leaf.mode == GITLINK for leaf in leaves):
            return Clash(_text(path), "overlap")
        lines = self._lines([leaf.oid if leaf else Oid("") for leaf in leaves], near=False)
        return Clash(_text(path), "overlap", lines=lines)

    def _lines(self, oids: Sequence[Oid], *, near: bool) -> Lines:
        try:
            base, one, other = (self.store.content(o) if o else b"" for o in oids)
        except (KeyError, ValueError, pygit2.GitError):
            return Lines()
        return clashing_lines(base, one, other, near=near)

    def _common(self, name: str, other: str) -> Oid | None:
        """The one commit that both come from; None where there is none, or several."""
        sides = (self.sides[name], self.sides[other])
        if any(side.merging for side in sides):
            return None
        one, two = (side.head for side in sides)
        if one == two:
            return one
        if (one, two) not in self._bases:
            self._bases[one, two] = self._merge_base(one, two)
        return self._bases[one, two]

    def _merge_base(self, one: Oid, other: Oid) -> Oid | None:
        found: pygit2.Oid | None = self._repository.merge_base(one, other)
        if found is None:
            return None
        # Whatever else both come from, and this one does not, would be another merge base.
        base = Oid(str(found))
        return base if self._above(one, base).isdisjoint(self._above(other, base)) else None

    def _above(self, tip: Oid, base: Oid) -> frozenset[pygit2.Oid]:
        """The commits that `tip` comes from and `base` does not."""
        if (tip, base) not in self._histories:
            walk = self._repository.walk(tip)
            walk.hide(base)
            self._histories[tip, base] = frozenset(commit.id for commit in walk)
        return self._histories[tip, base]


@contextmanager
def _explained(what: str) -> Iterator[None]:
    try:
        yield
    except (pygit2.GitError, KeyError) as error:
        raise NotPossible(f"{what} cannot be compared: {error}") from error


def _text(path: str) -> str:
    return shown(os.fsencode(path))


@functools.lru_cache(maxsize=512)
def clashing_lines(base: bytes, one: bytes, other: bytes, *, near: bool) -> Lines:
    """Changed lines in both versions; with `near`, only those that touch each other."""
    if max(len(base), len(one), len(other)) > LARGEST_TEXT:
        return Lines()
    first, second = _hunks(base, one), _hunks(base, other)
    if near:
        first, second = (
            [h for h in first if any(_touch(h, o) for o in second)],
            [h for h in second if any(_touch(h, o) for o in first)],
        )
    return Lines(tuple(map(_span, first))[:MOST_SPANS], tuple(map(_span, second))[:MOST_SPANS])


def _hunks(old: bytes, new: bytes) -> list[pygit2.DiffHunk]:
    drawn = pygit2.Patch.create_from(old, new, context_lines=0)
    return [] if drawn.delta.is_binary else list(drawn.hunks)


def _touch(one: pygit2.DiffHunk, other: pygit2.DiffHunk) -> bool:
    """Whether they change the same lines of the base, or lines next to each other."""
    return one.old_start <= _end(other) and other.old_start <= _end(one)


def _end(hunk: pygit2.DiffHunk) -> int:
    return int(hunk.old_start + hunk.old_lines)


def _span(hunk: pygit2.DiffHunk) -> Span:
    return (hunk.new_start, hunk.new_start + hunk.new_lines - 1)
