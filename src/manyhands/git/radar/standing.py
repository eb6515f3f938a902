"""Where one side stands: a commit, and what its worktree has changed since its base.

Changes come in one by one, with the object's name only; contents are read from the worktree when
a merge is to be tried with them. What single paths cannot tell is read whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pygit2
from pygit2.enums import DiffOption

from manyhands.errors import ManyhandsError
from manyhands.git.diff.pathdiff import HUGE, PathDiffer
from manyhands.git.private_index import private_index
from manyhands.git.radar.meeting import Change
from manyhands.git.radar.scratch_objects import ScratchObjects
from manyhands.git.repository import open_repository
from manyhands.git.tree_edit import Leaf, edited, leaf_at
from manyhands.model.ids import Oid

GITLINK = 0o160000
LINK = 0o120000


@dataclass
class BaseStanding:
    """`worktree` is None for a branch that only counts with its commits."""

    base: Oid
    head: Oid
    worktree: Path | None = None
    onto: Oid | None = None
    """Where its base is now; None: where it was."""
    merging: Oid | None = None
    """What is being merged into it right now."""
    changes: dict[str, Change] = field(default_factory=dict)
    """Against `base`."""
    is_known: bool = False
    """Whether `changes` are all there are."""
    tree: Oid | None = None
    stale: set[str] = field(default_factory=set)
    """Paths that `tree` does not have as they are now."""
    commit: Oid | None = None
    differ: PathDiffer | None = None
    since: dict[tuple[Oid, Oid], dict[str, Change]] = field(default_factory=dict)
    version: int = 0
    """Another one whenever it stands elsewhere."""

    def note(self, path: str, change: Change | None) -> bool:
        """The path is like this now, None: as in the base. Whether that is news."""
        if self.changes.get(path) == change:
            return False
        self.stale.add(path)
        self._moved()
        if change is None:
            del self.changes[path]
        else:
            self.changes[path] = change
        return True

    def read_head(self) -> bool:
        """Whether HEAD, or what is merged into it, is another one than before."""
        if self.worktree is None:
            return False
        repository = open_repository(self.worktree)
        head, merging = Oid(str(repository.head.target)), None
        with suppress(KeyError, pygit2.GitError):
            merging = Oid(str(repository.lookup_reference("MERGE_HEAD").target))
        if (head, merging) == (self.head, self.merging):
            return False
        self.head, self.merging = head, merging
        self._moved()
        return True

    def scan(self, store: ScratchObjects, kept: Path) -> bool:
        """Read the whole worktree; `kept` makes the next scan quick. Whether it is news."""
        if self.worktree is None:
            return False
        moved = self.read_head()
        kept.parent.mkdir(parents=True, exist_ok=True)
        with private_index(self.worktree, kept=kept) as index:
            git = store.within(index.git)
            replace(index, git=git).add_all()
            raw = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev")
            found = dict(_changes(git.run(*raw, self.base).records))
            news = found != self.changes or not self.is_known
            if news:
                self.changes, self.is_known = found, True
                self._moved()
                self.stale.clear()
                self.tree = Oid(git.run("write-tree").line)
        return news or moved

    def _moved(self) -> None:
        self.commit = None
        self.version += 1

    def changes_since(self, base: Oid, store: ScratchObjects) -> dict[str, Change]:
        """What it has changed against any commit."""
        if base == self.base and self.worktree is not None:
            return self.changes
        key = (base, self.whole_tree(store))
        if key not in self.since:
            found = dict(tree_changes(store.objects, store.tree_of(base), key[1]))
            self.since = {**dict(list(self.since.items())[-20:]), key: found}
        return self.since[key]

    def whole_tree(self, store: ScratchObjects) -> Oid:
        """The tree as git would commit it now."""
        if self.tree is None and self.worktree is None:
            self.tree = store.tree_of(self.head)
        elif self.tree is None or self.stale:
            self._bring_up_to_date(store)
        assert self.tree is not None
        return self.tree

    def _bring_up_to_date(self, store: ScratchObjects) -> None:
        base = store.tree_of(self.base)
        paths = set(self.changes) if self.tree is None else set(self.stale)
        self.hold(paths, store)
        leaves = {
            path: self.changes[path].leaf
            if path in self.changes
            else leaf_at(store.objects, base, path)
            for path in paths
        }
        self.tree = edited(store.objects, self.tree or base, leaves)
        self.stale.clear()

    def trial_commit(self, store: ScratchObjects) -> Oid:
        """What a commit of everything would be."""
        tree = self.whole_tree(store)
        if self.commit is None and not self.merging and tree == store.tree_of(self.head):
            self.commit = self.head
        elif self.commit is None:
            self.commit = store.commit(tree, [oid for oid in (self.head, self.merging) if oid])
        return self.commit

    def leaf(self, path: str, store: ScratchObjects) -> Leaf | None:
        """What it has there."""
        if path in self.changes:
            return self.changes[path].leaf
        return leaf_at(store.objects, store.tree_of(self.base), path)

    def hold(self, paths: Iterable[str], store: ScratchObjects) -> None:
        """See that the contents at these paths are in the store, as they are now."""
        for path in list(paths):
            leaf = self.changes[path].leaf if path in self.changes else None
            if leaf is not None and leaf.mode != GITLINK and leaf.oid not in store.objects:
                self._read(path, store)

    def _read(self, path: str, store: ScratchObjects) -> None:
        assert self.worktree is not None
        if self._holds_as_told(path, store):
            return
        if self.differ is None:
            self.differ = PathDiffer(self.worktree, self.base)
        side = self.differ.stored(path)
        if side is None:
            raise OnlyWhole(f"what git would store for {path} is git's own business")
        leaf = Leaf(int(side.mode, 8), store.blob(side.content)) if side.mode else None
        was = self.changes[path]
        if leaf is None and was.added:
            self.note(path, None)
        else:
            self.note(path, Change(leaf, added=was.added))

    def _holds_as_told(self, path: str, store: ScratchObjects) -> bool:
        """Where the very bytes on disk have the name that was told, no attribute is at play, and
        those of a large repository take long to load."""
        assert self.worktree is not None
        leaf, file = self.changes[path].leaf, self.worktree / path
        assert leaf is not None
        try:
            if leaf.mode == LINK:
                content = os.fsencode(file.readlink())
            elif file.is_symlink() or file.stat().st_size > HUGE:
                return False
            else:
                content = file.read_bytes()
        except OSError:
            return False
        return str(pygit2.hash(content)) == leaf.oid and store.blob(content) == leaf.oid


class OnlyWhole(ManyhandsError):
    """Single paths do not tell; the whole worktree must be read."""


def tree_changes(repo: pygit2.Repository, old: Oid, new: Oid) -> Iterator[tuple[str, Change]]:
    """What differs between two trees, path by path; equal folders are never opened."""
    was, now = (repo[oid].peel(pygit2.Tree) for oid in (old, new))
    for delta in was.diff_to_tree(now, flags=DiffOption.INCLUDE_TYPECHANGE).deltas:
        there = delta.new_file
        leaf = Leaf(int(there.mode), Oid(str(there.id))) if there.mode else None
        yield os.fsdecode(there.raw_path), Change(leaf, added=not delta.old_file.mode)


def _changes(records: list[bytes]) -> Iterator[tuple[str, Change]]:
    for meta, path in zip(records[0::2], records[1::2], strict=True):
        _, mode, _, oid, status = meta.decode().split(" ")
        leaf = None if status[0] == "D" else Leaf(int(mode, 8), Oid(oid))
        yield os.fsdecode(path), Change(leaf, added=status[0] == "A")
