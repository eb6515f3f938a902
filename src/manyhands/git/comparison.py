"""What a reviewer looks at: the worktree against a commit or tree, or one tree against another.

The worktree is read through a private index that is kept between looks, so that only what
changed since the last look is read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.diff import FILE_LIMIT, PATCH_LIMIT, Diff, compare, options
from manyhands.git.hardening import Argument
from manyhands.git.private_index import private_index
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

WHOLE_LIMIT = 16 << 20
"""The largest file whose patch is made when it is asked for by name."""
NAMES = ("--name-only", "--no-renames", "-z")


@dataclass(frozen=True)
class Comparison:
    worktree: Path
    old: Oid
    kept: Path
    """A directory of ours for the private index."""
    new: Oid | None = None
    """None: the worktree as it is now."""
    ignore_space: bool = False

    def listing(self) -> tuple[Diff, Oid]:
        """All changed files without their patches, and the tree that holds them."""
        with self._new_side() as (git, command):
            tree = self.new or Oid(git.run("write-tree").line)
            return compare(git, [*command, "--"], None), tree

    def changed_paths(self) -> list[str]:
        """Every path that may differ, in order, found without reading any content."""
        if self.new is not None:
            git, asked = Git(self.worktree), ["diff-tree", "-r", *NAMES, self.old, self.new]
            return sorted(map(os.fsdecode, git.run(*asked, "--").records))
        with current_index(self.worktree, self.kept, []) as git:
            unread = git.run("ls-files", "-z", "-o", "-m", "-d", "--exclude-standard").records
            read = git.run("diff-index", "--cached", *NAMES, self.old, "--").records
        # What ends in a slash is a repository inside the worktree, told by the whole listing only.
        return sorted(os.fsdecode(path) for path in {*unread, *read} if not path.endswith(b"/"))

    def patches(
        self, paths: Sequence[str], *, whole: bool = False, limit: int = PATCH_LIMIT
    ) -> Diff:
        """Some files with their patches; a renamed one by both its names."""
        limits = (WHOLE_LIMIT if whole else FILE_LIMIT, limit)
        with self._new_side(paths) as (git, command):
            return compare(git, [*command, "--", *map(os.fsencode, paths)], limits)

    @contextmanager
    def _new_side(self, paths: Sequence[str] | None = None) -> Iterator[tuple[Git, list[Argument]]]:
        flags = options(ignore_space=self.ignore_space)
        if self.new is not None:
            yield Git(self.worktree), ["diff-tree", "-r", *flags, self.old, self.new]
            return
        with current_index(self.worktree, self.kept, paths) as git:
            yield git, ["diff-index", "--cached", *flags, self.old]


@contextmanager
def current_index(worktree: Path, kept: Path, paths: Sequence[str] | None = None) -> Iterator[Git]:
    """Git on an index that holds the worktree as it is, or at least these paths of it."""
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    with private_index(worktree, kept=kept / "index") as index:
        if paths is None:
            index.add_all()
        else:
            index.add(map(os.fsencode, paths))
        yield index.git


def load_tree(worktree: Path, kept: Path) -> Oid:
    """The tree of the whole worktree as it is now."""
    with current_index(worktree, kept) as git:
        return Oid(git.run("write-tree").line)


def load_blobs(worktree: Path, kept: Path, paths: Sequence[str]) -> dict[str, tuple[str, Oid]]:
    """Mode and content of those of the paths that are there now."""
    with current_index(worktree, kept, paths) as git:
        listed = git.run("ls-files", "-s", "-z", "--", *map(os.fsencode, paths)).records
    found = {}
    for record in listed:
        meta, path = record.split(b"\t", 1)
        mode, oid, _ = meta.decode().split(" ")
        found[os.fsdecode(path)] = (mode, Oid(oid))
    return found
