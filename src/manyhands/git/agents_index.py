"""The agent's own index as part of a snapshot: the file, and trees that keep what it names."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git.refs import Repository
from manyhands.git.runner import Git
from manyhands.git.tree_entry import TreeEntry
from manyhands.model.ids import Oid


@dataclass(frozen=True)
class AgentsIndex:
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
    unmerged = [line.split(b"\t", 1) for line in mine.run("ls-files", "-u", "-z").records]
    if unmerged:
        gone = b"".join(path + b"\0" for _, path in unmerged)
        mine.run("update-index", "--force-remove", "-z", "--stdin", stdin=gone)
    trees = [("tree", Oid(mine.run("write-tree").line), "staged")]
    for stage in (b"1", b"2", b"3") if unmerged else ():
        lines = [(meta.split(b" "), path) for meta, path in unmerged]
        there = [b"%s %s 0\t%s\0" % (m[0], m[1], p) for m, p in lines if m[2] == stage]
        staged = git.having(GIT_INDEX_FILE=scratch / f"stage{stage.decode()}")
        staged.run("update-index", "-z", "--index-info", stdin=b"".join(there))
        trees.append(("tree", Oid(staged.run("write-tree").line), f"stage{stage.decode()}"))
    return trees
