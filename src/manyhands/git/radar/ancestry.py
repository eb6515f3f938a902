"""What comes from what, in one repository; nothing is walked twice."""

from __future__ import annotations

import pygit2

from manyhands.model.ids import Oid


class Ancestry:
    """`commits` must have every commit that is asked about, trial ones too."""

    def __init__(self, commits: pygit2.Repository) -> None:
        self._commits = commits
        self._commons: dict[tuple[Oid, Oid], Oid | None] = {}
        self._histories: dict[tuple[Oid, Oid], frozenset[pygit2.Oid]] = {}
        self._parts: dict[tuple[Oid, Oid], bool] = {}

    def has(self, tip: Oid, commit: Oid) -> bool:
        """Whether the commit is part of the tip's history."""
        if tip == commit:
            return True
        if (tip, commit) not in self._parts:
            # The recorded start of a session may be gone with a branch that was rewritten.
            there = commit in self._commits
            self._parts[tip, commit] = there and self._commits.descendant_of(tip, commit)
        return self._parts[tip, commit]

    def common(self, one: Oid, other: Oid) -> Oid | None:
        """The one commit that both come from; None where there is none, or several."""
        if one == other:
            return one
        if (one, other) not in self._commons:
            self._commons[one, other] = self._merge_base(one, other)
        return self._commons[one, other]

    def _merge_base(self, one: Oid, other: Oid) -> Oid | None:
        found: pygit2.Oid | None = self._commits.merge_base(one, other)
        if found is None:
            return None
        base = Oid(str(found))
        return base if self.are_apart(one, other, base) else None

    def are_apart(self, one: Oid, other: Oid, base: Oid) -> bool:
        """Whether all that both come from is in `base` as well."""
        return self._above(one, base).isdisjoint(self._above(other, base))

    def _above(self, tip: Oid, base: Oid) -> frozenset[pygit2.Oid]:
        """The commits that `tip` comes from and `base` does not."""
        if tip == base:
            return frozenset()
        if (tip, base) not in self._histories:
            walk = self._commits.walk(tip)
            walk.hide(base)
            self._histories[tip, base] = frozenset(commit.id for commit in walk)
        return self._histories[tip, base]
