"""The parts of a snapshot: an index and single ignored files, taken; all of them, read back."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pygit2

from manyhands.errors import GitFailed
from manyhands.git.contents import holds, ignored_paths
from manyhands.git.diff.diff import diff_trees
from manyhands.git.private_index import update_index
from manyhands.git.refs import Repository
from manyhands.git.repository import open_repository
from manyhands.git.runner import Git
from manyhands.git.snapshot.manifest import Manifest
from manyhands.git.snapshot.private import PrivateStore
from manyhands.git.tree_edit import TreeEntry
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import FileDiff


@dataclass(frozen=True)
class Snapshot:
    """A snapshot's parts, by object name."""

    oid: Oid
    parts: dict[str, Oid]
    manifest: Manifest


def display_diff(repo: Path, base: Oid, oid: Oid, *, renames: bool = False) -> list[FileDiff]:
    """How the files that a snapshot holds differ from a commit: path by path, or with moved files
    as one."""
    objects = open_repository(repo)
    was, now = objects[base].peel(pygit2.Tree).id, objects[oid].peel(pygit2.Tree)["display"].id
    if was == now:
        return []
    return diff_trees(repo, base, Oid(str(now)), patch=False, renames=renames).files


def load_snapshot(repo: Path, oid: Oid, private: Path | None = None) -> Snapshot:
    """One that was made before ignored files had a store of their own holds them itself."""
    git = Git(repo)
    oid = PrivateStore(private).current(oid) if private else oid
    listed = [line.split(b"\t") for line in git.run("ls-tree", "-z", oid).records]
    parts = {name.decode(): Oid(meta.split(b" ")[2].decode()) for meta, name in listed}
    manifest = Manifest.decode(git.run("cat-file", "blob", parts["manifest.json"]).stdout)
    if manifest.private:
        parts["ignored"] = Oid(manifest.private)
    return Snapshot(oid, parts, manifest)


@dataclass(frozen=True)
class AgentsIndex:
    """The agent's own index: the file, and trees that keep what it names."""

    entries: list[TreeEntry]
    broken: bool = False
    """It names objects that do not exist."""


def keep_index(git: Git, found: Repository, scratch: Path) -> AgentsIndex:
    copy = scratch / "index"
    try:
        shutil.copy2(found.git_dir / "index", copy)
    except FileNotFoundError:
        return AgentsIndex([])
    blob = Oid(git.run("hash-object", "-w", "--no-filters", "--", copy).line)
    try:
        return AgentsIndex([("blob", blob, "index"), *_staged(git, copy, scratch)])
    except GitFailed:
        return AgentsIndex([("blob", blob, "index")], broken=True)


def _staged(git: Git, copy: Path, scratch: Path) -> list[TreeEntry]:
    mine = git.having(GIT_INDEX_FILE=copy)
    written, unmerged = mine.run("write-tree", check=False), []
    if written.returncode:  # as with conflicts
        unmerged = [line.split(b"\t", 1) for line in mine.run("ls-files", "-u", "-z").records]
        update_index(mine, "--force-remove", paths=(path for _, path in unmerged))
        written = mine.run("write-tree")
    trees = [("tree", Oid(written.line), "staged")]
    for stage in (b"1", b"2", b"3") if unmerged else ():
        lines = [(meta.split(b" "), path) for meta, path in unmerged]
        there = [b"%s %s 0\t%s\0" % (m[0], m[1], p) for m, p in lines if m[2] == stage]
        staged = git.having(GIT_INDEX_FILE=scratch / f"stage{stage.decode()}")
        staged.run("update-index", "-z", "--index-info", stdin=b"".join(there))
        trees.append(("tree", Oid(staged.run("write-tree").line), f"stage{stage.decode()}"))
    return trees


def load_listed(worktree: Path, listed: Iterable[str]) -> dict[str, int]:
    """Ignored files that a snapshot is asked to hold, such as a `.env` that was copied along: those
    that are there, plain files, and ignored still; with their permission bits."""
    there = {path: mode for path in listed if (mode := _mode(worktree, path)) is not None}
    hidden = ignored_paths(worktree, map(os.fsencode, there))
    return {path: mode for path, mode in there.items() if os.fsencode(path) in hidden}


def _mode(worktree: Path, path: str) -> int | None:
    if not holds(worktree, os.fsencode(path)):
        return None
    mode = (worktree / path).lstat().st_mode
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None
