"""Merges of two parties over a base: what need not be tried, how the rest is, and what came of it.

Nothing is tried that cannot conflict (`meeting`). Where only contents are at stake, the answer is
kept by the objects of the files in question, so that nothing else makes it be asked again; where
names are, by the commits. A few gits try all that is left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from manyhands.git.radar.forecast import Forecast, forecast
from manyhands.git.radar.laid import Party
from manyhands.git.radar.meeting import Change, Changes, Meeting, meeting
from manyhands.git.radar.scratch_objects import ScratchObjects
from manyhands.git.tree_edit import EMPTY, Leaf, edited, leaf_at
from manyhands.model.ids import Oid

Key = tuple[object, ...]
Parties = tuple[Party, Party]
MOST_KEPT = 20_000


@dataclass(frozen=True)
class Trial:
    """A pair whose merge must be tried, or was: what tells its answer, and how to ask for it."""

    parties: Parties
    met: Meeting
    base: Oid | None
    key: Key
    commits: tuple[Oid, Oid] | None
    """None where the answer is known."""


class Trials:
    def __init__(self, store: ScratchObjects) -> None:
        self.store = store
        self._base_leaves: dict[tuple[Oid, str], Leaf | None] = {}
        self._kept: OrderedDict[Key, Forecast] = OrderedDict()

    def trial(self, parties: Callable[[], Parties], base: Oid | None) -> Trial | None:
        """None where the two cannot be in each other's way. `parties` are asked for again once
        their contents were read: those may be newer than what was told."""
        if base is None:
            return self.whole(parties())
        met = meeting(*self._both(parties(), base))
        if met.harmless:
            return None
        for party in parties():
            party.hold(met.shared, self.store)
        now = parties()
        met = meeting(*self._both(now, base))
        if met.harmless:
            return None
        return self.whole(now, met, base) if met.structural else self._partial(now, met, base)

    def _both(self, parties: Parties, base: Oid) -> tuple[Changes, Changes]:
        one, other = (party.changes_since(base, self.store) for party in parties)
        return one, other

    def whole(
        self, parties: Parties, met: Meeting = Meeting(structural=True), base: Oid | None = None
    ) -> Trial:
        one, other = (party.trial_commit(self.store) for party in parties)
        return self._trial(parties, met, base, ("whole", one, other), lambda: (one, other))

    def _partial(self, parties: Parties, met: Meeting, base: Oid) -> Trial:
        """Only contents are at stake: whatever else was changed, the answer is the same."""
        leaves = [self.leaves(parties, base, path) for path in met.shared]
        key = ("partial", *zip(met.shared, leaves, strict=True))
        return self._trial(parties, met, base, key, lambda: self._extract(met.shared, leaves))

    def _trial(
        self,
        parties: Parties,
        met: Meeting,
        base: Oid | None,
        key: Key,
        commits: Callable[[], tuple[Oid, Oid]],
    ) -> Trial:
        return Trial(parties, met, base, key, None if key in self._kept else commits())

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

    def leaves(self, parties: Parties, base: Oid, path: str) -> tuple[Leaf | None, ...]:
        """The path in the base and on both sides."""
        sides = (changes.get(path, Change(None)).leaf for changes in self._both(parties, base))
        return (self.base_leaf(base, path), *sides)

    def base_leaf(self, base: Oid, path: str) -> Leaf | None:
        if (base, path) not in self._base_leaves:
            tree = self.store.tree_of(base)
            self._base_leaves[base, path] = leaf_at(self.store.objects, tree, path)
        return self._base_leaves[base, path]

    def ask(self, trials: Iterable[Trial | None]) -> None:
        """All of them together."""
        asked = {t.key: t.commits for t in trials if t and t.commits and t.key not in self._kept}
        answers = forecast(self.store.git, list(asked.values()))
        self._kept.update(zip(asked, answers, strict=True))

    def answer(self, trial: Trial) -> Forecast:
        self.ask([trial])
        self._kept.move_to_end(trial.key)
        return self._kept[trial.key]

    def forget(self) -> None:
        """What nobody has asked for longest, where there is too much of it."""
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
