"""What a session answers for: the change that it would bring to a ground if it landed there now.

A session stands on its base. What has come to the base since is the base's matter, and so is what
has landed of the session already; what is left is the session's *own change*: from the last that it
has of its base (if that was rewritten: from where it started) to its files as they are. It is in
conflict with its base if that does not merge with the base's tip. This is told between these two;
for everybody else, the session has its way there.

The *ground* of two sessions is the tip of their base; if they have two bases, both of them merged.
Two sessions are in conflict if and only if their own changes, each laid on the ground by itself,
do not merge with each other over it. Whoever has no own change is in nobody's way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from manyhands.git.radar.meeting import Changes
from manyhands.git.radar.scratch_objects import ScratchObjects
from manyhands.git.radar.standing import BaseStanding, OnlyWhole
from manyhands.git.tree_edit import Leaf, edited
from manyhands.model.ids import Oid


class Party(Protocol):
    """One of the two that are tried against each other."""

    def changes_since(self, base: Oid, store: ScratchObjects) -> Changes: ...

    def hold(self, paths: Iterable[str], store: ScratchObjects) -> None: ...

    def trial_commit(self, store: ScratchObjects) -> Oid: ...

    def leaf(self, path: str, store: ScratchObjects) -> Leaf | None: ...


@dataclass
class Laid:
    """A session's own change on a ground."""

    side: BaseStanding
    ground: Oid
    changes: Changes
    head: Oid
    """The commit whose history the change has: the session's own, or, where the base was rewritten
    and has not what the session started from, the ground."""
    is_grown: bool = False
    """Whether the session has the ground in its own history."""
    tree: Oid | None = None
    commit: Oid | None = None

    def __post_init__(self) -> None:
        self.version = self.side.version

    def changes_since(self, base: Oid, store: ScratchObjects) -> Changes:
        assert base == self.ground
        return self.changes

    def hold(self, paths: Iterable[str], store: ScratchObjects) -> None:
        self.side.hold(paths, store)

    def trial_commit(self, store: ScratchObjects) -> Oid:
        """The ground as it would be once the session has landed there, by a merge."""
        if not self.changes:
            return self.ground
        if self.is_grown:
            return self.side.trial_commit(store)
        if self.commit is None:
            own = [self.side.trial_commit(store)] if self.head != self.ground else []
            self.commit = store.commit(self._whole_tree(store), [self.ground, *own])
        return self.commit

    def _whole_tree(self, store: ScratchObjects) -> Oid:
        if self.tree is None:
            self.hold(self.changes, store)
            if self.side.version != self.version:
                raise OnlyWhole("it was written to just now")
            leaves = {path: change.leaf for path, change in self.changes.items()}
            self.tree = edited(store.objects, store.tree_of(self.ground), leaves)
        return self.tree

    def leaf(self, path: str, store: ScratchObjects) -> Leaf | None:
        """What the session itself has there."""
        return self.side.leaf(path, store)


@dataclass
class Replanted:
    """A side as if it came from `root` alone."""

    side: BaseStanding
    root: Oid

    def changes_since(self, base: Oid, store: ScratchObjects) -> Changes:
        return self.side.changes_since(base, store)

    def hold(self, paths: Iterable[str], store: ScratchObjects) -> None:
        self.side.hold(paths, store)

    def trial_commit(self, store: ScratchObjects) -> Oid:
        return store.commit(self.side.whole_tree(store), [self.root])

    def leaf(self, path: str, store: ScratchObjects) -> Leaf | None:
        return self.side.leaf(path, store)
