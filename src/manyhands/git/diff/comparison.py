"""What a reviewer looks at: the worktree against a commit or tree, or one tree against another.

The worktree is read through a private index that is kept, so that only what changed since is read
again. What a person has viewed is a tree: ``files`` holds the contents by path, ``gone`` an empty
file for each one viewed as deleted. So what changed since can be shown.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pygit2

from manyhands.errors import NotFound
from manyhands.git.diff.diff import FILE_LIMIT, PATCH_LIMIT, compare, options
from manyhands.git.hardening import Argument
from manyhands.git.private_index import private_index
from manyhands.git.refs import put_ref
from manyhands.git.repository import open_repository
from manyhands.git.runner import Git
from manyhands.git.tree_edit import EMPTY, Leaf, edited, leaf_at
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import Diff

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
        index.take_in(None if paths is None else map(os.fsencode, paths))
        yield index.git


def load_tree(worktree: Path, kept: Path) -> Oid:
    """The tree of the whole worktree as it is now."""
    with current_index(worktree, kept) as git:
        return Oid(git.run("write-tree").line)


def load_blobs(worktree: Path, kept: Path, paths: Sequence[str]) -> dict[str, Leaf]:
    """Those of the paths that are there now."""
    with current_index(worktree, kept, paths) as git:
        listed = git.run("ls-files", "-s", "-z", "--", *map(os.fsencode, paths)).records
    found = {}
    for record in listed:
        meta, path = record.split(b"\t", 1)
        mode, oid, _ = meta.decode().split(" ")
        found[os.fsdecode(path)] = Leaf(int(mode, 8), Oid(oid))
    return found


def load_then(worktree: Path, tree: Oid, path: str) -> bytes:
    """The file in a commit or tree; a link is its text."""
    try:
        found = open_repository(worktree)[tree].peel(pygit2.Tree)[path]
    except KeyError as error:
        raise NotFound(f"{path} is not in {tree[:12]}") from error
    if not isinstance(found, pygit2.Blob):
        raise NotFound(f"{path} is not a file in {tree[:12]}")
    return found.data


def leaf_then(worktree: Path, tree: Oid, path: str) -> Leaf | None:
    """What a commit or tree has at the path."""
    repo = open_repository(worktree)
    return leaf_at(repo, Oid(str(repo[tree].peel(pygit2.Tree).id)), path)


def load_now(worktree: Path, path: str) -> bytes:
    """The file as it lies on the disk; a link is its text, and none is followed."""
    file = worktree / path
    try:
        info = file.lstat()
        if stat.S_ISLNK(info.st_mode):
            return os.fsencode(file.readlink())
        if not stat.S_ISREG(info.st_mode):
            raise NotFound(f"{path} is not a file")
        return file.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} is not there") from error


def lines_around(old: bytes, new: bytes, line: int) -> list[str]:
    """The lines of the new content that stand around a line which only the old one has."""
    drawn = pygit2.Patch.create_from(old, new)
    for hunk in drawn.hunks:
        if hunk.old_start <= line < hunk.old_start + hunk.old_lines:
            return [
                entry.content.rstrip("\r\n") for entry in hunk.lines if entry.origin in ("+", " ")
            ]
    return []


def set_viewed(
    worktree: Path, session: str, tree: Oid, path: str, leaf: Leaf | None, *, viewed: bool
) -> Oid:
    """The tree after `path` was viewed with this content, or as deleted, or is viewed no more."""
    repo = open_repository(worktree)
    is_gone = viewed and leaf is None
    gone = Leaf(0o100644, Oid(str(repo.create_blob(b"")))) if is_gone else None
    made = edited(repo, tree, {f"files/{path}": leaf, f"gone/{path}": gone})
    # Nothing else names these contents; without a ref git would one day drop them.
    put_ref(worktree, f"refs/manyhands/viewed/{session}", made)
    return made


def viewed_files(worktree: Path, tree: Oid) -> Oid:
    """The part of the tree that holds contents, to be compared with the worktree."""
    repo = open_repository(worktree)
    leaf = leaf_at(repo, tree, "files") if tree else None
    return leaf.oid if leaf else edited(repo, EMPTY, {})


def viewed_blobs(worktree: Path, tree: Oid) -> dict[str, Oid]:
    """Every viewed path with its content's name; empty for one viewed as deleted."""
    if not tree:
        return {}
    found: dict[str, Oid] = {}
    for record in Git(worktree).run("ls-tree", "-r", "-z", "--full-tree", tree).records:
        meta, name = record.split(b"\t", 1)
        part, _, path = name.decode("utf-8", "surrogateescape").partition("/")
        found[path] = Oid(meta.split(b" ")[2].decode() if part == "files" else "")
    return found
