"""Grounds on which two sessions meet, and their own changes laid there (see `laid`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from manyhands.git.radar.ancestry import Ancestry
from manyhands.git.radar.laid import Laid, Replanted
from manyhands.git.radar.meeting import Change, Changes
from manyhands.git.radar.scratch_objects import ScratchObjects
from manyhands.git.radar.settled import settled
from manyhands.git.radar.standing import BaseStanding, OnlyWhole, tree_changes
from manyhands.git.radar.trials import Parties, Trial, Trials
from manyhands.git.tree_edit import leaf_at
from manyhands.model.ids import Oid
from manyhands.model.radar.events import Names


class Grounds:
    def __init__(self, store: ScratchObjects, ancestry: Ancestry, trials: Trials) -> None:
        self._store = store
        self._ancestry = ancestry
        self._trials = trials
        self._joined: dict[tuple[Oid, Oid], Oid] = {}
        self._grounds: dict[tuple[Oid, Oid], Oid] = {}
        self._tips: dict[Oid, BaseStanding] = {}
        self._laid: dict[tuple[str, Oid], Laid] = {}

    def prepare(self, sides: Mapping[str, BaseStanding], pairs: Iterable[Names]) -> None:
        """Try all that has to be laid on a moved ground together, before single pairs ask."""
        met = [(sides[one], sides[other]) for one, other in pairs]
        self._merge_bases({(_onto(one), _onto(other)) for one, other in met})
        wanted = {(id(s), self.ground(*both)): s for both in met for s in both}
        moved = ((s, ground) for (_, ground), s in wanted.items() if ground != s.base)
        self._trials.ask(self._landing_if_read(s, ground) for s, ground in moved)

    def _landing_if_read(self, side: BaseStanding, ground: Oid) -> Trial | None:
        try:
            return self.landing(side, ground)
        except OnlyWhole:
            return None

    def ground(self, one: BaseStanding, other: BaseStanding) -> Oid:
        return self._grounds[_onto(one), _onto(other)]

    def head(self, side: BaseStanding) -> Oid:
        """The commit whose history it has, with what is being merged into it."""
        if side.merging is None:
            return side.head
        key = (side.head, side.merging)
        if key not in self._joined:
            self._joined[key] = self._store.commit(self._store.tree_of(side.head), list(key))
        return self._joined[key]

    def fork(self, side: BaseStanding, tip: Oid) -> Oid | None:
        """Where the own change begins: the last that the session has of the tip. If the tip was
        rewritten and has not even what the session started from: there."""
        head, start = self.head(side), side.base
        common = self._ancestry.common(head, tip)
        if self._ancestry.has(head, start) and not self._ancestry.has(tip, start):
            return start if common is None or self._ancestry.has(start, common) else common
        return common

    def changed_nothing(self, side: BaseStanding, fork: Oid | None) -> bool:
        return fork is not None and not side.changes_since(fork, self._store)

    def laid(self, name: str, side: BaseStanding, ground: Oid) -> Laid:
        known = self._laid.get((name, ground))
        if known is None or known.side is not side or known.version != side.version:
            known = self._laid[name, ground] = self._lay(side, ground)
            self._forget()
        return known

    def _forget(self) -> None:
        for key in list(self._laid)[:-500]:
            del self._laid[key]

    def _lay(self, side: BaseStanding, ground: Oid) -> Laid:
        fork, head = self.fork(side, ground), self.head(side)
        if self.changed_nothing(side, fork):
            return Laid(side, ground, {}, ground)
        if fork == ground:
            own = side.changes_since(ground, self._store)
            return Laid(side, ground, own, head, is_grown=True)
        head = head if self._is_rooted(fork, ground) else ground
        try:
            trial = self.landing(side, ground)
            if fork is not None and (trial is None or not trial.met.structural):
                return Laid(side, ground, self._over(ground, side, fork, trial), head)
        except UnicodeError:
            trial = None
        trial = trial or self._trials.whole(self._landing_parties(side, ground, fork))
        tree = settled(self._store.objects, self._trials.answer(trial))
        found = tree_changes(self._store.objects, self._store.tree_of(ground), tree)
        return Laid(side, ground, dict(found), head, tree=tree)

    def _over(self, ground: Oid, side: BaseStanding, fork: Oid, trial: Trial | None) -> Changes:
        """The own change as it is against the ground, the contents in question merged."""
        own = {p: change.leaf for p, change in side.changes_since(fork, self._store).items()}
        if trial is not None:
            tree = settled(self._store.objects, self._trials.answer(trial))
            own |= {p: leaf_at(self._store.objects, tree, p) for p in trial.met.shared}
        was = {path: self._trials.base_leaf(ground, path) for path in own}
        return {
            path: Change(leaf, added=was[path] is None)
            for path, leaf in own.items()
            if leaf != was[path]
        }

    def landing(self, side: BaseStanding, ground: Oid, *, whole: bool = False) -> Trial | None:
        """The session against the ground alone; None where they cannot be in each other's way."""
        fork = self.fork(side, ground)
        if fork == ground or self.changed_nothing(side, fork):
            return None
        parties = self._landing_parties(side, ground, fork)
        try:
            return self._trials.trial(lambda: parties, None if whole else fork)
        except UnicodeError:
            return self._trials.whole(parties)

    def _landing_parties(self, side: BaseStanding, ground: Oid, fork: Oid | None) -> Parties:
        tip = self._tips.setdefault(ground, BaseStanding(ground, ground))
        if fork is None or self._is_rooted(fork, ground):
            return side, tip
        return Replanted(side, fork), Replanted(tip, fork)

    def _is_rooted(self, fork: Oid | None, ground: Oid) -> bool:
        return fork is None or self._ancestry.has(ground, fork)

    def _merge_bases(self, pairs: set[tuple[Oid, Oid]]) -> None:
        apart = {}
        for one, other in pairs - self._grounds.keys():
            if self._ancestry.has(one, other):
                self._grounds[one, other] = one
            elif self._ancestry.has(other, one):
                self._grounds[one, other] = other
            else:
                first, second = (BaseStanding(tip, tip) for tip in sorted((one, other)))
                apart[one, other] = self._trials.whole((first, second))
        self._trials.ask(apart.values())
        for tips, trial in apart.items():
            tree = settled(self._store.objects, self._trials.answer(trial))
            self._grounds[tips] = self._store.commit(tree, sorted(tips))


def _onto(side: BaseStanding) -> Oid:
    return side.onto or side.base
