"""The radar's board for one repository: who stands where, and which pairs would not merge.

Neither index nor checkout of anybody is touched, and every object goes into a store of our own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pygit2

from manyhands.errors import NotPossible
from manyhands.git.diff.diff import shown
from manyhands.git.radar.ancestry import Ancestry
from manyhands.git.radar.forecast import Conflict
from manyhands.git.radar.grounds import Grounds
from manyhands.git.radar.hunks import MOST_HUNKS, Version, is_text, note, places
from manyhands.git.radar.laid import Laid, Party
from manyhands.git.radar.lines import carried, clashing_lines
from manyhands.git.radar.scratch_objects import ScratchObjects
from manyhands.git.radar.standing import GITLINK, BaseStanding, OnlyWhole
from manyhands.git.radar.trials import Parties, Trial, Trials
from manyhands.git.repository import open_repository
from manyhands.git.tree_edit import Leaf
from manyhands.model.radar.events import Clash, Clashes, Lines, Names
from manyhands.model.radar.hunks import PathHunks


class Board:
    """Not for several threads at once. What lies in `place` is thrown away first."""

    def __init__(self, repo: Path, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self.store = ScratchObjects(repo, place / "store")
        self.sides: dict[str, BaseStanding] = {}
        self._place = place
        self._repository = open_repository(repo)
        self._repository.odb.add_disk_alternate(str(place / "store" / "objects"))
        self._ancestry = Ancestry(self._repository)
        self._trials = Trials(self.store)
        self._grounds = Grounds(self.store, self._ancestry, self._trials)

    def scan(self, name: str) -> bool:
        """Read one side's whole worktree; whether it stands elsewhere than was known."""
        with _explained(name):
            return self.sides[name].scan(self.store, self._place / f"{name}.index")

    def read_head(self, name: str) -> bool:
        with _explained(name):
            return self.sides[name].read_head()

    def forecast(self, pairs: Iterable[Names]) -> dict[Names, Clashes]:
        """On which paths each pair meets; empty where it does not."""
        asked = list(pairs)
        with _explained("a pair"):
            self._grounds.prepare(self.sides, filter(self._are_sessions, asked))
            trials = {names: self._trial(names) for names in asked}
            self._trials.ask(trials.values())
            found = {n: self._clashes(t) if t else () for n, t in trials.items()}
        self._trials.forget()
        return found

    def hunks(self, names: Names, labels: tuple[str, str], path: str) -> list[PathHunks]:
        """What the two have in conflict, side by side; only at `path`, if one is named."""
        with _explained("a pair"):
            self._grounds.prepare(self.sides, filter(self._are_sessions, [names]))
            trial = self._trial(names)
            found = self._trials.answer(trial).conflicts if trial else ()
            return [
                self._path_hunks(trial.parties, conflict, labels)
                for conflict in sorted(found, key=lambda c: c.path)
                if trial and path in ("", _text(conflict.path))
            ]

    def own_paths(self, name: str) -> Iterable[str]:
        """What the session has changed, beside what came with its base."""
        side = self.sides[name]
        with _explained(name):
            fork = self._grounds.fork(side, side.onto or side.base)
            return side.changes_since(fork or side.base, self.store)

    def is_rewritten(self, base: str, name: str) -> bool:
        """Whether the base has not even what the session started from."""
        return not self._ancestry.has(self.sides[base].head, self.sides[name].base)

    def close(self) -> None:
        self.store.close()

    def _are_sessions(self, names: Names) -> bool:
        return all(self.sides[name].worktree is not None for name in names)

    def _trial(self, names: Names) -> Trial | None:
        """None where the two cannot be in each other's way."""
        for _ in range(2):
            try:
                return self._tried(names)
            except (OnlyWhole, UnicodeError):
                for name in names:
                    self.scan(name)
        return self._tried(names, whole=True)

    def _tried(self, names: Names, *, whole: bool = False) -> Trial | None:
        if not self._are_sessions(names):
            side, base = (self.sides[name] for name in names)
            return self._grounds.landing(side, base.head, whole=whole)
        both = [(name, self.sides[name]) for name in names]
        ground = self._grounds.ground(*(side for _, side in both))

        def laid() -> tuple[Laid, Laid]:
            one, other = (self._grounds.laid(name, side, ground) for name, side in both)
            return one, other

        one, other = laid()
        if not one.changes or not other.changes:
            return None
        over = self._ancestry.are_apart(one.head, other.head, ground) and not whole
        return self._trials.trial(laid, ground if over else None)

    def _clashes(self, trial: Trial) -> Clashes:
        found = self._trials.answer(trial)
        conflicts = [self._conflict(trial.parties, c) for c in found.conflicts]
        in_conflict = {c.path for c in found.conflicts}
        overlaps = [self._overlap(trial, p) for p in trial.met.shared if p not in in_conflict]
        return tuple(sorted((*conflicts, *overlaps), key=lambda c: (c.kind, c.path)))

    def _conflict(self, parties: Parties, conflict: Conflict) -> Clash:
        lines = Lines()
        if len([leaf for leaf in conflict.stages if leaf]) > 1 and conflict.kind != "submodule":
            lines = self._lines(parties, conflict.path, conflict.stages, near=True)
        return Clash(_text(conflict.path), "conflict", conflict.kind, lines)

    def _overlap(self, trial: Trial, path: str) -> Clash:
        leaves = self._trials.leaves(trial.parties, trial.base, path) if trial.base else ()
        if any(leaf is not None and leaf.mode == GITLINK for leaf in leaves):
            return Clash(_text(path), "overlap")
        lines = self._lines(trial.parties, path, leaves, near=False)
        return Clash(_text(path), "overlap", lines=lines)

    def _path_hunks(
        self, parties: Parties, conflict: Conflict, labels: tuple[str, str]
    ) -> PathHunks:
        path, words = _text(conflict.path), note(conflict, labels)
        leaves = conflict.stages
        if not any(leaves) or any(leaf and leaf.mode == GITLINK for leaf in leaves):
            return PathHunks(path=path, reason=conflict.kind, note=words)
        base, one, other = (self.store.content(leaf.oid) if leaf else b"" for leaf in leaves)
        if not is_text(base, one, other):
            words = words or "it is no text, or too long to be shown"
            return PathHunks(path=path, reason=conflict.kind, note=words)
        mine, theirs = (
            Version(text, self._own_text(party, conflict.path, text), bool(leaf))
            for party, text, leaf in zip(parties, (one, other), leaves[1:], strict=True)
        )
        found = places(base, (mine, theirs))
        more = max(0, len(found) - MOST_HUNKS)
        shown_ones = tuple(found[:MOST_HUNKS])
        return PathHunks(path=path, reason=conflict.kind, note=words, hunks=shown_ones, more=more)

    def _lines(
        self, parties: Parties, path: str, leaves: Sequence[Leaf | None], *, near: bool
    ) -> Lines:
        """Counted as in the files of the sessions themselves."""
        try:
            base, one, other = (self.store.content(leaf.oid) if leaf else b"" for leaf in leaves)
            found = clashing_lines(base, one, other, near=near)
            mine, theirs = parties
            return Lines(
                carried(found.a, one, self._own_text(mine, path, one)),
                carried(found.b, other, self._own_text(theirs, path, other)),
            )
        except (KeyError, ValueError, pygit2.GitError):
            return Lines()

    def _own_text(self, party: Party, path: str, laid: bytes) -> bytes:
        leaf = party.leaf(path, self.store)
        return self.store.content(leaf.oid) if leaf and leaf.mode != GITLINK else laid


@contextmanager
def _explained(what: str) -> Iterator[None]:
    try:
        yield
    except (pygit2.GitError, KeyError) as error:
        raise NotPossible(f"{what} cannot be compared: {error}") from error


def _text(path: str) -> str:
    return shown(os.fsencode(path))
